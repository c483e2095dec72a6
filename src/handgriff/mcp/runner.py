"""Serving the face alone over HTTP, with uvicorn.

Below is the app; above, the command line. Ending it ends the streams first, because a client that listens never leaves by itself.
"""

import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import anyio
import uvicorn

from handgriff.errors import BackendError
from handgriff.host.host import Host
from handgriff.mcp.app import App, Authenticate, asgi

GRACEFUL_SECONDS = 5
"""How long open responses are waited for when the server ends."""


async def serve(
    host: Host,
    *,
    authenticate: Authenticate,
    port: int = 8000,
    bind: str = "127.0.0.1",
    started: Callable[[str], None] | None = None,
    **options: Any,
) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM). `started` is told the address of the endpoint; port 0 takes a free one.

    *options* are those of `asgi`.

    Raises:
        BackendError: the address is taken, or not ours; the store cannot be opened.
    """
    app = asgi(host, authenticate=authenticate, **options)
    # Opened here, because uvicorn answers a failing start with an exit of the process.
    await host.engine()
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    with _listen(bind, port) as listening:
        server = _Server(config, app, lambda: started(_address(listening) + app.path) if started else None)
        try:
            await server.serve(sockets=[listening])
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await server.end()
            raise


class _Server(uvicorn.Server):
    """Uvicorn's server, told when it begins and what to end first."""

    def __init__(self, config: uvicorn.Config, app: App, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._told()

    async def end(self) -> None:
        """End in order although the task that served was cancelled."""
        if self.started:
            await self.shutdown()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await self._app.close()
        await super().shutdown(sockets)


def _listen(bind: str, port: int) -> socket.socket:
    try:
        return socket.create_server((bind, port), family=_family(bind), backlog=2048)
    except OSError as error:
        raise BackendError("mcp", f"listening on {bind}:{port}", hint=f"{error.strerror or error}.") from error


def _family(bind: str) -> socket.AddressFamily:
    try:
        return socket.AF_INET6 if ip_address(bind).version == 6 else socket.AF_INET  # noqa: PLR2004  # IPv6
    except ValueError:
        return socket.AF_INET


def _address(listening: socket.socket) -> str:
    name, port = listening.getsockname()[:2]
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
