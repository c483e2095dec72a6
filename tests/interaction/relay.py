"""A line between a client and a server that can be cut, and that hands bytes on in pieces of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, SocketAttribute, SocketStream


@dataclass(slots=True)
class Relay:
    """The line to a port of this machine."""

    to: int
    piece: int = 2**16
    is_down: bool = False
    _held: set[anyio.CancelScope] = field(default_factory=set)

    def cut(self, *, is_down: bool = False) -> None:
        """Cut what is connected. Who comes back is connected again, unless it is down."""
        self.is_down = is_down
        for scope in self._held:
            scope.cancel()

    async def connect(self, near: SocketStream) -> None:
        async with near:
            if self.is_down:
                return
            with anyio.CancelScope() as scope:
                self._held.add(scope)
                try:
                    async with await anyio.connect_tcp("127.0.0.1", self.to) as far, anyio.create_task_group() as tasks:
                        tasks.start_soon(self._hand_on, near, far)
                        await self._hand_on(far, near)
                        tasks.cancel_scope.cancel()
                finally:
                    self._held.discard(scope)

    async def _hand_on(self, source: ByteReceiveStream, sink: ByteSendStream) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                chunk = await source.receive()
                for start in range(0, len(chunk), self.piece):
                    await sink.send(chunk[start : start + self.piece])


@asynccontextmanager
async def relayed(address: str, *, piece: int = 2**16) -> AsyncIterator[tuple[Relay, str]]:
    """A line to *address*, and the address of its near end."""
    relay = Relay(int(address.rpartition(":")[2]), piece)
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, relay.connect)
        try:
            port = listener.extra(SocketAttribute.local_port)  # noqa: S610  # no query set
            yield relay, f"http://127.0.0.1:{port}"
        finally:
            tasks.cancel_scope.cancel()
