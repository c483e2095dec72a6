"""Serves the salon over HTTP, to one person of it, on this machine alone. A product would mount `asgi(host, authenticate=…)` instead.

Below is the HTTP face; above, the demo's program.
"""

import signal
import sys
from datetime import date
from pathlib import Path

import anyio

from examples.salon.assistant import PEOPLE, make_host
from handgriff import BackendError, Caller, DefinitionError, Host
from handgriff.core import jsontext
from handgriff.http import dev_caller
from handgriff.http import serve as serve_host


def serve(folder: Path, *, today: date, user: str, port: int, model: str) -> int:
    """Serve until SIGINT or SIGTERM; 0 then, 1 when the server could not begin."""
    # SIGTERM ends the program as Ctrl-C does, through every `finally`, so that a temporary folder is removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        anyio.run(_serve, make_host(folder, today=today, model=model), PEOPLE[user], port)
    except KeyboardInterrupt:
        print("Stopped.")
        return 0
    except (BackendError, DefinitionError) as error:
        print(error, file=sys.stderr)
    return 1


async def _serve(host: Host, caller: Caller, port: int) -> None:
    # Opened here, a missing key is heard of before anything listens.
    async with host:
        await serve_host(host, authenticate=dev_caller(caller), dev=True, port=port, started=lambda url: _tell(url, caller))


def _tell(url: str, caller: Caller) -> None:
    message = {"id": "m1", "role": "user", "content": "/find_customer name=Greta"}
    body = {"threadId": "t1", "runId": "r1", "messages": [message]}
    print(
        f"""Salon Lumen, served to {caller.user.title()}, is at {url}/ (Ctrl-C stops it).

Without a provider's model, type a tool and its arguments:

  /find_customer name=Greta
  /set_service_price service=s_cut cents=6200

A whole turn, as events:

  curl -N {url}/agui -H 'Content-Type: application/json' -d '{jsontext.dumps(body)}'
""",
        flush=True,
    )
