"""What changes in the last moment before a claim, or while its code is sent."""

import asyncio
from typing import Any

import anyio
import pytest

from handgriff import Call, Caller, Change, Plan, Refusal, Result, Toolbox
from handgriff.stores.memory.store import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import harness
from handgriff.tool import CallLimits
from tests.interaction import safe as strongroom
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio


async def test_a_second_person_who_loses_the_right_while_the_plan_is_made_confirms_nothing() -> None:
    """B102: the proposal still waits for somebody else."""
    safe = strongroom.Safe(confirm="second_person")
    async with strongroom.opened(safe, ()) as chat:
        await chat.host.call(strongroom.ADA, "pay", {"amount": 10})
        [proposal] = await strongroom.waiting(chat.host, strongroom.BOB)

        async def checking() -> None:
            if safe.asked[-1] == "ada":
                safe.trusted.discard("bob")

        safe.checking = checking
        with pytest.raises(Refusal, match="not_found"):
            await chat.host.proposals.decide(strongroom.BOB, proposal, approved=True)

        assert safe.paid == []
        assert (await chat.host.proposals.get(strongroom.ADA, proposal)).state == "pending"


class Stray:
    """A sender that waits for something somebody else has cancelled."""

    async def send(self, caller: Caller, text: str) -> None:
        raise asyncio.CancelledError


async def test_a_sender_that_is_cancelled_by_itself_does_not_end_the_turn() -> None:
    safe = strongroom.Safe(confirm="code")
    async with strongroom.opened(safe, [strongroom.pay(), "So."], codes=Stray()) as chat:
        with anyio.fail_after(10):
            told = await chat.say("Pay.")

        assert told.ended.status == "waiting"
        assert len(told.parked) == 1


async def test_a_second_proposal_of_an_uncertain_wish_waits_until_it_is_known() -> None:
    """B106"""
    box, answers = Toolbox("b"), list[Exception | None]([RuntimeError("lost"), None])

    @box.tool(effect="irreversible", description=WORDS)
    async def pay(wish: str, call: Call) -> Result[None]:
        if (error := answers.pop(0)) is not None:
            raise error
        return Result("Paid.")

    @pay.plan
    async def preview(wish: str) -> Plan:
        return Plan("Pay?", [Change("Balance", "1", "0")])

    @pay.idempotency_key
    async def key(args: Any, call: Any) -> str:
        return str(args.wish)

    async with harness(assistant(box), ADA) as chat:
        for _ in range(2):
            await chat.host.call(ADA, "pay", {"wish": "w"}, session=chat.session.id)
        first, second = [proposal.id for proposal in await chat.host.proposals.list(ADA)]
        assert (await chat.host.proposals.decide(ADA, first, approved=True)).proposal.state == "indeterminate"

        with pytest.raises(Refusal, match="still waits"):
            await chat.host.proposals.decide(ADA, second, approved=True)
        await chat.host.effects.resolve("acme", "pay", "w", "failed", by="ops")
        decided = await chat.host.proposals.decide(ADA, second, approved=True)

        assert (decided.proposal.state, answers) == ("done", [])


async def test_a_lease_is_counted_from_the_claim_and_not_from_the_questions_before_it() -> None:
    """B105: a provider that takes its time to say that nothing had happened takes none of the next handler's."""
    clock, box, store = StillClock(), Toolbox("b"), MemoryStore()
    started, go, runs = anyio.Event(), anyio.Event(), list[str]()

    @box.tool(effect="write", description=WORDS, limits=CallLimits(seconds=60))
    async def pay(wish: str) -> Result[None]:
        runs.append("run")
        if len(runs) == 1:
            raise RuntimeError("lost")
        started.set()
        await go.wait()
        return Result("Paid.")

    @pay.idempotency_key
    async def key(args: Any, call: Any) -> str:
        return str(args.wish)

    @pay.reconcile
    async def look(args: Any, call: Any) -> Refusal:
        clock.move(59)
        return Refusal("permanent", "It did not happen.")

    ask = {"tool": "pay", "args": {"wish": "w"}}
    async with harness(assistant(box), ADA, store=store, clock=clock) as one, harness(assistant(box), ADA, store=store, clock=clock) as two:
        assert (await one.host.call(ADA, **ask)).code == "indeterminate"  # type: ignore[arg-type]  # by name
        clock.move(100)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: one.host.call(ADA, **ask))  # type: ignore[arg-type]  # by name
            await started.wait()
            clock.move(32)
            other = await two.host.call(ADA, **ask)  # type: ignore[arg-type]  # by name
            go.set()

    assert (other.code, len(runs)) == ("conflict", 2)
