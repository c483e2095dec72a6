"""Proposals of tools that move a workflow: waiting holds nothing, and the gate is asked again when a person confirms."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from handgriff import Assistant, Machine, Plan, Refusal, Result, Toolbox
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, STATES, everybody

pytestmark = pytest.mark.anyio
PAY = ToolUse("pay", {})


class Cashier:
    """Papers are paid when a person has confirmed it, or taken back."""

    def __init__(self) -> None:
        self.paper, self.ran, self.result = Machine("paper", *STATES), list[str](), Result[None]("Paid.")
        self.fails = False

    def assistant(self) -> Assistant:
        """A tool for each step; `pay` and `settle` wait for a person and fire the same."""
        box, paper = Toolbox("cashier"), self.paper

        @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
        def submit() -> Result[None]:
            return Result("Submitted.")

        @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="APPROVE")
        def approve() -> Result[None]:
            return Result("Approved.")

        @box.tool(effect="irreversible", description=WORDS, at=paper.at("review"), fires="REJECT")
        def reject() -> Result[None]:
            return Result("Rejected.")

        @reject.plan
        def no_more() -> Plan:
            return Plan("Reject it?")

        @box.tool(effect="irreversible", description=WORDS, at=paper.at("approved"), fires="DISCHARGE")
        def pay() -> Result[None]:
            self.ran.append("pay")
            if self.fails:
                raise RuntimeError("broken")
            return self.result

        @box.tool(effect="irreversible", description=WORDS, at=paper.at("approved"), fires="DISCHARGE")
        def settle() -> Result[None]:
            self.ran.append("settle")
            return Result("Settled.")

        @pay.plan
        def payment() -> Plan:
            return Plan("Pay it?")

        @settle.plan
        def settlement() -> Plan:
            return Plan("Settle it?")

        @box.tool(effect="write", description=WORDS, at=paper.at("approved"), fires="DISCHARGE")
        def drop() -> Result[None]:
            return Result("Dropped.")

        return Assistant("cashier", instructions="Pay.", toolboxes=[box])

    @asynccontextmanager
    async def approved(self, *script: Any, **options: Any) -> AsyncIterator[Harness]:
        """A conversation whose paper is approved."""
        async with harness(self.assistant(), ADA, callers=everybody, script=script, **options) as chat:
            await call(chat, "submit")
            await call(chat, "approve")
            yield chat


async def call(chat: Harness, tool: str) -> str | None:
    return (await chat.host.call(ADA, tool, {}, session=chat.session.id)).code


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


async def test_what_waits_for_a_person_holds_nothing_and_moves_it_when_confirmed() -> None:
    world = Cashier()
    async with world.approved(PAY, "It is paid.") as chat:
        told = await chat.say("Pay it.")
        assert ([parked.tool for parked in told.parked], world.ran, await state(chat)) == (["pay"], [], "approved")
        decided, after = await chat.confirm()

        assert (decided.proposal.state, await state(chat), world.ran) == ("done", "discharged", ["pay"])
        assert decided.outcome.moved is not None
        assert (decided.outcome.moved.before, decided.outcome.moved.after) == ("approved", "discharged")
        assert after.text == "It is paid."
        [result] = chat.provider.requests[1].body["messages"][-1]["content"]
        assert '"state":"discharged"' in json.dumps(result).replace("\\", "").replace(" ", "")


async def test_a_workflow_that_has_moved_away_refuses_the_confirmed_call_and_the_model_is_told() -> None:
    world = Cashier()
    async with world.approved(PAY, "It was dropped.") as chat:
        await chat.say("Pay it.")
        await call(chat, "drop")
        decided, after = await chat.confirm()

        assert (decided.outcome.code, decided.outcome.step, decided.proposal.state) == ("closed", "gate", "failed")
        assert (world.ran, await host_effects(chat)) == ([], ["submit", "approve", "drop"])
        assert '"refused":"closed"' in json.dumps(chat.provider.requests[1].body["messages"][-1]).replace("\\", "").replace(" ", "")
        assert after.text == "It was dropped."
        assert await chat.host.proposals.list(ADA) == []


async def host_effects(chat: Harness) -> list[str]:
    return [effect.tool for effect in await chat.host.effects.list("acme")]


async def test_of_two_confirmed_at_once_that_fire_the_same_one_runs() -> None:
    world = Cashier()
    async with world.approved((PAY, ToolUse("settle", {})), "One of them.") as chat:
        await chat.say("Pay or settle it.")
        waiting, ended = await chat.host.proposals.list(ADA), list[str | None]()

        async def confirm(proposal: str) -> None:
            try:
                ended.append((await chat.host.proposals.decide(ADA, proposal, approved=True)).outcome.code)
            except Refusal as refusal:
                ended.append(refusal.code)

        async with anyio.create_task_group() as tasks:
            for proposal in waiting:
                tasks.start_soon(confirm, proposal.id)

        assert len(world.ran) == 1
        assert ended.count(None) == 1
        assert set(ended) <= {None, "closed", "conflict"}
        # One that met the other while it ran still waits, and is closed when it is confirmed again.
        left = await chat.host.proposals.list(ADA)
        assert [(await chat.host.proposals.decide(ADA, each.id, approved=True)).outcome.code for each in left] == ["closed"] * len(left)
        assert (await state(chat), len(world.ran)) == ("discharged", 1)


async def test_a_confirmed_call_may_veto_its_transition() -> None:
    world = Cashier()
    world.result = Result("Paid in part.", fires=None)
    async with world.approved(PAY, "In part.") as chat:
        await chat.say("Pay it.")
        decided, _ = await chat.confirm()

        assert (decided.proposal.state, decided.outcome.moved, await state(chat)) == ("done", None, "approved")
        assert await call(chat, "drop") is None


async def test_a_proposal_still_waits_where_an_uncertain_call_holds_the_workflow() -> None:
    world = Cashier()
    async with world.approved((PAY, ToolUse("settle", {})), "Done.") as chat:
        await chat.say("Pay or settle it.")
        first, second = sorted(await chat.host.proposals.list(ADA), key=lambda each: each.tool)
        world.fails = True
        uncertain = await chat.host.proposals.decide(ADA, first.id, approved=True)
        with pytest.raises(Refusal, match="indeterminate"):
            await chat.host.proposals.decide(ADA, second.id, approved=True)

        assert uncertain.proposal.state == "indeterminate"
        assert [each.id for each in await chat.host.proposals.list(ADA)] == [second.id]
        [effect] = await chat.host.effects.list("acme", state="indeterminate")
        await chat.host.effects.resolve("acme", "pay", effect.key, "failed", by="ops")
        assert (await chat.host.proposals.decide(ADA, second.id, approved=True)).outcome.code is None
        assert (await state(chat), world.ran) == ("discharged", ["pay", "settle"])


async def test_a_workflow_that_went_round_and_came_back_is_open_again() -> None:
    """The gate asks where it is, not how often it has moved; what a plan must not survive it says with its version or before values."""
    world = Cashier()
    async with harness(world.assistant(), ADA, callers=everybody, script=[ToolUse("reject", {}), "Rejected."], clock=StillClock()) as chat:
        await call(chat, "submit")
        await chat.say("Reject it.")
        [waiting] = await chat.host.proposals.list(ADA)
        link = await chat.host.call(ADA, "reject", {}, session=chat.session.id)
        assert link.code == "unconfirmed"
        [second] = [each for each in await chat.host.proposals.list(ADA) if each.id != waiting.id]
        await chat.host.proposals.decide(ADA, second.id, approved=True)
        assert await state(chat) == "draft"
        await call(chat, "submit")

        decided, _ = await chat.confirm(waiting.id)
        assert (decided.outcome.code, await state(chat)) == (None, "draft")
