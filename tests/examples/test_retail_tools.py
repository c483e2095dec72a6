"""The shop's contracts through the boundary: identification, ownership, agreement, and the end of a conversation."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from examples.retail.command import SAMPLE
from examples.retail.stage import Stage, Visit, stage
from handgriff.core.outcome import Outcome


@asynccontextmanager
async def visited() -> AsyncIterator[tuple[Stage, Visit]]:
    async with stage(SAMPLE) as set_stage:
        yield set_stage, await set_stage.visit("somebody")


async def call(visit: Visit, tool: str, **arguments: object) -> Outcome:
    """A call past the model, whose arguments count as typed."""
    return await visit.stage.host.call(visit.caller, tool, arguments, session=visit.session)


async def ada(visit: Visit) -> None:
    assert (await call(visit, "find_user_id_by_email", email="ada.moss@example.com")).is_ok


@pytest.mark.anyio
async def test_a_conversation_is_about_one_shopper_and_says_nothing_of_others() -> None:
    async with visited() as (_, visit):
        await ada(visit)

        again = await call(visit, "find_user_id_by_name_zip", first_name="ADA", last_name="moss", zip="04101")
        other = await call(visit, "find_user_id_by_email", email="ben.okafor@example.com")
        nobody = await call(visit, "find_user_id_by_email", email="nobody@example.com")

        assert again.is_ok
        assert other.code == "not_found"
        assert other == nobody
        assert (await call(visit, "get_user_details", user_id="ada_moss_1201")).is_ok


@pytest.mark.anyio
async def test_foreign_and_unknown_records_get_one_answer() -> None:
    async with visited() as (_, visit):
        await ada(visit)

        orders = [await call(visit, "get_order_details", order_id=order_id) for order_id in ("#W1000003", "#W404")]
        users = [await call(visit, "get_user_details", user_id=user_id) for user_id in ("ben_okafor_3307", "nobody")]

        assert orders[0] == orders[1]
        assert users[0] == users[1]
        assert {each.code for each in (*orders, *users)} == {"not_found"}


@pytest.mark.anyio
async def test_two_visitors_are_two_conversations() -> None:
    async with visited() as (set_stage, visit):
        await ada(visit)

        assert (await call(await set_stage.visit("another"), "get_order_details", order_id="#W1000001")).code == "closed"


@pytest.mark.anyio
async def test_a_rule_of_the_shop_refuses_before_anybody_is_asked() -> None:
    async with visited() as (set_stage, visit):
        await ada(visit)

        outcome = await call(
            visit, "return_delivered_order_items", order_id="#W1000002", item_ids=["3000000099"], payment_method_id="credit_card_4100001"
        )

        assert outcome.code == "conflict"
        assert "3000000099" in outcome.shown.summary
        assert await visit.waiting() == []
        assert set_stage.database.snapshot() == set_stage.original


@pytest.mark.anyio
async def test_what_is_shown_before_a_change_is_what_it_does() -> None:
    async with visited() as (_, visit):
        await ada(visit)
        await call(visit, "cancel_pending_order", order_id="#W1000001", reason="no longer needed")
        (proposal,) = await visit.waiting()

        await visit.decide(proposal, approved=True)

        assert [(line.label, line.before, line.after) for line in proposal.diff] == [
            ("Status", "pending", "cancelled"),
            ("Reason", None, "no longer needed"),
            ("Refund to gift_card_4000001", None, "23.75"),
            ("Balance of gift_card_4000001", "25.00", "48.75"),
        ]


@pytest.mark.anyio
async def test_a_price_that_moved_since_is_not_what_was_agreed_to() -> None:
    async with visited() as (set_stage, visit):
        await ada(visit)
        swap = {"item_ids": ["3000000022"], "new_item_ids": ["3000000021"], "payment_method_id": "credit_card_4100001"}
        assert (await call(visit, "exchange_delivered_order_items", order_id="#W1000002", **swap)).code == "unconfirmed"
        lamp: Any = set_stage.database.product("2000000003")
        lamp["variants"]["3000000021"]["price"] += 1
        set_stage.database.put("products", "2000000003", lamp)
        (proposal,) = await visit.waiting()

        decided = await set_stage.host.proposals.decide(visit.caller, proposal.id, True)

        assert decided.proposal.state == "stale"
        order = set_stage.database.order("#W1000002")
        assert order is not None
        assert order["status"] == "delivered"


@pytest.mark.anyio
async def test_catalogue_and_calculator_serve_anybody() -> None:
    async with visited() as (_, visit):
        assert (await call(visit, "calculate", expression="2 * 9.50 + 4.75")).data == '"23.75"'
        assert (await call(visit, "calculate", expression="1 / 0")).code == "invalid"
        assert (await call(visit, "get_product_details", product_id="3000000021")).code == "not_found"
        assert (await call(visit, "get_item_details", item_id="2000000003")).code == "not_found"
        assert '"price":"74.40"' in ((await call(visit, "get_item_details", item_id="3000000021")).data or "")
