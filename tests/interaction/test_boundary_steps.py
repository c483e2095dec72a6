"""The steps stand in one order; each refusal carries its step, and nothing behind it is reached. Cases B103, B107."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

from handgriff import Assistant, Call, Caller, Known, Plan, Refusal, Result, Toolbox
from handgriff.runtime.boundary.attempt import STEPS
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, outcomes

pytestmark = pytest.mark.anyio


@dataclass(slots=True)
class Ladder:
    """A tool that can refuse at every step: `refuses` names the steps that do. `reached` is what was asked, in order."""

    refuses: set[str]
    reached: list[str] = field(default_factory=list)

    def ask(self, what: str, step: str) -> None:
        self.reached.append(what)
        if step in self.refuses:
            raise Refusal("conflict", f"{what} says no.")

    async def callers(self, tenant: str, user: str) -> Caller | None:
        self.reached.append("rights")
        return Caller(tenant, user, permissions=set() if "resolve" in self.refuses else {"note"})

    def assistant(self) -> Assistant:
        box = Toolbox("ladder")

        @box.tool(effect="write", requires="note", description=WORDS)
        async def climb(rung: Annotated[str, Known("rung")], times: int, call: Call) -> Result[None]:
            self.ask("handler", "effect")
            return Result("Climbed.")

        @climb.authorize
        async def owns(args: Any, call: Call) -> bool:
            self.ask("authorize", "authority")
            return True

        @climb.validate
        async def is_steady(args: Any, call: Call) -> None:
            self.ask("validate", "meaning")

        @climb.before_call
        async def is_open(tool: str, args: Any, call: Call) -> None:
            self.ask("before_call", "hook")

        @climb.plan
        async def preview(rung: str) -> Plan:
            self.ask("plan", "consent")
            return Plan("Climb?")

        @climb.idempotency_key
        async def key(args: Any, call: Call) -> str:
            self.ask("key", "key")
            return str(args.rung)

        return assistant(box)

    def call(self) -> ToolUse:
        rung = "r_99" if "known" in self.refuses else "r_17"
        return ToolUse("climb", {"rung": rung, "times": "many" if "form" in self.refuses else 1})


ORDER: list[tuple[str, str, str, list[str]]] = [
    # what refuses, the step on its event, the code, what was reached
    ("resolve", "resolve", "not_found", ["rights"]),
    ("form", "form", "invalid", ["rights"]),
    ("authority", "authority", "conflict", ["rights", "authorize"]),
    ("known", "meaning", "invalid", ["rights", "authorize"]),
    ("meaning", "meaning", "conflict", ["rights", "authorize", "validate"]),
    ("hook", "meaning", "conflict", ["rights", "authorize", "validate", "before_call"]),
    ("consent", "consent", "conflict", ["rights", "authorize", "validate", "before_call", "plan"]),
]


@pytest.mark.parametrize("at", range(len(ORDER)), ids=[what for what, *_ in ORDER])
async def test_the_first_step_that_refuses_decides(at: int) -> None:
    """Every later step would refuse as well; none of them is asked."""
    _, step, code, reached = ORDER[at]
    ladder = Ladder({what for what, *_ in ORDER[at:]} | {"key", "effect"})
    async with harness(ladder.assistant(), ADA, script=[ladder.call(), "Well."], callers=ladder.callers) as chat:
        await chat.say("Climb r_17.")

        [outcome] = await outcomes(chat)
        assert (outcome.step, outcome.code) == (step, code)
        assert ladder.reached[1:] == reached, "the first rights were read for the menu"
        assert await chat.host.proposals.list(ADA) == []
        assert await chat.host.effects.list("acme") == ()


async def test_a_confirmed_call_passes_every_step_again_and_then_runs() -> None:
    ladder = Ladder(set())
    async with harness(ladder.assistant(), ADA, script=[ladder.call(), "Done."], callers=ladder.callers) as chat:
        await chat.say("Climb r_17.")
        ladder.reached.clear()

        _, told = await chat.confirm()

        assert ladder.reached == ["rights", "authorize", "validate", "before_call", "plan", "key", "handler"]
        assert told.text == "Done."


@pytest.mark.parametrize("late", ["resolve", "authority", "meaning", "hook", "consent", "key", "effect"])
async def test_each_step_can_stop_a_confirmed_call(late: str) -> None:
    """B102: what had been true when it was planned is asked again."""
    ladder = Ladder(set())
    async with harness(ladder.assistant(), ADA, script=[ladder.call(), "Well."], callers=ladder.callers) as chat:
        await chat.say("Climb r_17.")
        ladder.refuses = {late}

        decided, _ = await chat.confirm()

        step = {"hook": "meaning", "key": "effect"}.get(late, late)
        assert (decided.outcome.step, decided.outcome.code is None) == (step, False)
        assert decided.proposal.state == ("stale" if late == "consent" else "failed")
        assert ("handler" in ladder.reached) == (late == "effect")


async def test_a_validator_that_fails_in_its_own_way_ends_the_call_and_not_the_turn() -> None:
    """B107: the layer of meaning raises something of its own; the other call of the round goes on."""

    class ConfirmationRequiredError(Exception):
        pass

    box = Toolbox("files")

    @box.tool(effect="write", description=WORDS)
    async def delete_file(path: str) -> Result[None]:
        return Result(f"Deleted {path}.")

    @delete_file.validate
    async def is_mine(args: Any, call: Call) -> None:
        if args.path.startswith("/etc"):
            raise ConfirmationRequiredError(args.path)

    calls = (ToolUse("delete_file", {"path": "/etc/x"}), ToolUse("delete_file", {"path": "/home/x"}))
    async with harness(assistant(box), ADA, script=[calls, "One of two."]) as chat:
        told = await chat.say("Delete both.")

        refused, done = told.outcomes
        assert (refused.code, refused.step) == ("permanent", "meaning")
        assert refused.incident
        assert done.code is None
        assert told.ended.status == "done"


@pytest.mark.parametrize("answer", [None, False, 1, "yes", object()])
async def test_only_true_is_a_right(answer: object) -> None:
    ran: list[str] = []
    box = Toolbox("rows")

    @box.tool(effect="write", authorize=lambda args, call: answer, description=WORDS)
    async def change(row: str) -> Result[None]:
        ran.append(row)
        return Result("Changed.")

    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "change", {"row": "r"})

        assert (outcome.code, ran) == ("denied", [])


def test_the_steps_are_the_seven_of_the_contract() -> None:
    assert STEPS == ("resolve", "form", "authority", "gate", "meaning", "consent", "effect")
