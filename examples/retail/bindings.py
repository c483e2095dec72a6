"""Which tool may be called when: the shop's tools, bound to its workflows from outside. No handler knows of it.

Whose a record is stays with authority, which is asked first; the rules about amounts and pairs stay with plans and handlers, behind.
"""

from typing import Final

from examples.retail.machines import conversation, order
from examples.retail.tools.catalogue import calculate, get_item_details, get_product_details, list_all_product_types
from examples.retail.tools.desk import transfer_to_human_agents
from examples.retail.tools.items import exchange_delivered_order_items, modify_pending_order_items, return_delivered_order_items
from examples.retail.tools.orders import (
    cancel_pending_order,
    get_order_details,
    modify_pending_order_address,
    modify_pending_order_payment,
)
from examples.retail.tools.shopper import find_user_id_by_email, find_user_id_by_name_zip, get_user_details, modify_user_address
from handgriff.machine import Binding

IDENTIFIED: Final = conversation.at("identified")
PENDING: Final = order.at("pending")
NOT_SENT: Final = order.at("pending", "item_modified")
DELIVERED: Final = order.at("delivered")

BINDINGS: Final[tuple[Binding, ...]] = (
    conversation.bind(find_user_id_by_email, at="open", fires="IDENTIFY"),
    conversation.bind(find_user_id_by_name_zip, at="open", fires="IDENTIFY"),
    conversation.bind(list_all_product_types, at="open"),
    conversation.bind(get_product_details, at="open"),
    conversation.bind(get_item_details, at="open"),
    conversation.bind(calculate, at="open"),
    conversation.bind(transfer_to_human_agents, at="open", fires="HAND_OVER"),
    conversation.bind(get_user_details, at=IDENTIFIED),
    conversation.bind(get_order_details, at=IDENTIFIED),
    conversation.bind(modify_user_address, at=IDENTIFIED),
    # Once only needs no more than the status: each of these, but address and payment, leads out of the state it is bound to.
    order.bind(cancel_pending_order, at=[IDENTIFIED, PENDING]),
    order.bind(modify_pending_order_address, at=[IDENTIFIED, NOT_SENT]),
    order.bind(modify_pending_order_payment, at=[IDENTIFIED, NOT_SENT]),
    order.bind(modify_pending_order_items, at=[IDENTIFIED, PENDING]),
    order.bind(return_delivered_order_items, at=[IDENTIFIED, DELIVERED]),
    order.bind(exchange_delivered_order_items, at=[IDENTIFIED, DELIVERED]),
)
"""Every tool of the shop is in it, so one that is added and forgotten here stays closed."""
