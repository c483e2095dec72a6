"""A write whose session or proposal has gone while it ran: what became of it stays known, and nobody is told that it was not done."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Call, Refusal
from handgriff.core.batch import DeleteSession
from handgriff.core.claim import read_outcome
from handgriff.core.events import CallOutcome
from handgriff.core.outcome import Outcome
from handgriff.runtime.decide import Decided
from handgriff.stores.memory import MemoryStore
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.books import Books, keeping
from tests.interaction.desk import ADA
from tests.interaction.gated import Gated, gated

pytestmark = pytest.mark.anyio
_MOMENT = timedelta(seconds=1)
LEASE_SECONDS = 200
"""Longer than any claim's."""


@pytest.mark.parametrize("way", ["deleted", "rewound"])
async def test_a_late_outcome_is_kept_although_what_asked_for_it_is_gone(way: str) -> None:
    world, clock, store = Gated(), StillClock(), MemoryStore()
    answers: list[Decided] = []
    # Whoever looks is another process: the one that runs a call knows that it does, whatever the clock says.
    async with (
        gated(world, [ToolUse("order", {"amount": 10}), "Waiting."], store=store, clock=clock) as chat,
        gated(world, store=store, clock=clock) as other,
    ):
        await chat.say("Pay.")
        [proposal] = await chat.host.proposals.list(ADA)

        async def confirm() -> None:
            answers.append(await chat.host.proposals.decide(ADA, proposal.id, True))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(confirm)
            await world.began.wait()
            clock.move(LEASE_SECONDS)
            await other.host.sessions.get(ADA, chat.session.id)
            assert [effect.state for effect in await store.effects("acme")] == ["indeterminate"]
            if way == "deleted":
                await other.host.sessions.delete(ADA, chat.session.id)
            else:
                await other.host.sessions.rewind(ADA, chat.session.id, 1)
            world.gate.set()

        [record] = await store.effects("acme")
        assert (world.paid, record.state, summary(record.result)) == ([10], "done", "Paid 10.")
        assert [(decided.outcome.code, decided.outcome.shown.summary) for decided in answers] == [(None, "Paid 10.")]
        await chat.host.call(ADA, "pay", {"amount": 0})
        assert "Paid 10." in world.told
        late = [event.body for event in await store.events("acme", chat.session.id) if isinstance(event.body, CallOutcome)]
        assert [body.shown.summary for body in late if body.late] == (["Paid 10."] if way == "rewound" else [])


async def test_a_write_under_which_the_session_vanishes_is_answered_as_done() -> None:
    """`not_found` would say that nothing was done."""
    world, store = Gated(), MemoryStore()
    answers: list[Outcome] = []
    async with gated(world, store=store) as chat, anyio.create_task_group() as tasks:

        async def call() -> None:
            answers.append(await chat.host.call(ADA, "pay", {"amount": 10}, session=chat.session.id))

        tasks.start_soon(call)
        await world.began.wait()
        [running] = await store.effects("acme")
        await store.commit((DeleteSession("acme", chat.session.id, running.claimed_at),))
        world.gate.set()

    [record] = await store.effects("acme")
    assert [(answer.code, answer.shown.summary) for answer in answers] == [(None, "Paid 10.")]
    assert (record.state, summary(record.result), world.told) == ("done", "Paid 10.", ["Paid 10."])


async def test_rows_of_a_transaction_are_not_kept_without_their_session(tmp_path: Path) -> None:
    """Rows and outcome are one commit, or none: it has failed, for certain."""
    books = Books(f"sqlite:///{tmp_path / 'books.db'}")

    async def vanish(call: Call) -> None:
        store = SqliteStore.open(tmp_path / "books.db")
        [running] = await store.effects("acme", state="running")
        await store.commit((DeleteSession("acme", running.session, running.claimed_at),))
        await store.close()

    books.before = vanish
    async with keeping(books) as chat:
        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"}, session=chat.session.id)

        [record] = await chat.host.effects.list("acme")
        assert (outcome.code, record.state, await books.rows(), books.told) == ("transient", "failed", [], [])


class Racing(MemoryStore):
    """A store in which something happens just before the next commit that removes."""

    removing: Any = None

    async def commit(self, batch: Any, *, durable: bool = False) -> Any:
        removes = any(type(operation).__name__ in ("DeleteSession", "RewindSession", "Erase") for operation in batch)
        if removes and (happens := self.removing) is not None:
            self.removing = None
            await happens()
        return await super().commit(batch, durable=durable)


@pytest.mark.parametrize("way", ["delete", "rewind", "erase a user", "erase a tenant", "collect"])
@pytest.mark.parametrize("when", ["before", "in between"])
async def test_nothing_is_removed_under_a_running_write(way: str, when: str) -> None:
    world, store, clock = Gated(), Racing(), StillClock()
    answers: list[object] = []
    async with gated(world, ["Hello."], store=store, clock=clock) as chat, anyio.create_task_group() as tasks:
        await chat.say("Hello.")

        async def call() -> None:
            answers.append((await chat.host.call(ADA, "pay", {"amount": 10}, session=chat.session.id)).code)

        async def begin() -> None:
            tasks.start_soon(call)
            await world.began.wait()

        if when == "before":
            await begin()
        else:
            store.removing = begin
        removed = await _removed(chat, clock, way)
        world.gate.set()

    [record] = await store.effects("acme")
    assert removed in ("conversation_busy", "conflict", 0)
    assert (answers, world.paid, record.state) == ([None], [10], "done")
    assert await store.events("acme", chat.session.id)


async def _removed(chat: Harness, clock: StillClock, way: str) -> object:
    """What the removal was answered; for a collection, how many sessions it deleted."""
    try:
        match way:
            case "delete":
                await chat.host.sessions.delete(ADA, chat.session.id)
            case "rewind":
                await chat.host.sessions.rewind(ADA, chat.session.id, 1)
            case "collect":
                clock.move(5)
                return (await chat.host.collect(idle=_MOMENT)).sessions
            case _:
                await chat.host.erase("acme", "ada" if way == "erase a user" else None)
    except Refusal as refusal:
        return refusal.code
    return None


def summary(result: str | None) -> str:
    assert result is not None
    return read_outcome(result).shown.summary
