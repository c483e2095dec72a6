"""What a person reads of a change before agreeing to it: the lines in which two records differ, in the shop's words."""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from hashlib import sha256

from examples.retail.records import Address, Item, Order, User, Variant, cents
from examples.retail.rules import Products
from handgriff import Change, Plan


def order_lines(before: Order, after: Order) -> Iterator[Change]:
    """Status, reason, address, items and money of an order, as far as they differ."""
    if before["status"] != after["status"]:
        yield Change("Status", before["status"], after["status"])
    if "cancel_reason" in after and "cancel_reason" not in before:
        yield Change("Reason", None, after["cancel_reason"])
    if before["address"] != after["address"]:
        yield Change("Delivery address", address_line(before["address"]), address_line(after["address"]))
    for old, new in zip(before["items"], after["items"], strict=True):
        if old != new:
            yield Change(old["name"], item_line(old), item_line(new))
    for entry in after["payment_history"][len(before["payment_history"]) :]:
        words = "Payment with" if entry["transaction_type"] == "payment" else "Refund to"
        yield Change(f"{words} {entry['payment_method_id']}", None, money(entry["amount"]))


def return_lines(order: Order, item_ids: Sequence[str]) -> Iterator[Change]:
    """What an order's requested return sends back, and who gets the money."""
    for item in items_of(order, item_ids):
        yield Change(f"Return {item['name']}", item_line(item), None)
    yield Change("Refund to", None, order["return_payment_method_id"])


def exchange_lines(order: Order, products: Products, item_ids: Sequence[str], new_item_ids: Sequence[str]) -> Iterator[Change]:
    """What an order's requested exchange swaps, and how the difference is settled."""
    for item, new_item_id in zip(items_of(order, item_ids), new_item_ids, strict=True):
        variant = products[item["product_id"]]["variants"][new_item_id]
        yield Change(f"Exchange {item['name']}", item_line(item), item_line(variant))
    difference = order["exchange_price_difference"]
    yield Change("To pay" if difference > 0 else "To be refunded", None, money(abs(difference)))
    yield Change("Settled with", None, order["exchange_payment_method_id"])


def user_lines(before: User, after: User) -> Iterator[Change]:
    """Address and gift cards of a shopper, as far as they differ."""
    if before["address"] != after["address"]:
        yield Change("Address", address_line(before["address"]), address_line(after["address"]))
    for method_id, method in after["payment_methods"].items():
        old = before["payment_methods"][method_id]
        if old != method:
            yield Change(f"Balance of {method_id}", money(old["balance"]), money(method["balance"]))


def agreement(summary: str, lines: Sequence[Change]) -> Plan:
    """The plan of these lines. Its version covers both sides of each: a price that moved meanwhile is not what the shopper agreed to."""
    text = json.dumps([(line.label, line.before, line.after) for line in lines])
    return Plan(summary, lines, version=sha256(text.encode()).hexdigest())


def item_line(item: Item | Variant) -> str:
    """An item in one line: its options and its price."""
    options = ", ".join(f"{name}: {value}" for name, value in item["options"].items())
    return f"{options} (item {item['item_id']}, {money(item['price'])})"


def address_line(address: Address) -> str:
    """An address in one line."""
    parts = (
        address["address1"], address["address2"], address["city"], f"{address['state']} {address['zip']}", address["country"],
    )  # fmt: skip
    return ", ".join(part for part in parts if part.strip())


def items_of(order: Order, item_ids: Sequence[str]) -> list[Item]:
    """The order's items of these ids; two of a kind are alike, so the first stands for both."""
    by_id = {item["item_id"]: item for item in order["items"]}
    return [by_id[item_id] for item_id in item_ids]


def money(amount: Decimal) -> str:
    """An amount as people write it."""
    return f"{cents(amount)}"
