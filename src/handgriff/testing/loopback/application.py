"""The ASGI application: it takes requests in, writes the journal, and sends what the responder decided, event by event.

Below is `responder`; above, `provider` serves it. It knows HTTP and nothing of the API: no field of a body is read here beyond parsing it
for the journal. It waits only for holds and for the client.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, Protocol, TypeAlias, assert_never

import anyio
from anyio.lowlevel import checkpoint

from handgriff.testing.loopback import strictjson
from handgriff.testing.loopback.journal import Journal
from handgriff.testing.loopback.responder import Cut, Delivery, Responder, Streamed, Whole
from handgriff.testing.loopback.script import Hold

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HangUp(Protocol):
    """Closes the connection of a request at once."""

    async def __call__(self, scope: Scope, *, reset: bool) -> None:
        """With *reset* by a TCP reset."""
        ...


class Application:
    """One provider as an ASGI application."""

    def __init__(self, responder: Responder, journal: Journal, *, now: Callable[[], float], hang_up: HangUp) -> None:
        self._responder = responder
        self._journal = journal
        self._now = now
        self._hang_up = hang_up

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        raw = await _read(receive)
        if raw is None:
            return
        request = self._journal.open(
            method=scope["method"],
            path=scope["path"],
            headers={name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]},
            raw=raw,
            body=_parsed(raw),
        )
        delivery = self._responder.respond(request, now=self._now())
        self._journal.revise(request.number, usage=delivery.usage, violations=delivery.violations if isinstance(delivery, Whole) else ())
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_watch, receive, group.cancel_scope)
                await self._deliver(request.number, delivery, scope, send)
                self._journal.revise(request.number, ended=True)
                group.cancel_scope.cancel()
        except* Exception as failed:  # noqa: BLE001  # a hold is the test's own code; the provider raises this when it is closed
            self._responder.failures = (*self._responder.failures, *failed.exceptions)
            self._journal.revise(request.number, ended=True)
            await self._hang_up(scope, reset=False)
        finally:
            self._leave(request.number)

    async def _deliver(self, number: int, delivery: Delivery, scope: Scope, send: Send) -> None:
        match delivery:
            case Whole():
                await _wait(delivery.holds)
                await _start(send, delivery.status, {**delivery.headers, "content-length": str(len(delivery.body))})
                await send({"type": "http.response.body", "body": delivery.body})
                self._journal.revise(number, status=delivery.status, completed=True)
            case Streamed():
                await self._stream(number, delivery, scope, send)
            case Cut():
                await _wait(delivery.holds)
                await self._hang_up(scope, reset=delivery.ending == "reset")
            case _ as never:
                assert_never(never)

    async def _stream(self, number: int, stream: Streamed, scope: Scope, send: Send) -> None:
        await _start(send, 200, stream.headers)
        self._journal.revise(number, status=200)
        holds = {position: [hold for hold in stream.holds if hold.before == position] for position in range(len(stream.events) + 1)}
        for position, event in enumerate(stream.events):
            await _wait(holds[position])
            # Without a turn of the loop the server would send everything before it noticed that the client has left.
            await checkpoint()
            await send({"type": "http.response.body", "body": event, "more_body": True})
            self._journal.revise(number, sent=position + 1)
        await _wait(holds[len(stream.events)])
        match stream.ending:
            case "complete" | "early":
                await send({"type": "http.response.body", "body": b""})
                self._journal.revise(number, completed=stream.ending == "complete")
            case "dropped" | "reset":
                await self._hang_up(scope, reset=stream.ending == "reset")
            case _ as never:
                assert_never(never)

    def _leave(self, number: int) -> None:
        request = self._journal.get(number)
        if request is not None and not request.ended:
            self._journal.revise(number, disconnected_after=request.sent, ended=True)


async def _read(receive: Receive) -> bytes | None:
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def _watch(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _start(send: Send, status: int, headers: Mapping[str, str]) -> None:
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _wait(holds: list[Hold] | tuple[Hold, ...]) -> None:
    for hold in holds:
        await hold.until()


def _parsed(raw: bytes) -> Mapping[str, Any]:
    with suppress(strictjson.MalformedError):
        body = strictjson.read(raw)
        return body if isinstance(body, dict) else {}
    return {}
