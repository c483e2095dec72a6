"""Serving the face alone. Ending it stops the turns first, so that every stream gets its terminal event."""

from collections.abc import Callable
from typing import Any

from handgriff.errors import DefinitionError
from handgriff.host.host import Host
from handgriff.http.app import asgi
from handgriff.http.face import Authenticate
from handgriff.http.origin import LOOPBACK
from handgriff.serving.server import run


async def serve(
    host: Host,
    *,
    authenticate: Authenticate,
    dev: bool = False,
    port: int = 8000,
    bind: str = "127.0.0.1",
    started: Callable[[str], None] | None = None,
    **options: Any,
) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM). `started` is told the address; port 0 takes a free one.

    *options* are those of `asgi`.

    Raises:
        DefinitionError: `dev` on an address that others can reach.
        BackendError: the address is taken, or not ours; the store cannot be opened.
    """
    if dev and bind not in LOOPBACK:
        raise DefinitionError("serve", "bind", f"{bind!r} can be reached by others, and dev trusts everybody.", mend="bind 127.0.0.1.")
    # Opened here, because uvicorn answers a failing start with an exit of the process.
    await host.engine()
    app = asgi(host, authenticate=authenticate, dev=dev, **options)
    await run(app, face="http", bind=bind, port=port, started=started, close=host.close)
