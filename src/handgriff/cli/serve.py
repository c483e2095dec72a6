"""`serve`: the HTTP face, alone in a server of its own.

Below is the HTTP face, which is imported only here and only now, because its extra may be missing. It adds no rule: what is asked of whom
is said by --authenticate, or by --dev.
"""

from importlib import import_module
from typing import Annotated, Any

import anyio
import typer
from rich.text import Text

from handgriff.cli.faults import DONE, WrongUse
from handgriff.cli.given import Given, command
from handgriff.cli.opening import hosted, load_caller
from handgriff.cli.output import print_json, terminal
from handgriff.cli.target import find_object
from handgriff.host.host import Host


def serve(
    given: Given,
    *,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    bind: Annotated[str, typer.Option("--bind", metavar="ADDRESS", help="The address; with --dev only this machine's own.")] = "127.0.0.1",
    authenticate: Annotated[
        str | None,
        typer.Option(
            "--authenticate", metavar="MODULE:FUNCTION", help="Says who sent a request. Required without --dev.", show_default=False
        ),
    ] = None,
) -> int:
    """Serve an assistant over HTTP until Ctrl-C. With --dev there is a page to try it on, and everybody is the caller of --as."""

    async def work() -> None:
        _check(given, authenticate)
        http: Any = import_module("handgriff.http")
        async with hosted(given, may_be_dev=True) as host:
            who = await _authenticate(given, http, host, authenticate)
            await http.serve(host, authenticate=who, dev=given.dev, port=port, bind=bind, started=lambda address: _tell(given, address))

    try:
        anyio.run(work)
    except KeyboardInterrupt:
        # Ctrl-C is how a server ends.
        return DONE
    return DONE


def attach(app: typer.Typer) -> None:
    """Make it a command of *app*."""
    command(
        app,
        "serve",
        "handgriff serve shop:assistant --dev --can orders.cancel",
        "handgriff serve shop:host --authenticate shop:who_is_it --bind 0.0.0.0",
    )(serve)


def _check(given: Given, authenticate: str | None) -> None:
    if given.dev and authenticate is not None:
        raise WrongUse("--dev trusts everybody on this machine: leave out --authenticate, or --dev.")
    if not given.dev and authenticate is None:
        raise WrongUse("Say who is calling: --authenticate module:function, an async function (request) -> Caller | None.")
    if not given.dev and given.who is not None:
        raise WrongUse("--as works here only with --dev; without it --authenticate says who is calling.")


async def _authenticate(given: Given, http: Any, host: Host, named: str | None) -> Any:  # what the HTTP face asks
    if named is not None:
        return find_object(named, what="--authenticate")
    return http.dev_caller(await load_caller(host, given))


def _tell(given: Given, address: str) -> None:
    if given.as_json:
        print_json({"address": address})
    else:
        terminal().print(Text(f"Serving {given.target} on {address}  (Ctrl-C ends)"), soft_wrap=True)
