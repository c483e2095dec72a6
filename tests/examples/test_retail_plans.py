"""What can't be undone in the shop is shown before: every irreversible tool has a plan, and each plan a diff."""

from typing import Any

import pytest

from examples.retail.assistant import assistant as retail
from examples.retail.command import SAMPLE
from examples.retail.stage import stage
from handgriff.core.events import ParkedCall, TurnEnded
from handgriff.testing.loopback.script import ToolUse

LAMP: dict[str, Any] = {"item_ids": ["3000000022"], "payment_method_id": "credit_card_4100001"}
ASKED: dict[str, dict[str, Any]] = {
    "cancel_pending_order": {"order_id": "#W1000001", "reason": "no longer needed"},
    "modify_pending_order_items": {
        "order_id": "#W1000001",
        "item_ids": ["3000000001"],
        "new_item_ids": ["3000000002"],
        "payment_method_id": "gift_card_4000001",
    },
    "return_delivered_order_items": {"order_id": "#W1000002", **LAMP},
    "exchange_delivered_order_items": {"order_id": "#W1000002", "new_item_ids": ["3000000021"], **LAMP},
}
FIRST = [ToolUse("find_user_id_by_email", {"email": "ada.moss@example.com"})], [ToolUse("get_user_details", {"user_id": "ada_moss_1201"})]


def test_every_irreversible_tool_is_tried_here_and_has_a_plan() -> None:
    irreversible = {contract.name: contract for contract in retail.contracts.values() if contract.effect == "irreversible"}

    assert set(irreversible) == set(ASKED)
    assert all(contract.plan is not None and contract.confirm == "person" for contract in irreversible.values())


@pytest.mark.anyio
@pytest.mark.parametrize("tool", sorted(ASKED))
async def test_the_shopper_is_shown_what_would_change_and_nothing_has(tool: str) -> None:
    async with stage(SAMPLE) as set_stage:
        visit = await set_stage.visit("somebody")
        look = [[ToolUse("get_order_details", {"order_id": ASKED[tool]["order_id"]})], [ToolUse("list_all_product_types", {})]]
        seen = [[ToolUse("get_product_details", {"product_id": each})] for each in ("2000000001", "2000000003")]

        await visit.say("Please.", [*FIRST, *look, *seen, [ToolUse(tool, ASKED[tool])]])

        [card] = _cards([event.body for event in await visit.events()])
        assert card.tool == tool
        assert card.diff
        assert all(line.before is not None or line.after is not None for line in card.diff)
        assert set_stage.database.snapshot() == set_stage.original


def _cards(bodies: list[Any]) -> list[ParkedCall]:
    return [card for body in bodies if isinstance(body, TurnEnded) for card in body.parked]
