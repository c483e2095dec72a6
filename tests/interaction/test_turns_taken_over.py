"""A session taken over from a process that seems dead: nothing is repeated, one end is shown, and the truth is told later. B059, B144."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Host
from handgriff.core.batch import SettleEffect
from handgriff.core.events import CallOutcome, Event, Item, TurnEnded
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.store import Store
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import MODEL, Harness, harness
from handgriff.testing.loopback.script import Answer, Hold, Text, ToolUse
from tests.interaction.bank import Bank, banking, transfer
from tests.interaction.desk import ADA, assistant, decisions, endings, events, outcomes, rows
from tests.interaction.slow import Slow, look, second_host, watched, write

pytestmark = pytest.mark.anyio


def later() -> StillClock:
    """The clock of a process for which the other's lease is over, though not that of its effect; the other one's clock stands still."""
    return StillClock(START + timedelta(seconds=31))


def ends(items: list[Item]) -> list[str]:
    return [item.body.status for item in items if isinstance(item, Event) and isinstance(item.body, TurnEnded)]


PAY = ToolUse("pay", {})


@pytest.mark.parametrize("rest", [(write("b"), PAY), (PAY, write("b"))], ids=["write next", "proposal next"])
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_the_truth_about_a_write_is_told_when_it_comes(kind: str, rest: tuple[ToolUse, ToolUse], tmp_path: Path) -> None:
    """Promise 11: the thief repeats nothing; the late outcome is settled by its claim, and told with the next message, once."""
    slow = Slow()
    store: str | Store = MemoryStore() if kind == "memory" else f"sqlite:///{tmp_path}/h.db"
    script = [(write("a"), *rest), "Nobody knows.", "It was written.", "Yes."]
    async with harness(slow.assistant(), ADA, script=script, store=store, clock=StillClock()) as chat:
        async with second_host(chat, slow, store, later()) as thief:
            old: list[Item] = []
            failures: list[str] = []
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watched, chat.host, chat.session.id, "Write.", old, failures)
                await slow.began.wait()
                stolen = [item async for item in thief.turn(ADA, chat.session.id, "And?")]
                assert [effect.state for effect in await thief.effects.list("acme")] == ["indeterminate"]
                slow.door.set()
            asked = [item async for item in thief.turn(ADA, chat.session.id, "Now?")]
            _ = [item async for item in thief.turn(ADA, chat.session.id, "Sure?")]

        assert (ends(old), ends(stolen), ends(asked), failures) == (["interrupted"], ["done"], ["done"], [])
        assert isinstance(old[-1].body, TurnEnded)
        assert slow.log == ["a began", "a ended"], "a turn that has lost its session begins no other write"
        assert await chat.host.proposals.list(ADA) == []
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        ended = [(outcome.code, outcome.late) for outcome in await outcomes(chat)]
        assert ended == [("indeterminate", False), ("not_run", False), ("not_run", False), (None, True)]
        sent = [request.body["messages"][-1]["content"] for request in chat.provider.requests]
        assert "Written." not in repr(sent[1])
        assert ["whose outcome had been unknown" in repr(content) for content in sent] == [False, False, True, False]
        assert "Written." in sent[2][0]["text"]
        assert chat.provider.violations == ()


@asynccontextmanager
async def taken(slow: Slow, store: Store) -> AsyncIterator[tuple[Harness, Host]]:
    """A conversation whose turn will write and look, and the process that finds it."""
    script = [(write("a"), look("b")), "Well."]
    async with (
        harness(slow.assistant(), ADA, script=script, store=store, clock=StillClock()) as chat,
        second_host(chat, slow, store, later()) as finder,
    ):
        yield chat, finder


async def test_a_message_that_still_streams_is_refused_and_its_row_is_closed() -> None:
    """B144, B145: whoever watched is shown one end, and nothing behind it."""
    slow, store, go = Slow(), MemoryStore(), anyio.Event()
    held = Answer((Text("A long story of many words", chunk=4),), holds=(Hold(5, go.wait),))
    async with harness(slow.assistant(), ADA, script=[held, "Hello."], store=store, clock=StillClock()) as chat:
        old: list[Item] = []
        failures: list[str] = []
        async with second_host(chat, slow, store, later()) as thief, anyio.create_task_group() as tasks:
            tasks.start_soon(watched, chat.host, chat.session.id, "Tell.", old, failures)
            await chat.provider.arrived(0)
            await anyio.wait_all_tasks_blocked()
            stolen = [item async for item in thief.turn(ADA, chat.session.id, "And?")]
            go.set()

        assert (ends(old), ends(stolen), failures) == (["interrupted"], ["done"], [])
        assert isinstance(old[-1].body, TurnEnded)
        assert await endings(chat) == ["interrupted", "done"]
        assert sorted(row.status for row in await rows(chat)) == ["aborted", "ok"]
        assert not any(type(event.body).__name__ in ("AssistantMessage", "PartialMessage") for event in (await chat.events())[:4])


async def test_a_session_deleted_by_a_thief_fails_the_old_turn_with_words() -> None:
    slow, store = Slow(), MemoryStore()
    async with harness(slow.assistant(), ADA, script=[look("a"), "Well."], store=store, clock=StillClock()) as chat:
        failures: list[str] = []
        async with second_host(chat, slow, store, later()) as thief, anyio.create_task_group() as tasks:
            tasks.start_soon(watched, chat.host, chat.session.id, "Look.", [], failures)
            await slow.began.wait()
            await thief.sessions.delete(ADA, chat.session.id)
            slow.door.set()

        assert failures == ["conflict"]


async def test_whoever_finds_a_dead_turn_closes_it_and_only_one_does() -> None:
    slow, store = Slow(), MemoryStore()
    async with taken(slow, store) as (chat, finder), anyio.create_task_group() as tasks:
        tasks.start_soon(watched, chat.host, chat.session.id, "Write.", [], [])
        await slow.began.wait()
        async with anyio.create_task_group() as finders:
            for _ in range(20):
                finders.start_soon(finder.sessions.get, ADA, chat.session.id)

        assert await endings(chat) == ["interrupted"]
        assert [outcome.code for outcome in await outcomes(chat)] == ["indeterminate", "not_run"]
        slow.door.set()


class Overtaken(MemoryStore):
    """A store in which something happens between somebody's reading and their commit of an effect's end, once."""

    meanwhile: Any = None

    async def commit(self, batch: Any, *, durable: bool = False) -> Any:
        if self.meanwhile is not None and any(isinstance(operation, SettleEffect) for operation in batch):
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return await super().commit(batch, durable=durable)


async def test_an_outcome_that_arrives_while_a_dead_turn_is_being_closed_is_kept() -> None:
    """And the turn is closed all the same."""
    slow, store = Slow(), Overtaken()
    async with taken(slow, store) as (chat, finder), anyio.create_task_group() as tasks:
        tasks.start_soon(watched, chat.host, chat.session.id, "Write.", [], [])
        await slow.began.wait()

        async def arrive() -> None:
            slow.door.set()
            while "done" not in [effect.state for effect in await store.effects("acme")]:
                await anyio.lowlevel.checkpoint()

        store.meanwhile = arrive
        await finder.sessions.get(ADA, chat.session.id)

        assert await endings(chat) == ["interrupted"]
        codes = [outcome.code for outcome in await outcomes(chat)]
        assert (codes, len(await events(chat.host, ADA, chat.session.id))) == ([None, "not_run"], 6)


async def test_a_claim_that_is_found_at_the_very_moment_of_its_end_loses_nothing() -> None:
    """The finder has just said that nobody knows; what happened is news then, and the card says it too."""
    bank, slow, store = Bank(), Slow(), Overtaken()
    async with (
        banking(bank, [transfer(), "Nobody knows.", "It was paid."], store=store, clock=StillClock()) as chat,
        second_host(chat, slow, store, StillClock(START + timedelta(seconds=90))) as finder,
    ):
        await chat.say("Pay.")
        store.meanwhile = lambda: finder.sessions.get(ADA, chat.session.id)
        await chat.confirm()
        await chat.say("And?")

        assert (await decisions(chat), bank.paid) == (["running", "indeterminate", "done"], [(10, "acc-2")])
        assert [(outcome.code, outcome.late) for outcome in await outcomes(chat)] == [("indeterminate", False), (None, True)]
        assert "Paid 10 to acc-2." in chat.provider.requests[2].body["messages"][-1]["content"][0]["text"]


async def test_a_confirmed_call_that_outlives_its_claim_is_settled_all_the_same() -> None:
    """Its process was only slow: what it did is the truth, for the card and for the model."""
    bank, slow, store, began, go = Bank(), Slow(), MemoryStore(), anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    bank.carrying_out = hold
    async with (
        banking(bank, [transfer(), "Nobody knows.", "It was paid."], store=store, clock=StillClock()) as chat,
        second_host(chat, slow, store, StillClock(START + timedelta(seconds=90))) as finder,
    ):
        await chat.say("Pay.")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.confirm)
            await began.wait()
            await finder.sessions.get(ADA, chat.session.id)
            assert await decisions(chat) == ["running", "indeterminate"]
            go.set()
        await chat.say("And?")

        assert (await decisions(chat), bank.paid) == (["running", "indeterminate", "done"], [(10, "acc-2")])
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        assert [(outcome.code, outcome.late) for outcome in await outcomes(chat)] == [("indeterminate", False), (None, True)]
        assert "Paid 10 to acc-2." in chat.provider.requests[2].body["messages"][-1]["content"][0]["text"]
        assert chat.provider.violations == ()


async def test_a_decision_that_is_being_carried_out_is_no_part_of_a_dead_turn() -> None:
    """Its own lease says when nobody knows any more; the turn it came from is closed without it."""
    bank, slow, store, clock, began, go = Bank(), Slow(), MemoryStore(), StillClock(), anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    bank.carrying_out = hold
    made = assistant(*bank.assistant().toolboxes, *slow.assistant().toolboxes)
    script = [(transfer(), look("a")), "Paid."]
    async with (
        harness(made, ADA, script=script, callers=bank.callers, store=store, clock=StillClock()) as chat,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(watched, chat.host, chat.session.id, "Pay.", [], [])
        await slow.began.wait()
        [proposal] = await chat.host.proposals.list(ADA)
        model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)
        async with Host(made, store=store, callers=bank.callers, model=MODEL, models=[model], clock=clock) as other:
            async with anyio.create_task_group() as deciding:
                deciding.start_soon(other.proposals.decide, ADA, proposal.id, True)
                await began.wait()
                clock.move(31)
                await other.sessions.get(ADA, chat.session.id)
                assert await endings(chat) == ["interrupted"]
                assert [effect.state for effect in await other.effects.list("acme")] == ["running"]
                go.set()
            async for _ in other.follow(ADA, chat.session.id):
                pass
        await model.close()
        slow.door.set()

    assert (bank.paid, [effect.state for effect in await store.effects("acme")]) == ([(10, "acc-2")], ["done"])
    ended = [event.body for event in await store.events("acme", chat.session.id) if isinstance(event.body, CallOutcome)]
    assert [(outcome.tool, outcome.code, outcome.late) for outcome in ended] == [("look", "not_run", False), ("transfer", None, False)]
