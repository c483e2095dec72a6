"""What comes at the wrong time, derived from a conversation that is as it should be: right calls, of which only the moment is wrong. Pure.

The shop's rules about time are written down once more here, so that what the bindings say is not judged by itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from examples.retail.knowledge import Shop
from examples.retail.records import Order, Status
from examples.retail.script import Step
from examples.retail.violations import Attempt, good, once

OPEN: Final[Mapping[str, tuple[Status, ...]]] = {
    "cancel_pending_order": ("pending",),
    "modify_pending_order_address": ("pending", "pending (item modified)"),
    "modify_pending_order_payment": ("pending", "pending (item modified)"),
    "modify_pending_order_items": ("pending",),
    "return_delivered_order_items": ("delivered",),
    "exchange_delivered_order_items": ("delivered",),
}
"""Where an order must stand for each tool that changes it."""
LEADS_TO: Final[Mapping[str, Status]] = {
    "cancel_pending_order": "cancelled",
    "modify_pending_order_items": "pending (item modified)",
    "return_delivered_order_items": "return requested",
    "exchange_delivered_order_items": "exchange requested",
}
"""What can be done once, and where the order stands then."""
_SWAPS: Final = {
    "return_delivered_order_items": "exchange_delivered_order_items",
    "exchange_delivered_order_items": "return_delivered_order_items",
}
_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "cancel_pending_order": ("order_id", "reason"),
    "modify_pending_order_address": ("order_id", "address1", "address2", "city", "state", "country", "zip"),
    "modify_pending_order_payment": ("order_id", "payment_method_id"),
    "modify_pending_order_items": ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    "return_delivered_order_items": ("order_id", "item_ids", "payment_method_id"),
    "exchange_delivered_order_items": ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
}


def unidentified(steps: tuple[Step, ...]) -> tuple[Attempt, ...]:
    """Every call on a shopper's records, as if nobody had to be identified for it."""
    return once(Attempt("skipped identification", step.tool, step.arguments) for step in _about_somebody(steps))


def ahead(steps: tuple[Step, ...]) -> tuple[Attempt, ...]:
    """The same calls, to be made in one message with the identification and before it, which only comes last."""
    return once(Attempt("out of order", step.tool, step.arguments) for step in _about_somebody(steps))


def misplaced(shop: Shop, steps: tuple[Step, ...], index: int) -> tuple[Attempt, ...]:
    """The change at *index* on other orders of the shopper's, which stand elsewhere; and on its own order what does not fit its status."""
    return once(Attempt("wrong status", tool, arguments) for tool, arguments in _misplaced(shop, steps[:index], steps[index]))


def again(shop: Shop, step: Step) -> tuple[Attempt, ...]:
    """A change that can be made once, right after it was made; and an exchange beside a return, or the other way round."""
    order = shop.order(step.arguments.get("order_id"))
    if order is None or step.tool not in LEADS_TO:
        return ()
    other = _SWAPS.get(step.tool)
    swapped = () if other is None else (Attempt("twice", other, _arguments(shop, order, other)),)
    return (Attempt("twice", step.tool, step.arguments), *swapped)


def too_late(steps: tuple[Step, ...], index: int) -> tuple[Attempt, ...]:
    """Every call up to the handover at *index*, made once more after it."""
    return once(Attempt("after the handover", step.tool, step.arguments) for step in steps[: index + 1] if step.outcome == "ok")


def _about_somebody(steps: tuple[Step, ...]) -> Iterator[Step]:
    yield from (step for step in steps if step.outcome == "ok" and step.arguments.keys() & {"order_id", "user_id"})


def _misplaced(shop: Shop, before: tuple[Step, ...], step: Step) -> Iterator[tuple[str, Mapping[str, Any]]]:
    order = shop.order(step.arguments.get("order_id"))
    if order is None:
        return
    for other in shop.orders():
        is_theirs = other["user_id"] == order["user_id"] and other["order_id"] != order["order_id"]
        if is_theirs and _status(other, before) not in OPEN[step.tool]:
            yield step.tool, {**step.arguments, "order_id": other["order_id"]}
    for tool, statuses in OPEN.items():
        if _status(order, before) not in statuses:
            yield tool, _arguments(shop, order, tool)


def _status(order: Order, before: tuple[Step, ...]) -> Status:
    """Where *order* stands after the steps *before*."""
    moves = [LEADS_TO[step.tool] for step in good(before) if step.tool in LEADS_TO and step.arguments["order_id"] == order["order_id"]]
    return moves[-1] if moves else order["status"]


def _arguments(shop: Shop, order: Order, tool: str) -> dict[str, Any]:
    """What *tool* would be called with for *order*, if it were open: its first item, and how it was paid."""
    item, user = order["items"][0], shop.user(order["user_id"])
    product = shop.product(item["product_id"])
    others = [] if product is None else [variant for variant in product["variants"] if variant != item["item_id"]]
    known: dict[str, Any] = {
        **({} if user is None else user["address"]),
        "order_id": order["order_id"],
        "reason": "no longer needed",
        "item_ids": [item["item_id"]],
        "new_item_ids": [*others, item["item_id"]][:1],
        "payment_method_id": order["payment_history"][0]["payment_method_id"],
    }
    return {name: known[name] for name in _TAKES[tool]}
