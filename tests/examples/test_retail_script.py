"""What a sensible agent adds to a written conversation."""

from collections.abc import Callable
from pathlib import Path

from examples.retail import script as module
from examples.retail.database import read_database
from examples.retail.knowledge import Shop, introduced
from examples.retail.script import DEMANDED, Step, script
from examples.retail.tasks import Action, Task, read_tasks

SHOP = Shop(read_database(Path(module.__file__).with_name("sample.json")))


def calls(*actions: Action) -> list[str]:
    """The steps as text: added reads stand in brackets."""
    return [step.tool if step.counted else f"({step.tool})" for step in script(SHOP, Task("one", actions, {}))]


def ok(tool: str, **arguments: object) -> Action:
    return Action(tool, arguments, "ok")


def refused(tool: str, **arguments: object) -> Action:
    return Action(tool, arguments, "refused")


EXCHANGE = {
    "order_id": "#W1000002",
    "item_ids": ["3000000022"],
    "new_item_ids": ["3000000023"],
    "payment_method_id": "credit_card_4100001",
}


def test_a_lone_change_is_prepared_by_identification_and_reads() -> None:
    assert calls(ok("exchange_delivered_order_items", **EXCHANGE)) == [
        "(find_user_id_by_email)",
        "(get_user_details)",
        "(get_order_details)",
        "(get_product_details)",
        "exchange_delivered_order_items",
    ]


def test_what_the_conversation_reads_itself_is_not_read_again() -> None:
    found = calls(
        ok("find_user_id_by_email", email="ADA.moss@example.com"),
        ok("get_user_details", user_id="ada_moss_1201"),
        ok("get_order_details", order_id="#W1000002"),
        ok("exchange_delivered_order_items", **EXCHANGE),
    )

    assert found == [
        "find_user_id_by_email",
        "get_user_details",
        "get_order_details",
        "(get_product_details)",
        "exchange_delivered_order_items",
    ]


def test_nothing_is_read_for_a_call_that_must_be_refused() -> None:
    assert calls(refused("exchange_delivered_order_items", **EXCHANGE)) == ["(find_user_id_by_email)", "exchange_delivered_order_items"]
    assert calls(refused("get_user_details", user_id="ada_moss_1201")) == ["get_user_details"]
    assert calls(refused("get_order_details", order_id="#1000002")) == ["get_order_details"]


def test_the_shopper_is_the_one_whose_records_the_conversation_succeeds_with() -> None:
    steps = script(
        SHOP, Task("one", (refused("get_order_details", order_id="#W1000003"), ok("get_order_details", order_id="#W1000001")), {})
    )

    assert steps[0] == Step("find_user_id_by_email", {"email": "ada.moss@example.com"})
    assert [step.tool for step in steps] == ["find_user_id_by_email", "get_order_details", "get_user_details", "get_order_details"]


def test_a_conversation_that_identifies_the_shopper_itself_is_left_to_it() -> None:
    found = calls(
        refused("get_order_details", order_id="#W1000001"), ok("find_user_id_by_name_zip", first_name="Ada", last_name="Moss", zip="04101")
    )

    assert found == ["get_order_details", "find_user_id_by_name_zip"]


def test_the_catalogue_needs_no_shopper() -> None:
    assert calls(ok("get_item_details", item_id="3000000021"), ok("calculate", expression="1 + 1")) == [
        "(list_all_product_types)",
        "(get_product_details)",
        "get_item_details",
        "calculate",
    ]
    assert calls(ok("transfer_to_human_agents", summary="Help.")) == ["transfer_to_human_agents"]
    assert calls() == []


def test_arguments_of_any_form_make_a_script() -> None:
    assert calls(ok("get_order_details", order_id=7), ok("get_item_details", item_id=["x", None]), ok("unknown", order_id="#W1000001")) == [
        "(find_user_id_by_email)",
        "get_order_details",
        "get_item_details",
        "(get_user_details)",
        "unknown",
    ]


def test_every_id_of_a_call_that_must_succeed_was_read_before(shared: Callable[[str], Path]) -> None:
    shop = Shop(read_database(shared("retail/db.json")))

    for task in read_tasks(shared("retail/tasks.json")):
        seen: set[tuple[str, str]] = set()
        steps = script(shop, task)
        for step in steps:
            if step.outcome == "refused":
                continue
            for name, value in step.arguments.items():
                if name in DEMANDED:
                    assert {(DEMANDED[name], each) for each in (value if isinstance(value, list) else [value])} <= seen, (task.name, step)
            seen.update(introduced(shop, step.tool, step.arguments))
        assert tuple(Action(step.tool, step.arguments, step.outcome) for step in steps if step.counted) == task.actions
        assert all(step.outcome == "ok" for step in steps if not step.counted)
