"""Handlers that call other tools of the same workflow: a held instance is held against them too, a free one moves between their calls."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from handgriff import Assistant, Call, Machine, Refusal, Result, Toolbox
from handgriff.core.events import CallOutcome
from handgriff.machine import State
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, STATES, everybody

pytestmark = pytest.mark.anyio
Work = Callable[[Call], Awaitable[Result[Any]]]


class Nest:
    """A workflow whose outer tools do what a test says."""

    def __init__(self, work: Work, **kept: Any) -> None:
        self.work, self.paper, self.ran = work, Machine("paper", *STATES, **kept), list[str]()

    def assistant(self) -> Assistant:
        """One outer tool that fires, one that is bound, one that is free, one that reads; and the inner ones."""
        box, paper = Toolbox("nest"), self.paper

        async def outer(call: Call) -> Result[Any]:
            return await self.work(call)

        box.tool(effect="write", name="firing", description=WORDS, at=paper.at("draft"), fires="SUBMIT")(outer)
        box.tool(effect="write", name="bound", description=WORDS, at=paper.at("draft"))(outer)
        box.tool(effect="write", name="free", description=WORDS)(outer)
        box.tool(effect="read", name="reading", description=WORDS)(outer)

        @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
        def submit() -> Result[None]:
            self.ran.append("submit")
            return Result("Submitted.")

        @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="APPROVE")
        def approve() -> Result[None]:
            self.ran.append("approve")
            return Result("Approved.")

        @box.tool(effect="write", description=WORDS, at=paper.at("draft"))
        def amend() -> Result[None]:
            self.ran.append("amend")
            return Result("Amended.")

        @box.tool(effect="write", description=WORDS, at=paper.at("approved"), fires="DISCHARGE")
        def discharge() -> Result[None]:
            return Result("Discharged.")

        return Assistant("nest", instructions="You test.", toolboxes=[box])


async def call(chat: Harness, tool: str) -> str | None:
    return (await chat.host.call(ADA, tool, {}, session=chat.session.id)).code


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


async def codes(call: Call, *tools: str) -> Result[Any]:
    """How each of them ended."""
    ended: list[str] = []
    for tool in tools:
        try:
            await call.tool(tool, {})
            ended.append("done")
        except Refusal as refusal:
            ended.append(refusal.code)
    return Result("Called.", ended)


async def test_a_firing_call_holds_its_instance_against_firing_calls_of_its_own() -> None:
    nest = Nest(lambda call: codes(call, "submit", "amend", "approve"))
    async with harness(nest.assistant(), ADA, callers=everybody) as chat:
        outcome = await chat.host.call(ADA, "firing", {}, session=chat.session.id)

        assert json.loads(outcome.text)["data"] == ["conflict", "done", "closed"]
        assert (nest.ran, await state(chat)) == (["amend"], "review")
        assert await call(chat, "approve") is None


@pytest.mark.parametrize("outer", ["free", "bound"])
async def test_a_write_that_moves_nothing_itself_may_move_it_step_by_step(outer: str) -> None:
    nest = Nest(lambda call: codes(call, "amend", "submit", "submit", "amend", "approve"))
    async with harness(nest.assistant(), ADA, callers=everybody) as chat:
        outcome = await chat.host.call(ADA, outer, {}, session=chat.session.id)

        assert json.loads(outcome.text)["data"] == ["done", "done", "closed", "closed", "done"]
        assert (nest.ran, await state(chat)) == (["amend", "submit", "approve"], "approved")
        moved = [event.body.moved.after for event in await chat.events() if isinstance(event.body, CallOutcome) and event.body.moved]
        assert moved == ["review", "approved"]


async def test_an_inner_transition_stays_where_its_outer_call_fails() -> None:
    """What has happened in the world has happened."""

    async def work(call: Call) -> Result[Any]:
        await call.tool("submit", {})
        raise Refusal("denied", "Not today.")

    nest = Nest(work)
    async with harness(nest.assistant(), ADA, callers=everybody) as chat:
        assert (await call(chat, "free"), await state(chat)) == ("denied", "review")


async def test_a_read_moves_nothing_by_calling_another_tool() -> None:
    nest = Nest(lambda call: codes(call, "submit"))
    async with harness(nest.assistant(), ADA, callers=everybody) as chat:
        outcome = await chat.host.call(ADA, "reading", {}, session=chat.session.id)

        assert json.loads(outcome.text)["data"] == ["denied"]
        assert (nest.ran, await state(chat)) == ([], "draft")


async def test_what_calls_inside_a_call_have_moved_is_told_with_its_own_result() -> None:
    machine = Machine("invoice", State("open", on={"PAY": "paid"}), State("paid", type="final"), instance="handle")
    box = Toolbox("invoices")

    @box.tool(effect="write", description=WORDS, starts=machine)
    async def begin() -> Result[None]:
        return Result("Begun.")

    @box.tool(effect="write", description=WORDS, at=machine.at("open"), fires="PAY")
    async def pay() -> Result[None]:
        return Result("Paid.")

    @box.tool(effect="write", description=WORDS)
    async def prepare(call: Call) -> Result[None]:
        await call.tool("begin", {})
        return Result("Prepared.")

    async with harness(Assistant("office", instructions="Help.", toolboxes=[box]), ADA, callers=everybody) as chat:
        told = json.loads((await chat.host.call(ADA, "prepare", {}, session=chat.session.id)).text)
        [begun] = told["workflows"]

        assert (begun["machine"], begun["state"]) == ("invoice", "open")
        assert (await chat.host.call(ADA, "pay", {"invoice": begun["invoice"]}, session=chat.session.id)).code is None
