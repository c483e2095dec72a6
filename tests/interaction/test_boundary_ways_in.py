"""For one forbidden call all the ways in lead to one refusal, and nothing runs. Cases B028, B029, B031."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from handgriff import Assistant, Call, Caller, Change, Plan, Result, Toolbox
from handgriff.core.events import CallOutcome
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import Configured, Module
from tests.interaction.desk import ADA, WORDS, assistant, decisions, outcomes

pytestmark = pytest.mark.anyio

VARIANTS = [
    "Refund_Order",
    "REFUND_ORDER",
    "refund_order ",
    " refund_order",
    "refund\u200b_order",
    "refund-order",
    "refund_order\n",
    "\uff52efund_order",
]
"""Texts that a lenient reader would take for the tool's name."""


@dataclass(slots=True)
class Shop:
    """A shop whose refunds leave a trace; `can` is what Ada may do at this moment."""

    ran: list[str] = field(default_factory=list)
    can: set[str] = field(default_factory=lambda: {"refund"})

    async def callers(self, tenant: str, user: str) -> Caller | None:
        return replace(ADA, permissions=frozenset(self.can))

    def assistant(self) -> Assistant:
        box = Toolbox("shop")

        @box.tool(effect="irreversible", requires="refund", description=WORDS)
        async def refund_order(order: str) -> Result[None]:
            self.ran.append(order)
            return Result("Refunded.")

        @refund_order.plan
        async def preview(order: str) -> Plan:
            return Plan(f"Refund {order}?", [Change("Paid", "10", "0")])

        @box.tool(effect="write", description=WORDS)
        async def run_by_name(name: str, order: str, call: Call) -> Result[None]:
            return Result((await call.tool(name, {"order": order})).summary)

        @box.tool(effect="write", requires=Module("accounting"), description=WORDS)
        async def book_order(order: str) -> Result[None]:
            self.ran.append(order)
            return Result("Booked.")

        @box.tool(effect="write", requires=Configured("NO_SUCH_VARIABLE"), description=WORDS)
        async def mail_order(order: str) -> Result[None]:
            self.ran.append(order)
            return Result("Mailed.")

        @box.tool(effect="read", description=WORDS)
        async def look() -> Result[None]:
            return Result("Seen.")

        return assistant(box)


def answer(outcome: CallOutcome) -> tuple[object, ...]:
    return outcome.code, outcome.step, outcome.shown, outcome.next, outcome.incident


REFUSED = ("not_found", "There is no such tool.", "Use the tools of your list, by their exact names.")


async def by_the_model(chat: Harness, shop: Shop) -> CallOutcome:
    shop.can.clear()
    await chat.say("Refund it.")
    return (await outcomes(chat))[-1]


async def by_a_program(chat: Harness, shop: Shop) -> CallOutcome:
    shop.can.clear()
    await chat.host.call(ADA, "refund_order", {"order": "o_1"}, session=chat.session.id)
    return (await outcomes(chat))[-1]


async def by_another_tool(chat: Harness, shop: Shop) -> CallOutcome:
    shop.can.clear()
    await chat.host.call(ADA, "run_by_name", {"name": "refund_order", "order": "o_1"}, session=chat.session.id)
    inner, outer = await outcomes(chat)
    assert (inner.parent, inner.tool, outer.code) == (outer.call, "refund_order", "not_found")
    return inner


async def by_a_confirmation(chat: Harness, shop: Shop) -> CallOutcome:
    told = await chat.say("Refund it.")
    shop.can.clear()
    decided = await chat.host.proposals.decide(ADA, told.parked[0].proposal, True)
    assert (decided.proposal.state, await decisions(chat)) == ("failed", ["failed"])
    return decided.outcome


@pytest.mark.parametrize("way", [by_the_model, by_a_program, by_another_tool, by_a_confirmation])
async def test_every_way_in_ends_in_the_same_refusal(way: Callable[[Harness, Shop], object]) -> None:
    """B028, and promise 2 of the product: the right is gone, whichever way the call comes."""
    shop = Shop()
    script = [ToolUse("refund_order", {"order": "o_1"}), "Well."]
    async with harness(shop.assistant(), ADA, script=script, callers=shop.callers) as chat:
        outcome = await way(chat, shop)  # type: ignore[misc]  # each is a coroutine function

        assert (outcome.code, outcome.shown.summary, outcome.next) == REFUSED
        assert outcome.step == "resolve"
        assert outcome.incident is None
        assert shop.ran == []
        assert await chat.host.effects.list("acme", state="done") == ()


@pytest.mark.parametrize("name", [*VARIANTS, "nothing_of_the_kind", "refund_order", "book_order", "mail_order", "", "x" * 300])
async def test_unknown_hidden_and_switched_off_names_are_told_alike(name: str) -> None:
    """B028, B029: no answer tells a name that exists from one that does not; a facade is no way around."""
    shop = Shop(can=set())
    async with harness(shop.assistant(), ADA, callers=shop.callers) as chat:
        outcome = await chat.host.call(ADA, name, {"order": "o_1"}, session=chat.session.id)
        await chat.host.call(ADA, "run_by_name", {"name": name, "order": "o_1"}, session=chat.session.id)

        direct, inner, outer = await outcomes(chat)
        assert outcome.text == f'{{"refused":"{REFUSED[0]}","message":"{REFUSED[1]}","next":"{REFUSED[2]}"}}'
        assert answer(direct) == answer(inner) == (*answer(outer)[:1], "resolve", *answer(outer)[2:])
        assert [direct.tool, inner.tool, outer.tool] == [name, name, "run_by_name"]
        assert shop.ran == []


async def test_the_model_reads_the_same_of_a_hidden_and_of_an_unknown_tool() -> None:
    """B028, B031: three results with matching ids, two of them the same error."""
    shop = Shop(can=set())
    calls = (ToolUse("refund_order", {"order": "o_1"}), ToolUse("refund_urder", {"order": "o_1"}), ToolUse("look", {}))
    async with harness(shop.assistant(), ADA, script=[calls, "Well."], callers=shop.callers) as chat:
        await chat.say("Refund it.")

        asked, results = (message["content"] for message in chat.provider.requests[1].body["messages"][1:])
        hidden, unknown, seen = results
        assert [block["tool_use_id"] for block in results] == [block["id"] for block in asked]
        assert (hidden["content"], hidden["is_error"]) == (unknown["content"], unknown["is_error"])
        assert "is_error" not in seen
        assert chat.provider.violations == ()


async def test_a_tool_that_is_not_offered_is_in_no_request() -> None:
    shop = Shop(can=set())
    async with harness(shop.assistant(), ADA, script=["Hello."], callers=shop.callers) as chat:
        await chat.say("Hello?")

        assert [tool["name"] for tool in chat.provider.requests[0].body["tools"]] == ["look", "run_by_name"]
        assert "refund_order" not in chat.provider.requests[0].raw.decode()
        assert [contract.name for contract in await chat.host.menu(ADA)] == ["look", "run_by_name"]


async def test_an_inner_tool_that_needs_a_person_is_refused_and_nothing_is_parked() -> None:
    """B029: policy and audit use the inner tool."""
    shop = Shop()
    async with harness(shop.assistant(), ADA, callers=shop.callers) as chat:
        await chat.host.call(ADA, "run_by_name", {"name": "refund_order", "order": "o_1"}, session=chat.session.id)

        inner, outer = await outcomes(chat)
        assert (inner.tool, inner.code, inner.step) == ("refund_order", "unconfirmed", "consent")
        assert outer.code == "unconfirmed"
        assert await chat.host.proposals.list(ADA) == []
        assert shop.ran == []


async def test_a_read_may_not_write_through_another_tool() -> None:
    ran: list[str] = []
    box = Toolbox("shop")

    @box.tool(effect="write", description=WORDS)
    async def note(text: str) -> Result[None]:
        ran.append(text)
        return Result("Noted.")

    @box.tool(effect="read", description=WORDS)
    async def peek(call: Call) -> Result[None]:
        return await call.tool("note", {"text": "x"})

    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "peek", {})

        assert outcome.code == "denied"
        assert ran == []


async def test_a_call_that_a_program_may_not_confirm_names_its_proposal() -> None:
    shop = Shop()
    async with harness(shop.assistant(), ADA, callers=shop.callers) as chat:
        outcome = await chat.host.call(ADA, "refund_order", {"order": "o_1"})

        [proposal] = await chat.host.proposals.list(ADA)
        assert outcome.code == "unconfirmed"
        assert json.loads(outcome.text)["link"] == f"/confirm/{proposal.id}"
        assert shop.ran == []
        decided = await chat.host.proposals.decide(ADA, proposal.id, True)
        assert (decided.proposal.state, decided.continues, shop.ran) == ("done", False, ["o_1"])
