"""The two workflows of the shop: a conversation, which Handgriff keeps, and an order, whose status in the shop's database is its workflow.

They know states and ways between them. Which tool belongs where is said in `bindings`; whose an order is, is said by `identity`.
"""

from collections.abc import Mapping
from typing import Final

from examples.retail.database import Database
from examples.retail.identity import SHOPPER, OfOrder
from examples.retail.records import Status
from handgriff import Call, Machine
from handgriff.machine import OnlyAfter, State

ABOUT_SOMEBODY: Final = (
    "get_user_details",
    "get_order_details",
    "modify_user_address",
    "cancel_pending_order",
    "modify_pending_order_address",
    "modify_pending_order_payment",
    "modify_pending_order_items",
    "return_delivered_order_items",
    "exchange_delivered_order_items",
)
"""The tools that touch a shopper's records."""

conversation: Final = Machine(
    "conversation",
    State(
        "open",
        State("anonymous", description="Nobody knows yet whom it is about.", on={"IDENTIFY": "identified"}),
        # The same shopper may be found again. No way leads back, so a conversation is about one shopper only.
        State("identified", description="It is about one shopper.", on={"IDENTIFY": "identified"}),
        on={"HAND_OVER": "handed_over"},
    ),
    State("handed_over", type="final", description="It belongs to a person now."),
    instance="session",
    invariants=[OnlyAfter(tool, "IDENTIFY") for tool in ABOUT_SOMEBODY],
)
"""From the first message until it is handed over, if it is."""

STATES: Final[Mapping[Status, str]] = {
    "pending": "pending",
    "pending (item modified)": "item_modified",
    "processed": "processed",
    "delivered": "delivered",
    "cancelled": "cancelled",
    "exchange requested": "exchange_requested",
    "return requested": "return_requested",
}
"""The state that each status is."""


async def status_of(args: OfOrder, call: Call[Database]) -> str | None:
    """Where the order stands that a call names, if it is the shopper's: where others' stand is not for telling."""
    found = call.deps.order(args.order_id)
    if found is None or found["user_id"] != await call.state.get(SHOPPER):
        return None
    # A status that the shop has invented since is no state, which the machine then says of it.
    return STATES.get(found["status"], found["status"])


order: Final = Machine(
    "order",
    State("pending", on={"CANCEL": "cancelled", "MODIFY_ITEMS": "item_modified", "PROCESS": "processed"}),
    State("item_modified", description="Its items were changed, once and for all.", on={"PROCESS": "processed"}),
    State("processed", on={"DELIVER": "delivered"}),
    State("delivered", on={"RETURN": "return_requested", "EXCHANGE": "exchange_requested"}),
    State("cancelled", type="final"),
    State("return_requested", type="final"),
    State("exchange_requested", type="final"),
    state_of=status_of,
)
"""The way of an order. Its events are the shop's own: what moves an order is its status in the database, and nothing else is stored."""
