"""The provider as a server on 127.0.0.1, in the event loop of whoever opens it.

Below are `application` and uvicorn; above are tests and `__main__`. This is the only module that knows uvicorn, and it knows no dialect.
"""

import asyncio
import socket
import struct
import time
from types import TracebackType
from typing import Any, Self, cast

import uvicorn
from anyio.lowlevel import checkpoint
from uvicorn.protocols.http.h11_impl import H11Protocol

from handgriff.ports.clock import Clock
from handgriff.testing.loopback.application import Application, Scope
from handgriff.testing.loopback.journal import Journal, Request
from handgriff.testing.loopback.responder import Responder
from handgriff.testing.loopback.returned import Issued
from handgriff.testing.loopback.script import Script

# Longer than any test: an idle connection that the server closed first would look like a fault nobody scripted.
_KEEP_ALIVE = 24 * 60 * 60


class LoopbackProvider:
    """A scripted, strict provider of the Messages API, served while its `async with` block runs.

    *clock* dates the prompt cache; *minimum* is the shortest prefix, in tokens, that it keeps. *api_key* None takes any key. *name* goes
    into the ids: a second provider of one conversation needs another, and the *issued* of the first. The last *keep* requests are held.
    With *binds_thinking* a thinking block is refused once anything before it was changed, as the newest models do.
    """

    def __init__(
        self,
        script: Script,
        *,
        clock: Clock | None = None,
        api_key: str | None = "loopback-key",
        minimum: int = 0,
        name: str = "loopback",
        issued: Issued = (),
        binds_thinking: bool = False,
        port: int = 0,
        keep: int | None = None,
    ) -> None:
        self._journal = Journal(keep=keep)
        self._responder = Responder(script, api_key=api_key, minimum=minimum, name=name, issued=issued, binds_thinking=binds_thinking)
        self._api_key = api_key
        self._port = port
        now = time.monotonic if clock is None else lambda: clock.now().timestamp()
        app = Application(self._responder, self._journal, now=now, hang_up=self._hang_up)
        config = uvicorn.Config(
            cast("Any", app),  # uvicorn's own TypedDicts of ASGI messages are narrower than ASGI
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=_KEEP_ALIVE,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)

    @property
    def url(self) -> str:
        """Where it is served; the `base_url` of a client."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def api_key(self) -> str:
        """A key it takes."""
        return self._api_key or "loopback-key"

    @property
    def requests(self) -> tuple[Request, ...]:
        """What it has received, oldest first."""
        return self._journal.requests

    @property
    def violations(self) -> tuple[str, ...]:
        """Every rule that any request broke."""
        return tuple(problem for request in self.requests for problem in request.violations)

    @property
    def issued(self) -> Issued:
        """What it has said that must come back unaltered."""
        return self._responder.issued

    async def arrived(self, number: int) -> Request:
        """Wait until request *number*, counted from zero, has arrived."""
        return await self._journal.arrived(number)

    async def ended(self, number: int) -> Request:
        """Wait until nothing more will be sent to request *number*: it is complete, cut, or its client has left."""
        return await self._journal.ended(number)

    async def __aenter__(self) -> Self:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        self._port = listener.getsockname()[1]
        # Not `serve()`: that would take over the process's signals and wake up ten times a second.
        await self._server.startup(sockets=[listener])
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close every connection.

        Raises:
            ExceptionGroup: the script failed; unless the block is failing already.
        """
        for server in self._server.servers:
            server.close()
        state = self._server.server_state
        for connection in tuple(state.connections):
            connection.transport.abort()
        # Requests under way see their client leave, and end.
        if state.tasks:
            await asyncio.wait(tuple(state.tasks))
        for server in self._server.servers:
            await server.wait_closed()
        if error is None and self._responder.failures:
            raise ExceptionGroup("the loopback provider's script failed", self._responder.failures)

    async def _hang_up(self, scope: Scope, *, reset: bool) -> None:
        transport = next(
            (
                connection.transport
                for connection in self._server.server_state.connections
                if isinstance(connection, H11Protocol) and connection.client == scope["client"]
            ),
            None,
        )
        if transport is None:
            return
        while transport.get_write_buffer_size():
            await checkpoint()
        if reset:
            peer: socket.socket = transport.get_extra_info("socket")
            # Closing with a linger of zero seconds discards the connection: the kernel sends RST instead of FIN.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
