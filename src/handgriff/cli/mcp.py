"""`mcp`: the MCP face, on this process's own streams for the client that starts it, or over HTTP.

Below is the MCP face, which is imported only here and only now, because its extra may be missing. It adds no rule: who asks is said by
--as, or over HTTP by --authenticate.
"""

from importlib import import_module
from typing import Annotated, Any, Final

import anyio
import typer
from rich.text import Text

from handgriff.cli.faults import DONE, WrongUse
from handgriff.cli.given import Given, command
from handgriff.cli.opening import hosted, load_caller
from handgriff.cli.output import print_json, terminal
from handgriff.cli.target import find_object
from handgriff.core.caller import Caller
from handgriff.host.host import Host

_OWN: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_PORTS: Final = range(2**16)


def mcp(
    given: Given,
    *,
    http: Annotated[str | None, typer.Option("--http", metavar="HOST:PORT", help="Serve over HTTP; port 0 takes a free one.")] = None,
    authenticate: Annotated[
        str | None,
        typer.Option(
            "--authenticate",
            metavar="MODULE:FUNCTION",
            help="Says who sent a request; with --http, required without --dev.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name", metavar="NAME[:PORT]", help="With --http, a name others reach it by; NAME:* is any port.", show_default=False
        ),
    ] = None,
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="With --http, the path of the endpoint.")] = "/mcp",
) -> int:
    """Serve an assistant to MCP clients: to the one that starts this command, or over HTTP until Ctrl-C."""
    where = None if http is None else _where(http)
    _check(given, where, authenticate, name)

    async def work() -> None:
        face: Any = import_module("handgriff.mcp")
        async with hosted(given, may_be_dev=True) as host:
            if where is None:
                await load_caller(host, given)
                await face.serve_stdio(host, lambda: load_caller(host, given))
                return
            bind, port = where
            who = _everybody(host, given) if authenticate is None else find_object(authenticate, what="--authenticate")
            hosts = (*face.LOOPBACK, *(name or ()))
            await face.serve(
                host, authenticate=who, bind=bind, port=port, path=path, hosts=hosts, started=lambda address: _tell(given, address)
            )

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
        "mcp",
        "handgriff mcp shop:host --as acme/ada",
        "handgriff mcp shop:assistant --dev --can orders.cancel",
        "handgriff mcp shop:host --http 0.0.0.0:8000 --authenticate shop:who_is_it --name assistant.shop.example",
        speaks_itself=True,
    )(mcp)


def _where(http: str) -> tuple[str, int]:
    bind, colon, port = http.rpartition(":")
    if not (bind and colon and port.isdecimal() and int(port) in _PORTS):
        raise WrongUse(f"--http {http!r} has not the form HOST:PORT, such as 127.0.0.1:8000.")
    return bind.removeprefix("[").removesuffix("]"), int(port)


def _check(given: Given, where: tuple[str, int] | None, authenticate: str | None, name: list[str] | None) -> None:
    if where is None and (authenticate is not None or name):
        raise WrongUse("--authenticate and --name go with --http; without it --as says who is calling.")
    if where is None:
        given.principal()
        return
    if given.dev and authenticate is not None:
        raise WrongUse("--dev trusts everybody on this machine: leave out --authenticate, or --dev.")
    if given.dev and (where[0] not in _OWN or name):
        raise WrongUse(f"--http {where[0]} can be reached by others, and --dev trusts everybody: bind 127.0.0.1, without --name.")
    if not given.dev and authenticate is None:
        raise WrongUse("Say who is calling: --authenticate module:function, an async function (request) -> Caller | None.")
    if not given.dev and given.who is not None:
        raise WrongUse("--as works with --http only in --dev; without it --authenticate says who is calling.")


def _everybody(host: Host, given: Given) -> Any:  # what the MCP face asks
    async def authenticate(request: object) -> Caller:
        del request
        return await load_caller(host, given)

    return authenticate


def _tell(given: Given, address: str) -> None:
    if given.as_json:
        print_json({"address": address})
    else:
        terminal().print(Text(f"Serving {given.target} on {address}  (Ctrl-C ends)"), soft_wrap=True)
