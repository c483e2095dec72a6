"""What a running turn's subscribers see, without a turn."""

from datetime import UTC, datetime

import anyio
import pytest

from handgriff.core.events import AssistantMessage, Event, Item, SessionCreated, TextDelta
from handgriff.runtime.live import Live

pytestmark = pytest.mark.anyio


def event(seq: int, request: str = "") -> Event:
    body = AssistantMessage(request, "text", "end") if request else SessionCreated("ada")
    return Event(seq, f"e{seq}", "t1", datetime(2026, 3, 2, tzinfo=UTC), body)


async def read(live: Live, after: tuple[int, int] = (0, 0)) -> list[Item]:
    return [item async for item in live.watch(after)]


def test_before_anything_has_happened_everything_comes_from_the_store() -> None:
    live = Live("t1")
    live.begin_after(7)

    assert (live.first_seq, live.last_seq) == (8, 7)


def test_a_frame_that_comes_first_stands_behind_an_event_of_the_store() -> None:
    live = Live("t1")
    live.begin_after(7)

    live.send(TextDelta("r1", "Hel"))

    assert live.first_seq == 8


def test_an_event_that_comes_first_is_its_own() -> None:
    live = Live("t1")
    live.begin_after(7)

    live.store(event(8))

    assert (live.first_seq, live.last_seq) == (8, 8)


async def test_a_finished_message_takes_the_place_of_its_frames_alone() -> None:
    live = Live("t1")
    live.begin_after(7)
    live.send(TextDelta("r1", "Hel"))
    live.send(TextDelta("r2", "Other"))

    live.store(event(8, "r1"))
    live.end()

    assert [type(item.body).__name__ for item in await read(live)] == ["TextDelta", "AssistantMessage"]


async def test_somebody_who_is_slow_is_told_the_same_in_the_same_order() -> None:
    live = Live("t1")
    live.store(event(1))
    watcher = live.watch()

    first = await anext(watcher)
    live.store(event(2))
    live.store(event(3))
    live.end()

    assert [first, *[item async for item in watcher]] == await read(live)
    assert await read(live, (2, 0)) == [event(3)]


async def test_a_failure_is_raised_behind_what_there_was() -> None:
    live = Live("t1")
    live.store(event(1))
    live.end(LookupError("gone"))
    watcher = live.watch()

    assert await anext(watcher) == event(1)
    with pytest.raises(LookupError, match="gone"):
        await anext(watcher)


async def test_it_knows_whether_anybody_watches() -> None:
    live = Live("t1")
    live.store(event(1))
    assert live.left.is_set()

    first, second = live.watch(), live.watch()
    await anext(first)
    await anext(second)
    await first.aclose()
    with anyio.move_on_after(0):
        await live.left.wait()
        raise AssertionError("one of two still watches")
    await second.aclose()

    assert (live.subscribers, live.left.is_set()) == (0, True)
