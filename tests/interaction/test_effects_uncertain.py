"""What nobody knows about an effect: an operator or a late outcome decides it, and the model is told once. Case B106."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from handgriff import Refusal
from handgriff.core.claim import read_outcome
from handgriff.core.events import OperatorChange
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA
from tests.interaction.till import Till, pay

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("state", "summary"), [("done", "it was done"), ("failed", "it was not done")])
async def test_an_operator_decides_what_nobody_knows_and_the_model_is_told_once(state: Any, summary: str) -> None:
    till = Till(going_wrong=[TimeoutError()])
    async with harness(till.assistant(), ADA, script=[ToolUse("pay", pay("k1", 10)), "I don't know.", "Ah.", "Yes."]) as chat:
        await chat.say("Pay.")
        record = await chat.host.effects.resolve("acme", "pay", "k1", state, by="ops")

        assert (record.state, record.resolved_by) == (state, "ops")
        assert record.result
        assert summary in read_outcome(record.result).shown.summary
        await chat.say("And?")
        await chat.say("Sure?")
        told, then = (request.body["messages"][-1]["content"] for request in chat.provider.requests[2:])
        assert (summary in told[0]["text"], [block["text"] for block in then]) == (True, ["Sure?"])
        change = next(event.body for event in await chat.events() if isinstance(event.body, OperatorChange))
        assert change.by == "ops"
        with pytest.raises(Refusal) as refusal:
            await chat.host.effects.resolve("acme", "pay", "k1", state, by="ops")
        assert refusal.value.code == "conflict"


async def test_of_many_operators_one_decides() -> None:
    till = Till(going_wrong=[TimeoutError()])
    answers: list[str] = []
    async with harness(till.assistant(), ADA) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10), session=chat.session.id)

        async def resolve(state: Any) -> None:
            try:
                answers.append((await chat.host.effects.resolve("acme", "pay", "k1", state, by=state)).state)
            except Refusal as refusal:
                answers.append(refusal.code)

        async with anyio.create_task_group() as tasks:
            for state in ("done", "failed", "done"):
                tasks.start_soon(resolve, state)

        assert sorted(answers).count("conflict") == 2
        assert len([event for event in await chat.events() if isinstance(event.body, OperatorChange)]) == 1


@pytest.mark.parametrize("name", ["k2", "", "\ud800", "K1", "%"])
async def test_an_effect_of_nobody_is_not_found(name: str) -> None:
    till = Till()
    async with harness(till.assistant(), ADA) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10))

        for tenant, tool, key in (("acme", "pay", name), ("globex", "pay", "k1"), ("acme", name, "k1")):
            with pytest.raises(Refusal, match="There is no such effect"):
                await chat.host.effects.get(tenant, tool, key)


async def test_a_running_call_is_nobodys_to_resolve() -> None:
    till, began, go = Till(), anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    till.paying = hold
    async with harness(till.assistant(), ADA) as chat, anyio.create_task_group() as tasks:
        tasks.start_soon(chat.host.call, ADA, "pay", pay("k1", 10))
        await began.wait()
        with pytest.raises(Refusal) as refusal:
            await chat.host.effects.resolve("acme", "pay", "k1", "failed", by="ops")
        go.set()

    assert refusal.value.code == "conflict"


@asynccontextmanager
async def two_processes(till: Till, clock: StillClock) -> AsyncIterator[tuple[Harness, Harness]]:
    """Whose calls run in the first, as if it were dead to the second: nobody there knows of them but by their records."""
    store = MemoryStore()
    async with (
        harness(till.assistant(), ADA, clock=clock, store=store) as one,
        harness(till.assistant(), ADA, clock=clock, store=store) as other,
    ):
        yield one, other


@pytest.mark.parametrize("tool", ["pay", "pay_twice"])
async def test_a_program_that_died_leaves_an_uncertain_effect_and_no_running_one(tool: str) -> None:
    """Nobody reads its session again, so the operator's look is the access that finds it; inner calls too."""
    till, clock, never = Till(), StillClock(), anyio.Event()
    till.paying = never.wait
    arguments = pay("k1", 10) if tool == "pay" else {"wish": "k1"}
    async with two_processes(till, clock) as (chat, other):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.host.call, ADA, tool, arguments)
            while not till.keys:
                await anyio.wait_all_tasks_blocked()
            assert {record.state for record in await chat.host.effects.list("acme")} == {"running"}
            clock.move(61)

            found = await other.host.effects.list("acme", state="indeterminate")

            assert [record.tool for record in found] == (["pay"] if tool == "pay" else ["pay_twice", "pay"])
            assert (await other.host.effects.resolve("acme", "pay", found[-1].key, "failed", by="ops")).state == "failed"
            assert await other.host.effects.list("acme", state="running") == ()
            never.set()

        assert (await chat.host.effects.get("acme", "pay", found[-1].key)).state == "failed", "what a person decided stands"


async def test_a_late_outcome_is_taken_unless_somebody_has_decided() -> None:
    till, clock, go = Till(), StillClock(), anyio.Event()
    till.paying = go.wait
    async with two_processes(till, clock) as (chat, other):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.host.call, ADA, "pay", pay("k1", 10))
            while not till.keys:
                await anyio.wait_all_tasks_blocked()
            clock.move(61)
            assert len(await other.host.effects.list("acme", state="indeterminate")) == 1
            go.set()

        [record] = await chat.host.effects.list("acme")
        assert (record.state, till.paid) == ("done", [10])
        assert (await chat.host.call(ADA, "pay", pay("k1", 10))).replayed
