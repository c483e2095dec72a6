"""A turn that is stopped: reads end, a write that has begun is finished and settled. Cases B059, B064."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from handgriff import Host
from handgriff.core.events import AssistantMessage, Item, Retrying, TurnEnded
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import HttpError
from tests.interaction.desk import ADA, endings, everybody, outcomes, rows
from tests.interaction.slow import Slow, look, write

pytestmark = pytest.mark.anyio


async def stopped_when(chat: Harness, condition: Callable[[Item], bool]) -> TurnEnded:
    """The end of a turn that is stopped as soon as an item meets *condition*."""
    ended: TurnEnded | None = None
    with anyio.fail_after(5):
        async for item in chat.host.turn(ADA, chat.session.id, "Go."):
            if condition(item):
                assert await chat.host.stop(ADA, chat.session.id)
            if isinstance(item.body, TurnEnded):
                ended = item.body
    assert ended is not None
    return ended


async def stopped_after_it_began(chat: Harness, slow: Slow, *, then: Callable[[], None] = lambda: None) -> list[Item]:
    items: list[Item] = []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                items.extend([item async for item in chat.host.turn(ADA, chat.session.id, "Go.")])

            tasks.start_soon(watch)
            await slow.began.wait()
            await anyio.wait_all_tasks_blocked()
            await chat.host.stop(ADA, chat.session.id)
            await anyio.wait_all_tasks_blocked()
            then()
    return items


async def told_codes(chat: Harness) -> list[str | None]:
    return [outcome.code for outcome in await outcomes(chat)]


async def check_goes_on(chat: Harness) -> None:
    """The next message is accepted by the provider and answered."""
    assert (await chat.say("And now?")).text == "All is well."
    assert chat.provider.violations == ()


async def test_a_stop_cuts_reads_off_and_runs_nothing_more() -> None:
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[(look("a"), look("b"), write("c")), "All is well."]) as chat:
        await stopped_after_it_began(chat, slow)

        assert sorted(slow.log) == ["a began", "a cut off", "b began", "b cut off"]
        assert (await told_codes(chat), await endings(chat)) == (["not_run"] * 3, ["aborted"])
        assert await chat.host.effects.list("acme") == ()
        await check_goes_on(chat)


async def test_a_stop_at_the_moment_the_message_ends_cuts_off_reads_that_have_not_begun() -> None:
    """The stop arrives before the calls' tasks have run at all."""
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[(look("a"), look("b")), "All is well."]) as chat:
        ended = await stopped_when(chat, lambda item: isinstance(item.body, AssistantMessage))

        assert (ended.status, ended.code) == ("aborted", "stop")
        assert not any("ended" in entry for entry in slow.log)
        assert await told_codes(chat) == ["not_run"] * 2
        await check_goes_on(chat)


async def test_a_write_that_has_begun_is_finished_and_settled() -> None:
    """B064: its true outcome is recorded; what stood behind it is not run."""
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[(write("a"), write("b"), look("c")), "All is well."]) as chat:
        await stopped_after_it_began(chat, slow, then=slow.door.set)

        assert slow.log == ["a began", "a ended"]
        assert await told_codes(chat) == [None, "not_run", "not_run"]
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        await check_goes_on(chat)


async def test_a_write_that_has_not_been_claimed_yet_is_not_begun_after_a_stop() -> None:
    slow = Slow(at_authority=True)
    async with harness(slow.assistant(), ADA, script=[write("a"), "All is well."]) as chat:
        await stopped_after_it_began(chat, slow)

        assert slow.log == ["right of a began", "right of a cut off"]
        assert (await told_codes(chat), await chat.host.effects.list("acme")) == (["not_run"], ())
        await check_goes_on(chat)


async def test_a_stop_while_it_waits_to_retry_sends_nothing_more_and_leaves_no_row_open() -> None:
    async with harness(Slow().assistant(), ADA, script=[HttpError(529), "All is well."], clock=StillClock()) as chat:
        ended = await stopped_when(chat, lambda item: isinstance(item.body, Retrying))

        assert (ended.status, ended.model_requests) == ("aborted", 1)
        assert (len(chat.provider.requests), [row.status for row in await rows(chat)]) == (1, ["failed"])
        await check_goes_on(chat)


async def test_a_stop_where_nothing_runs_says_so() -> None:
    async with harness(Slow().assistant(), ADA, script=["Hello."]) as chat:
        assert not await chat.host.stop(ADA, chat.session.id)
        await chat.say("Hello")
        assert not await chat.host.stop(ADA, chat.session.id)


async def test_a_stop_from_another_replica_holds_within_two_seconds(tmp_path: Path) -> None:
    slow, clock, database = Slow(), StillClock(), f"sqlite:///{tmp_path}/h.db"
    made = slow.assistant()
    async with harness(made, ADA, script=[look("a"), "All is well."], store=database, clock=clock) as chat:
        other = Host(made, store=database, callers=everybody, model="scripted:x", clock=clock)
        async with other, anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Go.")
            await slow.began.wait()
            assert await other.stop(ADA, chat.session.id)
            with anyio.fail_after(5):
                for _ in range(2):
                    clock.move(1)
                    await anyio.wait_all_tasks_blocked()

        assert (slow.log, await endings(chat)) == (["a began", "a cut off"], ["aborted"])
