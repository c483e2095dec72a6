"""The shop's rules alone: each action of every written conversation, applied to its records without any assistant."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from examples.retail import rules
from examples.retail.compare import differences
from examples.retail.database import read_database
from examples.retail.places import address
from examples.retail.records import Item, Key, Order, Product, Record, User, Variant
from examples.retail.rules import Bought, Forbidden
from examples.retail.tasks import Action, read_tasks

SAMPLE = Path(rules.__file__).parent


class Shop:
    """Records in memory, changed by the rules directly."""

    def __init__(self, records: Mapping[Key, Record]) -> None:
        self.records: dict[Key, Any] = dict(records)
        self.products: dict[str, Product] = {key: record for (table, key), record in self.records.items() if table == "products"}

    def play(self, action: Action) -> None:
        arguments = dict(action.arguments)
        if "address1" in arguments:
            place = ("address1", "address2", "city", "state", "country")
            arguments["address"] = address(zip_code=arguments.pop("zip"), **{part: arguments.pop(part) for part in place})
        if action.tool == "modify_user_address":
            key: Key = ("users", arguments["user_id"])
            self.records[key] = rules.move(self.records[key], arguments["address"])
        elif action.tool in CHANGES:
            order = self.records["orders", arguments.pop("order_id")]
            self._keep(CHANGES[action.tool](self, order, self.records["users", order["user_id"]], arguments))

    def _keep(self, after: Bought) -> None:
        self.records["orders", after.order["order_id"]] = after.order
        self.records["users", after.user["user_id"]] = after.user


CHANGES: dict[str, Callable[[Shop, Order, User, dict[str, Any]], Bought]] = {
    "cancel_pending_order": lambda shop, order, user, rest: rules.cancel(order, user, **rest),
    "modify_pending_order_address": lambda shop, order, user, rest: Bought(rules.redirect(order, **rest), user),
    "modify_pending_order_payment": lambda shop, order, user, rest: rules.repay(order, user, **rest),
    "modify_pending_order_items": lambda shop, order, user, rest: rules.replace_items(order, user, shop.products, **rest),
    "return_delivered_order_items": lambda shop, order, user, rest: Bought(rules.send_back(order, user, **rest), user),
    "exchange_delivered_order_items": lambda shop, order, user, rest: Bought(rules.exchange(order, user, shop.products, **rest), user),
}


def test_every_written_conversation_ends_with_the_records_it_expects(shared: Callable[[str], Path]) -> None:
    records = read_database(shared("retail/db.json"))
    tasks = read_tasks(shared("retail/tasks.json"))

    found = []
    for task in tasks:
        shop = Shop(records)
        for action in task.actions:
            if action.outcome == "ok":
                shop.play(action)
        expected = {**records, **task.changed}
        found += [
            f"{task.name} {key}: {line}"
            for key in expected
            if shop.records[key] is not expected[key]
            for line in differences(expected[key], shop.records[key])
        ]

    assert len(tasks) == 74
    assert found == []


def test_the_changes_that_must_be_refused_are_forbidden(shared: Callable[[str], Path]) -> None:
    records = read_database(shared("retail/db.json"))
    refused = [action for task in read_tasks(shared("retail/tasks.json")) for action in task.actions if action.outcome == "refused"]

    changes = [action for action in refused if action.tool in CHANGES]
    assert changes
    for action in changes:
        with pytest.raises(Forbidden):
            Shop(records).play(action)


def paid(*entries: tuple[str, str, str]) -> list[Any]:
    return [{"transaction_type": kind, "amount": Decimal(amount), "payment_method_id": method} for kind, amount, method in entries]


def mug(item_id: str, price: str, colour: str) -> Item:
    return {"name": "Mug", "product_id": "mug", "item_id": item_id, "price": Decimal(price), "options": {"colour": colour}}


def variant(item_id: str, price: str, colour: str, *, available: bool = True) -> Variant:
    return {"item_id": item_id, "options": {"colour": colour}, "available": available, "price": Decimal(price)}


PRODUCTS: Any = {
    "mug": {
        "name": "Mug",
        "product_id": "mug",
        "variants": {
            "red": variant("red", "10.10", "red"),
            "blue": variant("blue", "12.20", "blue"),
            "gold": variant("gold", "40.00", "gold"),
            "gone": variant("gone", "9.00", "gone", available=False),
        },
    },
    "pot": {"name": "Pot", "product_id": "pot", "variants": {"pot1": variant("pot1", "10.10", "black")}},
}
ORDER: Any = {
    "order_id": "#W1",
    "user_id": "ada",
    "address": {},
    "items": [mug("red", "10.10", "red"), mug("red", "10.10", "red"), mug("blue", "12.20", "blue")],
    "status": "pending",
    "fulfillments": [],
    "payment_history": paid(("payment", "32.40", "card")),
}
DELIVERED: Any = {**ORDER, "status": "delivered"}
USER: Any = {
    "user_id": "ada",
    "payment_methods": {
        "card": {"source": "credit_card", "id": "card"},
        "paypal": {"source": "paypal", "id": "paypal"},
        "gift": {"source": "gift_card", "id": "gift", "balance": Decimal("20.00")},
        "rich": {"source": "gift_card", "id": "rich", "balance": Decimal("100.00")},
    },
}


def test_each_changed_item_takes_its_own_variants_price_and_options() -> None:
    after = rules.replace_items(ORDER, USER, PRODUCTS, item_ids=["red", "blue"], new_item_ids=["gold", "red"], payment_method_id="rich")

    assert [(item["item_id"], item["price"], item["options"]["colour"]) for item in after.order["items"]] == [
        ("gold", Decimal("40.00"), "gold"),
        ("red", Decimal("10.10"), "red"),
        ("red", Decimal("10.10"), "red"),
    ]
    assert after.order["payment_history"][-1:] == paid(("payment", "27.80", "rich"))
    assert after.user["payment_methods"]["rich"]["balance"] == Decimal("72.20")
    assert after.order["status"] == "pending (item modified)"


def test_two_items_that_swap_their_variants_both_change() -> None:
    after = rules.replace_items(ORDER, USER, PRODUCTS, item_ids=["red", "blue"], new_item_ids=["blue", "red"], payment_method_id="card")

    assert [item["item_id"] for item in after.order["items"]] == ["blue", "red", "red"]
    assert after.order["payment_history"][-1:] == paid(("refund", "0.00", "card"))


def test_a_cheaper_item_is_refunded_to_the_gift_card_at_once() -> None:
    after = rules.replace_items(ORDER, USER, PRODUCTS, item_ids=["blue"], new_item_ids=["red"], payment_method_id="gift")

    assert after.order["payment_history"][-1:] == paid(("refund", "2.10", "gift"))
    assert after.user["payment_methods"]["gift"]["balance"] == Decimal("22.10")


@pytest.mark.parametrize(
    ("item_ids", "new_item_ids", "method", "why"),
    [
        pytest.param(["red"], ["blue", "gold"], "card", "own new item", id="uneven pairs"),
        pytest.param(["red", "red", "red"], ["blue", "blue", "blue"], "card", "that many", id="more than were bought"),
        pytest.param(["gold"], ["red"], "card", "that many", id="never bought"),
        pytest.param([], [], "card", "At least one", id="nothing"),
        pytest.param(["red"], ["gone"], "card", "not available", id="not available"),
        pytest.param(["red"], ["pot1"], "card", "within its product", id="another product"),
        pytest.param(["red"], ["gold"], "gift", "does not cover", id="an empty gift card"),
        pytest.param(["red"], ["blue"], "stolen", "no payment method", id="a foreign card"),
    ],
)
def test_pairs_that_do_not_fit_are_forbidden(item_ids: list[str], new_item_ids: list[str], method: str, why: str) -> None:
    with pytest.raises(Forbidden, match=why):
        rules.replace_items(ORDER, USER, PRODUCTS, item_ids=item_ids, new_item_ids=new_item_ids, payment_method_id=method)
    with pytest.raises(Forbidden, match=why):
        rules.exchange(DELIVERED, USER, PRODUCTS, item_ids=item_ids, new_item_ids=new_item_ids, payment_method_id=method)


def test_nothing_is_replaced_by_itself_before_it_was_sent_but_a_broken_one_is_exchanged_after() -> None:
    with pytest.raises(Forbidden, match="by itself"):
        rules.replace_items(ORDER, USER, PRODUCTS, item_ids=["blue", "red"], new_item_ids=["red", "red"], payment_method_id="card")

    after = rules.exchange(DELIVERED, USER, PRODUCTS, item_ids=["red"], new_item_ids=["red"], payment_method_id="card")
    assert (after.get("exchange_items"), after.get("exchange_new_items")) == (["red"], ["red"])
    assert after.get("exchange_price_difference") == 0


def test_an_exchange_is_written_down_sorted_and_moves_no_money_yet() -> None:
    after = rules.exchange(DELIVERED, USER, PRODUCTS, item_ids=["red", "blue"], new_item_ids=["gold", "red"], payment_method_id="rich")

    assert after["status"] == "exchange requested"
    assert after.get("exchange_items") == ["blue", "red"]
    assert after.get("exchange_new_items") == ["gold", "red"]
    assert after.get("exchange_price_difference") == Decimal("27.80")
    assert after["items"] == ORDER["items"]
    assert after["payment_history"] == ORDER["payment_history"]


@pytest.mark.parametrize("method", ["card", "gift"])
def test_a_return_is_paid_to_the_first_method_or_a_gift_card(method: str) -> None:
    after = rules.send_back(DELIVERED, USER, item_ids=["red", "blue", "red"], payment_method_id=method)

    assert after.get("return_items") == ["blue", "red", "red"]
    assert (after["status"], after.get("return_payment_method_id")) == ("return requested", method)


@pytest.mark.parametrize("method", ["paypal", "stolen"])
def test_a_return_is_paid_to_nothing_else(method: str) -> None:
    with pytest.raises(Forbidden):
        rules.send_back(DELIVERED, USER, item_ids=["red"], payment_method_id=method)


def test_a_return_names_no_more_items_than_were_bought() -> None:
    with pytest.raises(Forbidden, match="that many"):
        rules.send_back(DELIVERED, USER, item_ids=["blue", "blue"], payment_method_id="card")


def test_cancelling_refunds_each_payment_and_fills_gift_cards_at_once() -> None:
    order: Any = {**ORDER, "payment_history": paid(("payment", "30.00", "card"), ("payment", "2.40", "gift"))}

    after = rules.cancel(order, USER, reason="no longer needed")

    assert after.order["status"] == "cancelled"
    assert after.order.get("cancel_reason") == "no longer needed"
    assert after.order["payment_history"][2:] == paid(("refund", "30.00", "card"), ("refund", "2.40", "gift"))
    assert after.user["payment_methods"]["gift"]["balance"] == Decimal("22.40")


def test_a_payment_that_went_back_already_is_not_refunded_again() -> None:
    moved = rules.repay(ORDER, USER, payment_method_id="rich")

    after = rules.cancel(moved.order, moved.user, reason="ordered by mistake")

    assert after.order["payment_history"] == paid(
        ("payment", "32.40", "card"), ("payment", "32.40", "rich"), ("refund", "32.40", "card"), ("refund", "32.40", "rich")
    )
    assert after.user == USER


def test_another_method_pays_the_whole_order_and_the_old_one_gets_it_back() -> None:
    first: Any = {**ORDER, "payment_history": paid(("payment", "32.40", "gift"))}

    after = rules.repay(first, USER, payment_method_id="rich")

    assert after.order["payment_history"][1:] == paid(("payment", "32.40", "rich"), ("refund", "32.40", "gift"))
    assert after.order["status"] == "pending"
    balances = {name: method["balance"] for name, method in after.user["payment_methods"].items() if "balance" in method}
    assert balances == {"gift": Decimal("52.40"), "rich": Decimal("67.60")}


def test_paying_another_way_needs_one_payment_another_method_and_money_on_it() -> None:
    twice: Any = {**ORDER, "payment_history": paid(("payment", "1.00", "card"), ("refund", "1.00", "card"))}

    with pytest.raises(Forbidden, match="exactly one payment"):
        rules.repay(twice, USER, payment_method_id="paypal")
    with pytest.raises(Forbidden, match="already"):
        rules.repay(ORDER, USER, payment_method_id="card")
    with pytest.raises(Forbidden, match="does not cover"):
        rules.repay(ORDER, USER, payment_method_id="gift")


@pytest.mark.parametrize("status", ["processed", "delivered", "cancelled", "exchange requested", "return requested"])
def test_only_a_pending_order_is_changed(status: str) -> None:
    order: Any = {**ORDER, "status": status}

    for change in (
        lambda: rules.cancel(order, USER, reason="no longer needed"),
        lambda: rules.redirect(order, ORDER["address"]),
        lambda: rules.repay(order, USER, payment_method_id="paypal"),
        lambda: rules.replace_items(order, USER, PRODUCTS, item_ids=["red"], new_item_ids=["blue"], payment_method_id="card"),
    ):
        with pytest.raises(Forbidden, match=status):
            change()


@pytest.mark.parametrize("status", ["pending", "processed", "cancelled", "exchange requested", "return requested"])
def test_only_a_delivered_order_comes_back(status: str) -> None:
    order: Any = {**ORDER, "status": status}

    with pytest.raises(Forbidden, match=status):
        rules.send_back(order, USER, item_ids=["red"], payment_method_id="card")
    with pytest.raises(Forbidden, match=status):
        rules.exchange(order, USER, PRODUCTS, item_ids=["red"], new_item_ids=["blue"], payment_method_id="card")


def test_items_are_changed_once_and_the_order_can_still_be_sent_elsewhere() -> None:
    there = address(address1="2 Mill Lane", address2="", city="Denver", state="CO", country="USA", zip_code="80014")
    changed = rules.replace_items(ORDER, USER, PRODUCTS, item_ids=["red"], new_item_ids=["blue"], payment_method_id="card")

    with pytest.raises(Forbidden):
        rules.replace_items(changed.order, changed.user, PRODUCTS, item_ids=["blue"], new_item_ids=["red"], payment_method_id="card")
    with pytest.raises(Forbidden):
        rules.cancel(changed.order, changed.user, reason="no longer needed")
    assert rules.redirect(changed.order, there)["address"] == there
