"""Arguments that cannot be guessed: an id counts when a tool returned it or the user typed it, in this session. Promise 9."""

from typing import Annotated

import pytest
from pydantic import BaseModel

from handgriff import Assistant, Call, Known, Result, Toolbox
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, told

pytestmark = pytest.mark.anyio
OrderId = Annotated[str, Known("order")]


class Order(BaseModel):
    id: OrderId
    note: str = "o_99"


def shop(ran: list[str]) -> Assistant:
    box = Toolbox("shop")

    @box.tool(effect="read", description=WORDS)
    async def list_orders() -> Result[list[Order]]:
        return Result("Two orders.", [Order(id="o_17"), Order(id="o_18")])

    @box.tool(effect="read", requires="secret.right", description=WORDS)
    async def list_secret_orders() -> Result[list[Order]]:
        return Result("One order.", [Order(id="o_1")])

    @box.tool(effect="write", description=WORDS)
    async def cancel(order: OrderId) -> Result[None]:
        ran.append(order)
        return Result(f"Cancelled {order}.")

    @box.tool(effect="write", description=WORDS)
    async def cancel_many(orders: list[OrderId]) -> Result[None]:
        ran.extend(orders)
        return Result("Cancelled.")

    @box.tool(effect="write", description=WORDS)
    async def note(customer: Annotated[str, Known("customer")]) -> Result[None]:
        return Result("Noted.")

    @box.tool(effect="write", description=WORDS)
    async def cancel_for_me(order: str, call: Call) -> Result[None]:
        return await call.tool("cancel", {"order": order})

    return assistant(box)


def cancel(order: str) -> ToolUse:
    return ToolUse("cancel", {"order": order})


async def codes(chat: Harness, text: str) -> list[str | None]:
    return [outcome.code for outcome in (await chat.say(text)).outcomes]


async def test_a_guessed_id_is_refused_and_the_tool_that_provides_it_is_named() -> None:
    """Only tools of this caller's own menu are named."""
    ran: list[str] = []
    async with harness(shop(ran), ADA, script=[cancel("o_17"), "Hm."]) as chat:
        assert await codes(chat, "Cancel my order.") == ["invalid"]

        [read] = told(chat.provider.requests[1])
        assert '"provides":["list_orders"]' in read
        assert "Get it from list_orders first." in read
        assert "list_secret_orders" not in read
        assert ran == []


async def test_where_no_tool_provides_it_the_user_is_to_be_asked() -> None:
    async with harness(shop([]), ADA, script=[ToolUse("note", {"customer": "c_1"}), "Who?"]) as chat:
        await chat.say("Note it.")

        assert "Ask the user for it." in told(chat.provider.requests[1])[0]
        assert "provides" not in told(chat.provider.requests[1])[0]


async def test_an_id_that_a_result_introduced_counts_from_then_on_and_nothing_else_in_it_does() -> None:
    ran: list[str] = []
    script = [ToolUse("list_orders", {}), (cancel("o_17"), cancel("o_99"), cancel("o_1")), "Done.", cancel("o_18"), "Done."]
    async with harness(shop(ran), ADA, script=script) as chat:
        assert await codes(chat, "Cancel it.") == [None, None, "invalid", "invalid"]
        assert await codes(chat, "And the other.") == [None]
        assert ran == ["o_17", "o_18"]


async def test_one_unseen_among_many_refuses_them_all() -> None:
    ran: list[str] = []
    script = [ToolUse("list_orders", {}), ToolUse("cancel_many", {"orders": ["o_17", "o_99"]}), "Hm."]
    async with harness(shop(ran), ADA, script=script) as chat:
        await chat.say("Cancel them.")

        assert "orders/1" in told(chat.provider.requests[2])[0]
        assert ran == []


@pytest.mark.parametrize(
    ("text", "is_typed"),
    [
        ("Cancel o_17", True),
        ("o_17", True),
        ("Cancel (o_17), please.", True),
        ("Cancel\no_17!", True),
        ("Cancel xo_17", False),
        ("Cancel o_170", False),
        ("Cancel O_17", False),
        ("Cancel o-17", False),
        ("Cancel o_1 7", False),
        ("Cancel éo_17", False),
    ],
)
async def test_an_id_the_user_typed_counts_where_it_stands_alone(text: str, is_typed: bool) -> None:
    ran: list[str] = []
    async with harness(shop(ran), ADA, script=[cancel("o_17"), "Done."]) as chat:
        assert await codes(chat, text) == [None if is_typed else "invalid"]
        assert ran == (["o_17"] if is_typed else [])


async def test_two_characters_are_too_few_to_have_been_typed_on_purpose() -> None:
    async with harness(shop([]), ADA, script=[cancel("o1"), "Hm."]) as chat:
        assert await codes(chat, "Cancel o1") == ["invalid"]


async def test_what_was_seen_in_one_session_was_not_seen_in_another() -> None:
    ran: list[str] = []
    async with harness(shop(ran), ADA, script=[ToolUse("list_orders", {}), "Two.", cancel("o_17"), "Hm."]) as chat:
        await chat.say("My orders?")
        other = await chat.host.sessions.create(ADA)
        async for _ in chat.host.turn(ADA, other.id, "Cancel it."):
            pass

        assert ran == []


async def test_what_the_model_says_or_a_client_hints_is_not_typed_by_the_user() -> None:
    ran: list[str] = []
    async with harness(shop(ran), ADA, script=["It is o_17.", ("o_17", cancel("o_17")), "Hm."]) as chat:
        await chat.say("Which order?")
        items = [item async for item in chat.host.turn(ADA, chat.session.id, "Cancel it.", hints="page=/orders/o_17")]

        assert items
        assert ran == []


async def test_arguments_of_a_program_count_as_typed_and_so_do_those_of_its_inner_calls() -> None:
    ran: list[str] = []
    async with harness(shop(ran), ADA) as chat:
        assert (await chat.host.call(ADA, "cancel", {"order": "o_99"})).code is None
        assert (await chat.host.call(ADA, "cancel_for_me", {"order": "o_98"})).code is None
        assert ran == ["o_99", "o_98"]


async def test_an_inner_call_of_the_models_is_asked_for_it_like_any_other() -> None:
    ran: list[str] = []
    async with harness(shop(ran), ADA, script=[ToolUse("cancel_for_me", {"order": "o_17"}), "Hm."]) as chat:
        assert await codes(chat, "Cancel it.") == ["invalid", "invalid"], "the inner call's end, then its parent's"
        assert ran == []
