from collections.abc import AsyncGenerator

import anyio
import pytest
from anyio import fail_after
from starlette.types import Message

from handgriff.core.events import TurnEnded
from handgriff.http.sse import PING, PING_SECONDS, EventStream, frame, frames
from tests.unit.http.items import event

pytestmark = pytest.mark.anyio


async def never() -> Message:
    await anyio.sleep_forever()
    raise AssertionError


def test_a_frame_ends_in_two_line_feeds_and_holds_one_line() -> None:
    assert frame({"text": "a\nb\r\nc\u2028d\u2029e\u0085f\U0001f600"}) == (
        'data: {"text":"a\\nb\\r\\nc\\u2028d\\u2029e\\u0085f\U0001f600"}\n\n'.encode()
    )
    assert frame({"n": 1}, "3.0") == b'id: 3.0\ndata: {"n":1}\n\n'


def test_only_the_last_event_of_an_item_carries_its_id() -> None:
    item = event(3, TurnEnded("done"))

    assert frames([{"n": 1}, {"n": 2}], item) == b'data: {"n":1}\n\nid: 3.0\ndata: {"n":2}\n\n'
    assert frames([], item) == b""
    assert frames([{"n": 1}]) == b'data: {"n":1}\n\n'


async def test_while_nothing_is_said_a_comment_comes_every_ten_seconds_B146() -> None:
    slept: list[float] = []
    wake, heard = anyio.Semaphore(0), anyio.Event()
    sent: list[bytes] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await wake.acquire()

    async def source() -> AsyncGenerator[bytes, None]:
        yield frame({"n": 1})
        await heard.wait()
        yield frame({"n": 2})

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))
        if sent.count(PING) == 2:
            heard.set()

    wake.release()
    wake.release()
    with fail_after(5):
        await EventStream(source(), sleep=sleep)({}, never, send)

    assert sent == [b"", frame({"n": 1}), PING, PING, frame({"n": 2}), b""]
    assert set(slept) == {PING_SECONDS} == {10.0}
    assert PING == b": ping\n\n"


async def test_a_client_that_goes_away_closes_the_source_and_nothing_else() -> None:
    closed, gone = anyio.Event(), anyio.Event()

    async def source() -> AsyncGenerator[bytes, None]:
        try:
            yield b"one"
            gone.set()
            await anyio.sleep_forever()
        finally:
            closed.set()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        await anyio.lowlevel.checkpoint()

    with fail_after(5):
        await EventStream(source())({}, receive, send)

    assert closed.is_set()


async def test_a_source_is_closed_although_nothing_could_be_sent() -> None:
    closed = anyio.Event()

    async def source() -> AsyncGenerator[bytes, None]:
        try:
            yield b"one"
            yield b"two"
        finally:
            closed.set()

    async def send(message: Message) -> None:
        raise ConnectionResetError

    await EventStream(source())({}, never, send)

    assert closed.is_set()
