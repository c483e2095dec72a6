"""Garbage collection: what is expired or idle goes, what lives or came to life meanwhile stays, and so does what was spent.

Cases B007, B008.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import anyio
import pytest

from handgriff import Caller, Host, Refusal
from handgriff.stores.memory.store import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import Answer, Hold, Text, ToolUse
from tests.interaction.desk import ADA, BOB, EVE, everybody, rows
from tests.interaction.notepad import notepad

pytestmark = pytest.mark.anyio
DAY = 86_400.0
IDLE = timedelta(days=14)


async def note(chat: Harness, session: str, caller: Caller = ADA) -> None:
    """Write a scratch record, which lives for a day."""
    assert (await chat.host.call(caller, "note", {"text": "a"}, session=session)).code is None


async def ids(host: Host, caller: Caller) -> set[str]:
    return {session.id for session in await host.sessions.list(caller)}


class InterruptedStore(MemoryStore):
    """A store in which something happens between listing what is idle and deleting it."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    async def idle(self, tenant: str, before: datetime, *, limit: int = 100) -> Sequence[str]:
        """The idle sessions, as they were before `meanwhile`."""
        found = await super().idle(tenant, before, limit=limit)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return found


async def test_what_came_to_life_during_the_sweep_survives_it() -> None:
    """B007: a and b are idle and listed; then a is used and c created; only b is deleted."""
    clock, store = StillClock(), InterruptedStore()
    async with harness(notepad(), ADA, store=store, clock=clock) as chat:
        a, b = chat.session.id, (await chat.host.sessions.create(ADA)).id
        clock.move(15 * DAY)
        created: list[str] = []

        async def meanwhile() -> None:
            await note(chat, a)
            created.append((await chat.host.sessions.create(ADA)).id)

        store.meanwhile = meanwhile
        collected = await chat.host.collect(idle=IDLE)

        assert collected.sessions == 1
        assert await ids(chat.host, ADA) == {a, *created}
        assert b not in created
        assert [record.session for record in await chat.host.scratch.list("acme")] == [a]


async def test_a_scratch_record_is_collected_when_its_time_is_over_and_not_before() -> None:
    clock = StillClock()
    async with harness(notepad(), ADA, clock=clock) as chat:
        other = await chat.host.sessions.create(ADA)
        await note(chat, chat.session.id)
        clock.move(DAY - 1)
        await note(chat, other.id)
        assert (await chat.host.collect()).records == 0
        clock.move(1)

        assert (await chat.host.collect()).records == 1
        assert (await chat.host.collect()).records == 0
        assert [record.session for record in await chat.host.scratch.list("acme")] == [other.id]


async def test_what_was_spent_stays_and_what_waited_never_runs() -> None:
    """B008: the idle session goes with its pending proposal, its ledger row stays as it was."""
    clock, seen = StillClock(), list[object]()
    async with harness(notepad(seen), ADA, script=[ToolUse("burn", {"text": "INV-7"})], clock=clock) as chat:
        await chat.say("Burn it.")
        [waiting] = await chat.host.proposals.list(ADA)
        spent = await rows(chat)
        clock.move(15 * DAY)
        collected = await chat.host.collect(idle=IDLE)

        assert collected.sessions == 1
        assert await rows(chat) == spent
        assert spent[0].cost_pico
        with pytest.raises(Refusal) as refusal:
            await chat.host.proposals.decide(ADA, waiting.id, True)
        assert refusal.value.code == "not_found"
        assert seen == []
        engine = await chat.host.engine()
        assert await engine.store.events("acme", chat.session.id) == ()
        assert not await engine.store.proposals("acme")


async def test_only_what_is_idle_for_that_long_goes_and_only_of_the_tenant_that_is_named() -> None:
    clock = StillClock()
    async with harness(notepad(), ADA, callers=everybody, clock=clock) as chat:
        hers = (await chat.host.sessions.create(EVE)).id
        clock.move(10 * DAY)
        young = (await chat.host.sessions.create(ADA)).id
        clock.move(5 * DAY)

        assert (await chat.host.collect(idle=timedelta(days=15, seconds=1))).sessions == 0
        assert (await chat.host.collect(tenant="globex", idle=IDLE)).sessions == 1
        assert await ids(chat.host, EVE) == set()
        assert (await chat.host.collect(idle=IDLE)).sessions == 1
        assert await ids(chat.host, ADA) == {young}
        assert hers not in await ids(chat.host, ADA)


async def test_more_sessions_than_one_step_are_all_deleted() -> None:
    clock = StillClock()
    async with harness(notepad(), ADA, callers=everybody, clock=clock) as chat:
        for _ in range(230):
            await chat.host.sessions.create(BOB)
        clock.move(15 * DAY)

        assert (await chat.host.collect(idle=IDLE)).sessions == 231


async def test_a_session_in_which_a_turn_runs_is_not_idle() -> None:
    """However long its answer takes: its lease is renewed."""
    asked, released = anyio.Event(), anyio.Event()

    async def until() -> None:
        asked.set()
        await released.wait()

    async with harness(notepad(), ADA, script=[Answer((Text("Done."),), holds=(Hold(0, until),))]) as chat:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(chat.say, "Go.")
                await asked.wait()
                collected = await chat.host.collect(idle=timedelta(microseconds=1))
                released.set()

        assert collected.sessions == 0
        assert await ids(chat.host, ADA) == {chat.session.id}


@pytest.mark.parametrize("idle", [timedelta(0), timedelta(days=-1)], ids=["none", "less than none"])
async def test_no_time_is_refused_and_nothing_is_deleted(idle: timedelta) -> None:
    """B006."""
    async with harness(notepad(), ADA) as chat:
        with pytest.raises(Refusal) as refusal:
            await chat.host.collect(idle=idle)

        assert refusal.value.code == "invalid"
        assert await ids(chat.host, ADA) == {chat.session.id}
