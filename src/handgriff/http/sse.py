"""Server-sent events: bytes of a frame, and the response that sends them for as long as somebody listens.

Below is ASGI alone; above, a turn's or a session's items are encoded into frames. A client that goes away only unsubscribes: its frames'
generator is closed, and the turn, a task of its own, knows nothing of it.

Frames end in two line feeds, never in carriage returns: AG-UI's client splits on nothing else.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio
from starlette.types import Receive, Scope, Send

from handgriff.core import jsontext
from handgriff.core.events import Item, position
from handgriff.core.jsontext import Json

LOG = logging.getLogger("handgriff.http")
PING_SECONDS: Final = 10.0
"""Proxies cut what is silent, the hasty ones after 15 s."""
PING: Final = b": ping\n\n"
MEDIA_TYPE: Final = "text/event-stream; charset=utf-8"
HEADERS: Final[Mapping[str, str]] = {
    "content-type": MEDIA_TYPE,
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
}
# Not line ends to a browser, but to many a reader that splits lines by itself. In JSON they may be escaped.
_LINE_ENDS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def frame(event: Mapping[str, Json], event_id: str | None = None) -> bytes:
    """One event, in bytes that are sent in one piece."""
    text = jsontext.dumps(event).translate(_LINE_ENDS)
    head = f"id: {event_id}\n" if event_id is not None else ""
    return f"{head}data: {text}\n\n".encode()


def frames(events: Sequence[Mapping[str, Json]], item: Item | None = None) -> bytes:
    """The events of *item*. Only the last one carries its id: who comes back with it has seen them all."""
    event_id = None if item is None else spell(position(item))
    last = len(events) - 1
    return b"".join(frame(event, event_id if index == last else None) for index, event in enumerate(events))


def spell(place: tuple[int, int]) -> str:
    """A position as an SSE id."""
    return f"{place[0]}.{place[1]}"


@dataclass(slots=True)
class EventStream:
    """The response. `sleep` waits between pings, which are comments: no content, and nothing to resume from."""

    source: AsyncGenerator[bytes, None]
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    _sending: anyio.Lock = field(default_factory=anyio.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything, until it is over or the client has gone."""
        del scope
        headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        try:
            # Begun before anything can fail, because a generator that was never begun does not clean up when it is closed.
            chunk = await anext(self.source, b"")
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._ping, send)
                tasks.start_soon(self._listen, receive, tasks.cancel_scope)
                await self._send(send, chunk)
                async for chunk in self.source:
                    await self._send(send, chunk)
                await self._send(send, b"", more=False)
                tasks.cancel_scope.cancel()
        except* OSError:
            # Some servers say so when they are handed bytes for a client that has gone.
            LOG.debug("a client went away while it was sent to")
        finally:
            # Whoever is cancelled here must still let go of the turn.
            with anyio.CancelScope(shield=True):
                await self.source.aclose()

    async def _send(self, send: Send, chunk: bytes, *, more: bool = True) -> None:
        if chunk or not more:
            async with self._sending:
                await send({"type": "http.response.body", "body": chunk, "more_body": more})

    async def _ping(self, send: Send) -> None:
        while True:
            await self.sleep(PING_SECONDS)
            await self._send(send, PING)

    async def _listen(self, receive: Receive, scope: anyio.CancelScope) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()
