"""The shop's rules: records in, changed records out. Each rule is here once; nothing here knows of assistants, databases or people.

What a rule forbids raises `Forbidden`, before anything was changed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from examples.retail.records import Address, Item, Order, Payment, PaymentMethod, Product, User, Variant, cents

Reason: TypeAlias = Literal["no longer needed", "ordered by mistake"]
Products: TypeAlias = Mapping[str, Product]
"""The products of an order's items, by product id."""


class Forbidden(Exception):
    """The shop does not allow this; the message says why, in words for anybody."""


@dataclass(frozen=True, slots=True)
class Bought:
    """What an order and its shopper are after a change."""

    order: Order
    user: User


def cancel(order: Order, user: User, *, reason: Reason) -> Bought:
    """Cancel a pending order: every payment that has not gone back goes back the way it came, to a gift card at once."""
    _require_status(order, "pending")
    refunds: list[Payment] = []
    for payment in _standing(order["payment_history"]):
        refunds.append(_payment("refund", payment["amount"], payment["payment_method_id"]))
        user = _credited(user, payment["payment_method_id"], payment["amount"])
    return Bought({**order, "status": "cancelled", "cancel_reason": reason, "payment_history": [*order["payment_history"], *refunds]}, user)


def redirect(order: Order, address: Address) -> Order:
    """Send a pending order elsewhere."""
    _require_status(order, "pending", "pending (item modified)")
    return {**order, "address": address}


def move(user: User, address: Address) -> User:
    """Give a shopper another address; orders keep theirs."""
    return {**user, "address": address}


def repay(order: Order, user: User, *, payment_method_id: str) -> Bought:
    """Pay a pending order with another method and give the first its money back."""
    _require_status(order, "pending", "pending (item modified)")
    method = _method(user, payment_method_id)
    history = order["payment_history"]
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise Forbidden("The payment method can be changed only while the order has exactly one payment.")
    amount, old = history[0]["amount"], history[0]["payment_method_id"]
    if old == payment_method_id:
        raise Forbidden("The order is paid with this method already.")
    _require_balance(method, amount)
    user = _credited(_credited(user, payment_method_id, -amount), old, amount)
    moved = [_payment("payment", amount, payment_method_id), _payment("refund", amount, old)]
    return Bought({**order, "payment_history": [*history, *moved]}, user)


def replace_items(
    order: Order, user: User, products: Products, *, item_ids: Sequence[str], new_item_ids: Sequence[str], payment_method_id: str
) -> Bought:
    """Change items of a pending order to other variants of the same products, once; the difference is paid or refunded at once."""
    _require_status(order, "pending")
    pairs = _pairs(order, products, item_ids, new_item_ids)
    _require_new(order, pairs)
    difference = _difference(order, pairs)
    method = _method(user, payment_method_id)
    _require_balance(method, difference)
    settled = _payment("payment" if difference > 0 else "refund", abs(difference), payment_method_id)
    changed: Order = {
        **order,
        "items": [_as_variant(item, pairs[index]) if index in pairs else item for index, item in enumerate(order["items"])],
        "status": "pending (item modified)",
        "payment_history": [*order["payment_history"], settled],
    }
    return Bought(changed, _credited(user, payment_method_id, -difference))


def send_back(order: Order, user: User, *, item_ids: Sequence[str], payment_method_id: str) -> Order:
    """Ask to return items of a delivered order, once; the money goes to the method of the first payment or to a gift card."""
    _require_status(order, "delivered")
    method = _method(user, payment_method_id)
    first = next((entry["payment_method_id"] for entry in order["payment_history"] if entry["transaction_type"] == "payment"), None)
    if method["source"] != "gift_card" and payment_method_id != first:
        raise Forbidden("A refund goes to the method the order was first paid with, or to a gift card of the shopper's.")
    _positions(order, item_ids)
    return {**order, "status": "return requested", "return_items": sorted(item_ids), "return_payment_method_id": payment_method_id}


def exchange(
    order: Order, user: User, products: Products, *, item_ids: Sequence[str], new_item_ids: Sequence[str], payment_method_id: str
) -> Order:
    """Ask to exchange items of a delivered order within their products, once; the difference is settled when they arrive.

    The new item may be another piece of the same variant: what arrived broken is exchanged so.
    """
    _require_status(order, "delivered")
    difference = _difference(order, _pairs(order, products, item_ids, new_item_ids))
    _require_balance(_method(user, payment_method_id), difference)
    return {
        **order,
        "status": "exchange requested",
        "exchange_items": sorted(item_ids),
        "exchange_new_items": sorted(new_item_ids),
        "exchange_payment_method_id": payment_method_id,
        "exchange_price_difference": difference,
    }


def _require_status(order: Order, *allowed: str) -> None:
    if order["status"] not in allowed:
        raise Forbidden(f"Order {order['order_id']} is {order['status']}; this needs {' or '.join(allowed)}.")


def _method(user: User, payment_method_id: str) -> PaymentMethod:
    method = user["payment_methods"].get(payment_method_id)
    if method is None:
        raise Forbidden(f"{payment_method_id} is no payment method of this shopper.")
    return method


def _require_balance(method: PaymentMethod, amount: Decimal) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise Forbidden(f"Gift card {method['id']} holds {cents(method['balance'])}, which does not cover {cents(amount)}.")


def _credited(user: User, payment_method_id: str, amount: Decimal) -> User:
    """The shopper with *amount* on that gift card; other methods keep no balance, and one that is gone can't be credited here."""
    method = user["payment_methods"].get(payment_method_id)
    if method is None or method["source"] != "gift_card":
        return user
    credited: PaymentMethod = {**method, "balance": cents(method["balance"] + amount)}
    return {**user, "payment_methods": {**user["payment_methods"], payment_method_id: credited}}


def _standing(history: Sequence[Payment]) -> Iterator[Payment]:
    """The payments that no refund has answered yet."""
    refunded = Counter((entry["payment_method_id"], entry["amount"]) for entry in history if entry["transaction_type"] == "refund")
    for entry in history:
        if entry["transaction_type"] == "refund":
            continue
        way = (entry["payment_method_id"], entry["amount"])
        if refunded[way]:
            refunded[way] -= 1
        else:
            yield entry


def _payment(kind: Literal["payment", "refund"], amount: Decimal, payment_method_id: str) -> Payment:
    return {"transaction_type": kind, "amount": cents(amount), "payment_method_id": payment_method_id}


def _positions(order: Order, item_ids: Sequence[str]) -> list[int]:
    """Where each of *item_ids* stands in the order, each place used once, so that two of a kind are two items."""
    if not item_ids:
        raise Forbidden("At least one item must be named.")
    free = list(range(len(order["items"])))
    found = []
    for item_id in item_ids:
        place = next((index for index in free if order["items"][index]["item_id"] == item_id), None)
        if place is None:
            raise Forbidden(f"Order {order['order_id']} does not hold that many of item {item_id}.")
        free.remove(place)
        found.append(place)
    return found


def _pairs(order: Order, products: Products, item_ids: Sequence[str], new_item_ids: Sequence[str]) -> dict[int, Variant]:
    """The new variant of each changed place of the order."""
    if len(item_ids) != len(new_item_ids):
        raise Forbidden("Each item needs its own new item, at the same position of the list.")
    return {
        place: _new_variant(order["items"][place], products, new_item_id)
        for place, new_item_id in zip(_positions(order, item_ids), new_item_ids, strict=True)
    }


def _new_variant(item: Item, products: Products, new_item_id: str) -> Variant:
    variant = products[item["product_id"]]["variants"].get(new_item_id) if item["product_id"] in products else None
    if variant is None:
        raise Forbidden(f"Item {new_item_id} is no {item['name']}, and an item can be changed only within its product.")
    if not variant["available"]:
        raise Forbidden(f"Item {new_item_id} is not available.")
    return variant


def _difference(order: Order, pairs: Mapping[int, Variant]) -> Decimal:
    return cents(sum((variant["price"] - order["items"][place]["price"] for place, variant in pairs.items()), Decimal()))


def _require_new(order: Order, pairs: Mapping[int, Variant]) -> None:
    for place, variant in pairs.items():
        if variant["item_id"] == order["items"][place]["item_id"]:
            raise Forbidden(f"Item {variant['item_id']} would be replaced by itself.")


def _as_variant(item: Item, variant: Variant) -> Item:
    return {**item, "item_id": variant["item_id"], "price": variant["price"], "options": variant["options"]}
