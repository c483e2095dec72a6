"""Tools about items of an order: changing them before it is sent, returning and exchanging them after."""

from collections.abc import Sequence

from examples.retail import rules
from examples.retail.alter import Alteration, alter, bought, products_of
from examples.retail.database import Database
from examples.retail.diff import agreement, exchange_lines, return_lines
from examples.retail.identity import own_order, still_own_order
from examples.retail.ids import ItemIds, NewItemIds, OrderId, PaymentMethodId
from examples.retail.rules import Bought
from examples.retail.views import OrderView, order_view
from handgriff import Call, Plan, Result, Toolbox

items = Toolbox("items")


@items.tool(effect="irreversible", authorize=own_order, validate=still_own_order, title="Change items of an order")
async def modify_pending_order_items(
    order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: PaymentMethodId, call: Call[Database]
) -> Result[OrderView]:
    """Use when: items of a pending order are to become other variants of the same products; name all of them at once, it works once.
    Not for: another product, or a delivered order. Needs: item_ids from get_order_details, new_item_ids from get_product_details,
    payment_method_id from get_user_details. Effect: changes the items for good; charges or refunds the difference at once.
    """
    with call.deps.transaction():
        alteration = _modified(call.deps, order_id, item_ids, new_item_ids, payment_method_id)
        alteration.save(call.deps)
    return Result(f"The items of order {order_id} were changed.", order_view(alteration.after.order), diff=alteration.lines)


@modify_pending_order_items.plan
async def plan_modify(
    order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: PaymentMethodId, call: Call[Database]
) -> Plan:
    """Show each item beside its new one, and what is paid or refunded."""
    alteration = _modified(call.deps, order_id, item_ids, new_item_ids, payment_method_id)
    return agreement(f"Change {len(item_ids)} items of order {order_id}? It can be done once.", alteration.lines)


@items.tool(effect="irreversible", authorize=own_order, validate=still_own_order, title="Return items")
async def return_delivered_order_items(
    order_id: OrderId, item_ids: ItemIds, payment_method_id: PaymentMethodId, call: Call[Database]
) -> Result[OrderView]:
    """Use when: items of a delivered order are to be sent back for money; name all of them at once, it works once.
    Not for: a pending order, or other items in their place. Needs: item_ids from get_order_details, payment_method_id from
    get_user_details: the method first paid with, or a gift card. Effect: requests the return for good.
    """
    with call.deps.transaction():
        alteration = _returned(call.deps, order_id, item_ids, payment_method_id)
        alteration.save(call.deps)
    return Result(f"The return from order {order_id} was requested.", order_view(alteration.after.order), diff=alteration.lines)


@return_delivered_order_items.plan
async def plan_return(order_id: OrderId, item_ids: ItemIds, payment_method_id: PaymentMethodId, call: Call[Database]) -> Plan:
    """Show what is sent back and where the money goes."""
    alteration = _returned(call.deps, order_id, item_ids, payment_method_id)
    return agreement(f"Return {len(item_ids)} items of order {order_id}? It can be done once.", alteration.lines)


@items.tool(effect="irreversible", authorize=own_order, validate=still_own_order, title="Exchange items")
async def exchange_delivered_order_items(
    order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: PaymentMethodId, call: Call[Database]
) -> Result[OrderView]:
    """Use when: items of a delivered order are to be swapped for items of the same products; name all at once, it works once.
    Not for: a pending order, or another product. Needs: item_ids from get_order_details, new_item_ids from get_product_details,
    payment_method_id from get_user_details. Effect: requests the exchange for good; the difference is settled later.
    """
    with call.deps.transaction():
        alteration = _exchanged(call.deps, order_id, item_ids, new_item_ids, payment_method_id)
        alteration.save(call.deps)
    return Result(f"The exchange in order {order_id} was requested.", order_view(alteration.after.order), diff=alteration.lines)


@exchange_delivered_order_items.plan
async def plan_exchange(
    order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: PaymentMethodId, call: Call[Database]
) -> Plan:
    """Show each item beside its new one, and the difference."""
    alteration = _exchanged(call.deps, order_id, item_ids, new_item_ids, payment_method_id)
    return agreement(f"Exchange {len(item_ids)} items of order {order_id}? It can be done once.", alteration.lines)


def _modified(
    database: Database, order_id: str, item_ids: Sequence[str], new_item_ids: Sequence[str], payment_method_id: str
) -> Alteration:
    return alter(
        database,
        order_id,
        lambda order, user: rules.replace_items(
            order,
            user,
            products_of(database, order),
            item_ids=item_ids,
            new_item_ids=new_item_ids,
            payment_method_id=payment_method_id,
        ),
    )


def _returned(database: Database, order_id: str, item_ids: Sequence[str], payment_method_id: str) -> Alteration:
    return alter(
        database,
        order_id,
        lambda order, user: Bought(rules.send_back(order, user, item_ids=item_ids, payment_method_id=payment_method_id), user),
        explain=lambda after: return_lines(after.order, item_ids),
    )


def _exchanged(
    database: Database, order_id: str, item_ids: Sequence[str], new_item_ids: Sequence[str], payment_method_id: str
) -> Alteration:
    products = products_of(database, bought(database, order_id).order)
    return alter(
        database,
        order_id,
        lambda order, user: Bought(
            rules.exchange(order, user, products, item_ids=item_ids, new_item_ids=new_item_ids, payment_method_id=payment_method_id),
            user,
        ),
        explain=lambda after: exchange_lines(after.order, products, item_ids, new_item_ids),
    )
