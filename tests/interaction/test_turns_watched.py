"""A turn lives on while somebody watches it, and for its grace when nobody does. Case B064."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import anyio
import pytest

from handgriff.core.events import AssistantMessage, Item
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, endings
from tests.interaction.slow import Slow, look, write

pytestmark = pytest.mark.anyio


async def leave(chat: Harness, slow: Slow, *, detach: bool = False) -> None:
    """Begin a turn, and go away while its tool runs."""
    async with aclosing(chat.host.turn(ADA, chat.session.id, "Go.", detach=detach)) as items:
        async for item in items:
            if isinstance(item.body, AssistantMessage):
                break
    await slow.began.wait()
    await anyio.wait_all_tasks_blocked()


async def watching(items: AsyncIterator[Item]) -> None:
    """Read on to where the running turn is."""
    async for item in items:
        if isinstance(item.body, AssistantMessage):
            return


async def settled(chat: Harness) -> list[str]:
    await anyio.wait_all_tasks_blocked()
    return await endings(chat)


async def test_without_grace_a_turn_nobody_watches_stops_at_once() -> None:
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[look("a"), "All is well."], grace=0) as chat:
        await leave(chat, slow)

        assert (slow.log, await endings(chat)) == (["a began", "a cut off"], ["aborted"])
        assert (await chat.say("And now?")).text == "All is well."


async def test_a_turn_nobody_watches_lives_on_for_its_grace() -> None:
    slow, clock = Slow(), StillClock()
    async with harness(slow.assistant(), ADA, script=[look("a"), "All is well."], grace=20, clock=clock) as chat:
        await leave(chat, slow)

        clock.move(19)
        assert await settled(chat) == []
        clock.move(1)
        assert await settled(chat) == ["aborted"]


async def test_whoever_comes_back_within_the_grace_keeps_it_alive() -> None:
    slow, clock = Slow(), StillClock()
    async with harness(slow.assistant(), ADA, script=[look("a"), "All is well."], grace=20, clock=clock) as chat:
        await leave(chat, slow)
        clock.move(19)
        async with aclosing(chat.host.follow(ADA, chat.session.id)) as items:
            await watching(items)
            clock.move(5)
            assert await settled(chat) == []
        await anyio.wait_all_tasks_blocked()
        clock.move(19)
        assert await settled(chat) == []
        clock.move(1)

        assert await settled(chat) == ["aborted"]


async def test_when_the_last_of_two_has_left_it_stops() -> None:
    slow, clock = Slow(), StillClock()
    async with harness(slow.assistant(), ADA, script=[look("a"), "All is well."], grace=20, clock=clock) as chat:
        async with aclosing(chat.host.turn(ADA, chat.session.id, "Go.")) as first:
            await anext(first)
            async with aclosing(chat.host.follow(ADA, chat.session.id)) as second:
                await watching(second)
            await slow.began.wait()
            clock.move(25)
            assert await settled(chat) == []
        await anyio.wait_all_tasks_blocked()
        clock.move(20)

        assert await settled(chat) == ["aborted"]


async def test_a_detached_turn_needs_nobody() -> None:
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[look("a"), "All is well."], grace=0) as chat:
        await leave(chat, slow, detach=True)
        assert await settled(chat) == []
        slow.door.set()
        with anyio.fail_after(5):
            async for _ in chat.host.follow(ADA, chat.session.id):
                pass

        assert await endings(chat) == ["done"]


@pytest.mark.parametrize("grace", [0, 30])
async def test_a_turn_that_goes_on_after_a_decision_waits_for_its_first_watcher_but_not_for_ever(grace: float) -> None:
    slow, clock = Slow(), StillClock()
    async with harness(slow.assistant(), ADA, script=[ToolUse("pay", {}), look("a"), "All is well."], grace=grace, clock=clock) as chat:
        await chat.say("Pay.")
        [proposal] = await chat.host.proposals.list(ADA)
        await chat.host.proposals.decide(ADA, proposal.id, True)
        await slow.began.wait()
        await anyio.wait_all_tasks_blocked()

        clock.move(29)
        assert await settled(chat) == ["waiting"]
        clock.move(1)
        assert await settled(chat) == ["waiting", "aborted"]
        assert slow.log[0] == "paid"


async def test_closing_the_host_ends_its_turns_properly() -> None:
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[(write("a"), look("b")), "All is well."]) as chat:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave, chat, slow)
            await slow.began.wait()
            tasks.start_soon(chat.host.close)
            await anyio.wait_all_tasks_blocked()
            slow.door.set()

        assert slow.log == ["a began", "a ended"]
