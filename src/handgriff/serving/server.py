"""Serving one app alone, with uvicorn, until the process is told to end.

Below is uvicorn; above, the faces. What holds streams open is closed first: a client that listens never leaves by itself.
"""

import socket
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any

import anyio
import uvicorn

from handgriff.errors import BackendError

GRACEFUL_SECONDS = 5
"""How long open responses are waited for when the server ends."""


async def run(
    app: Callable[..., Any], *, face: str, bind: str, port: int, started: Callable[[str], None] | None, close: Callable[[], Awaitable[None]]
) -> None:
    """Serve *app* until SIGINT or SIGTERM. `started` is told the address; port 0 takes a free one. `close` ends its streams.

    Raises:
        BackendError: the address is taken, or not ours; it names the *face*.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    with _listen(face, bind, port) as listening:
        server = _Server(config, lambda: started(_address(listening)) if started else None, close)
        try:
            await server.serve(sockets=[listening])
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await server.end()
            raise


class _Server(uvicorn.Server):
    """Uvicorn's server, told when it begins and what to end first."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None], close: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._told = started
        self._close = close

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
        await self._close()
        await super().shutdown(sockets)


def _listen(face: str, bind: str, port: int) -> socket.socket:
    try:
        return socket.create_server((bind, port), family=_family(bind), backlog=2048)
    except OSError as error:
        raise BackendError(face, f"listening on {bind}:{port}", hint=f"{error.strerror or error}.") from error


def _family(bind: str) -> socket.AddressFamily:
    try:
        return socket.AF_INET6 if ip_address(bind).version == 6 else socket.AF_INET  # noqa: PLR2004  # IPv6
    except ValueError:
        return socket.AF_INET


def _address(listening: socket.socket) -> str:
    name, port = listening.getsockname()[:2]
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
