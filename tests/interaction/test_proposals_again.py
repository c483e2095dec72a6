"""A wish that is confirmed twice, and a decision that meets a new message half way. Cases B096, B105."""

import anyio
import pytest

from handgriff import Assistant, Call, Plan, Refusal, Result, Toolbox
from handgriff.core.contract import Handler
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, decisions, outcomes, told

pytestmark = pytest.mark.anyio
PAY = ToolUse("pay", {"amount": 10})


def till(paid: list[int], handler: Handler) -> Assistant:
    """One irreversible payment, once for each amount, and a note that hooks may hang on."""
    box = Toolbox("till")

    @box.tool(effect="irreversible", idempotency_key=lambda args, call: str(args.amount), description=WORDS)
    async def pay(amount: int, call: Call) -> Result[None]:
        await handler()
        paid.append(amount)
        return Result(f"Paid {amount}.")

    @pay.plan
    async def preview(amount: int) -> Plan:
        return Plan(f"Pay {amount}?")

    @box.tool(effect="write", description=WORDS)
    async def note() -> Result[None]:
        return Result("Noted.")

    return assistant(box)


async def at_once() -> None:
    """Nothing stands in the way."""


async def broken() -> None:
    raise TimeoutError


async def test_a_second_confirmation_of_the_same_wish_is_what_the_first_came_to() -> None:
    """B105: nothing is paid again, and the second card says the same as the first."""
    paid: list[int] = []
    async with harness(till(paid, at_once), ADA, script=[(PAY, PAY), "Well."]) as chat:
        await chat.say("Pay.")
        first, _ = await chat.confirm()
        second, _ = await chat.confirm()

        assert (first.proposal.state, second.proposal.state) == ("done", "done")
        assert (second.outcome.code, second.outcome.replayed, paid) == (None, True, [10])
        assert ["Paid 10." in text for text in told(chat.provider.requests[1])] == [True, True]


async def test_a_second_confirmation_of_an_uncertain_wish_waits_until_it_is_known() -> None:
    """B105, B106: it is neither paid again nor taken for decided; what the first one is found out to be, the second one is."""
    paid: list[int] = []
    async with harness(till(paid, broken), ADA, script=[(PAY, PAY), "Well."]) as chat:
        await chat.say("Pay.")
        first, _ = await chat.confirm()
        [other] = await chat.host.proposals.list(ADA)
        with pytest.raises(Refusal) as refusal:
            await chat.host.proposals.decide(ADA, other.id, True)
        assert (first.proposal.state, refusal.value.code, paid) == ("indeterminate", "indeterminate", [])
        await chat.host.effects.resolve("acme", "pay", "10", "done", by="ops")

        second, _ = await chat.confirm()
        assert (second.proposal.state, second.outcome.code, second.outcome.replayed, paid) == ("done", None, True, [])


async def test_a_message_that_meets_a_decision_half_way_changes_nothing_of_it() -> None:
    """The message looked when nothing was decided; before it could begin, somebody confirmed, and the money is on its way."""
    paid: list[int] = []
    began, go = anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    made = till(paid, hold)
    async with harness(made, ADA, script=[PAY, "Paid.", "Fine."]) as chat, anyio.create_task_group() as tasks:
        [card] = (await chat.say("Pay.")).parked
        heard: list[str] = []

        @made.after_call
        async def click(told: AfterCall) -> None:
            """Fails at first, so it is told again while the message begins: that is where the person is quicker."""
            heard.append(told.tool)
            if len(heard) == 1:
                raise RuntimeError
            if len(heard) == 2:
                tasks.start_soon(chat.host.proposals.decide, ADA, card.proposal, True)
                await began.wait()

        await chat.host.call(ADA, "note", {})
        with pytest.raises(Refusal, match="conversation_busy"):
            await chat.say("And?")
        assert [effect.state for effect in await chat.host.effects.list("acme", session=chat.session.id)] == ["running"]
        assert await outcomes(chat) == []
        go.set()
        async for _ in chat.host.follow(ADA, chat.session.id):
            pass
        with anyio.fail_after(5):
            while len(chat.provider.requests) < 2:
                await anyio.wait_all_tasks_blocked()

        assert (paid, await decisions(chat)) == ([10], ["running", "done"])
        assert [outcome.code for outcome in await outcomes(chat)] == [None]
