"""Exactly what a person was shown runs: its arguments are bound, whatever the application's own checks do to them. Case B094."""

from typing import Any

import pytest

from handgriff import Assistant, Call, Plan, Result, Toolbox
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio
MEMBERS = ["authorize", "validate", "confirm", "idempotency_key", "plan"]


def payroll(paid: list[list[int]], careless: str) -> Assistant:
    """A payment to several people; the function named *careless* adds one to the list it is given."""
    box = Toolbox("payroll")

    def touch(member: str, to: list[int]) -> None:
        if member == careless:
            to.append(666)

    async def may(args: Any, call: Call) -> bool:
        touch("authorize", args.to)
        return True

    async def check(args: Any, call: Call) -> None:
        touch("validate", args.to)

    async def who(args: Any, call: Call) -> str:
        touch("confirm", args.to)
        return "person"

    async def key(args: Any, call: Call) -> str:
        touch("idempotency_key", args.to)
        return "pay-day"

    async def preview(to: list[int]) -> Plan:
        text = f"Pay {to}?"
        touch("plan", to)
        return Plan(text)

    @box.tool(effect="irreversible", authorize=may, validate=check, confirm=who, idempotency_key=key, plan=preview, description=WORDS)
    async def pay(to: list[int]) -> Result[None]:
        paid.append(list(to))
        return Result("Paid.")

    return assistant(box)


@pytest.mark.parametrize("careless", MEMBERS)
async def test_a_check_that_changes_what_it_is_given_changes_nothing_of_what_runs(careless: str) -> None:
    """The card's stored arguments are what the handler is given."""
    paid: list[list[int]] = []
    async with harness(payroll(paid, careless), ADA, script=[ToolUse("pay", {"to": [1, 2]}), "Paid."]) as chat:
        await chat.say("Pay.")
        [card] = await chat.host.proposals.list(ADA)
        assert card.arguments == '{"to":[1,2]}'

        decided, _ = await chat.confirm()
        assert (decided.proposal.state, paid) == ("done", [[1, 2]])
