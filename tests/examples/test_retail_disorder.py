"""What comes at the wrong time, as it is derived from a conversation."""

from pathlib import Path

from examples.retail import script as module
from examples.retail.assistant import assistant
from examples.retail.database import read_database
from examples.retail.disorder import LEADS_TO, OPEN, again, ahead, misplaced, too_late, unidentified
from examples.retail.knowledge import Shop
from examples.retail.script import Step
from examples.retail.violations import second_shopper

SHOP = Shop(read_database(Path(module.__file__).with_name("sample.json")))
FIND = Step("find_user_id_by_email", {"email": "ada.moss@example.com"})
READ = Step("get_order_details", {"order_id": "#W1000001"})
SUM = Step("calculate", {"expression": "1"}, counted=True)
CANCEL = Step("cancel_pending_order", {"order_id": "#W1000001", "reason": "no longer needed"}, counted=True)
RETURN = Step(
    "return_delivered_order_items",
    {"order_id": "#W1000002", "item_ids": ["3000000022"], "payment_method_id": "credit_card_4100001"},
    counted=True,
)
MODIFY = Step(
    "modify_pending_order_items",
    {"order_id": "#W1000001", "item_ids": ["3000000001"], "new_item_ids": ["3000000002"], "payment_method_id": "gift_card_4000001"},
    counted=True,
)
MOVE = Step("modify_user_address", {"user_id": "ada_moss_1201"}, counted=True)
HAND_OVER = Step("transfer_to_human_agents", {"summary": "Help."}, counted=True)


def test_records_are_what_somebody_must_be_identified_for() -> None:
    steps = (FIND, READ, READ, SUM, Step("get_order_details", {"order_id": "#W404"}, "refused"), MOVE)

    assert [attempt.tool for attempt in unidentified(steps)] == ["get_order_details", "modify_user_address"]
    assert [attempt.arguments for attempt in ahead(steps)] == [READ.arguments, MOVE.arguments]


def test_a_change_is_misplaced_on_the_shoppers_other_orders_and_others_are_on_its_own() -> None:
    tried = misplaced(SHOP, (FIND, CANCEL), 1)

    assert [(attempt.tool, attempt.arguments["order_id"]) for attempt in tried if isinstance(attempt.arguments, dict)] == [
        ("cancel_pending_order", "#W1000002"),
        ("return_delivered_order_items", "#W1000001"),
        ("exchange_delivered_order_items", "#W1000001"),
    ]


def test_what_an_earlier_change_has_made_of_an_order_counts() -> None:
    tools = [attempt.tool for attempt in misplaced(SHOP, (FIND, MODIFY, CANCEL), 2)]

    assert "cancel_pending_order" in tools
    assert "modify_pending_order_items" in tools
    assert "modify_pending_order_address" not in tools


def test_what_can_be_done_once_is_tried_again_and_a_return_as_an_exchange_too() -> None:
    assert [attempt.tool for attempt in again(SHOP, RETURN)] == ["return_delivered_order_items", "exchange_delivered_order_items"]
    assert [attempt.arguments for attempt in again(SHOP, CANCEL)] == [CANCEL.arguments]
    assert again(SHOP, MOVE) == ()
    assert again(SHOP, Step("modify_pending_order_address", {"order_id": "#W1000001"}, counted=True)) == ()


def test_nothing_that_was_right_before_the_handover_is_after_it() -> None:
    steps = (FIND, Step("calculate", {"expression": ""}, "refused"), READ, HAND_OVER)

    assert [attempt.tool for attempt in too_late(steps, 3)] == [
        "find_user_id_by_email",
        "get_order_details",
        "transfer_to_human_agents",
    ]


def test_a_second_shopper_is_somebody_who_exists() -> None:
    [attempt] = second_shopper(SHOP, FIND)

    assert isinstance(attempt.arguments, dict)
    assert SHOP.found_by(attempt.arguments) not in (None, "ada_moss_1201")


def test_what_is_derived_fits_the_tools_of_the_shop() -> None:
    """The arguments are right, so nothing but the moment is wrong."""
    for index, step in enumerate(steps := (CANCEL, RETURN, MODIFY)):
        for attempt in (*misplaced(SHOP, steps[index:], 0), *again(SHOP, step)):
            assert not isinstance(attempt.arguments, str)
            assert assistant.contracts[attempt.tool].schema.validate(attempt.arguments).canonical
    assert set(LEADS_TO) <= set(OPEN)
