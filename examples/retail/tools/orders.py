"""Tools about an order as a whole: what it is, cancelling it, where it goes, how it is paid."""

from typing import Annotated

from pydantic import Field

from examples.retail import rules
from examples.retail.alter import Alteration, alter, bought
from examples.retail.database import Database
from examples.retail.diff import agreement
from examples.retail.identity import own_order, still_own_order
from examples.retail.ids import OrderId, PaymentMethodId
from examples.retail.places import Address1, Address2, City, Country, State, Zip, address
from examples.retail.records import Address
from examples.retail.rules import Bought, Reason
from examples.retail.views import OrderView, order_view
from handgriff import Call, Plan, Result, Toolbox

orders = Toolbox("orders")

CancelReason = Annotated[Reason, Field(description="Why, as the shopper says, e.g. 'no longer needed'.")]


@orders.tool(effect="read", authorize=own_order, validate=still_own_order, title="Order details")
async def get_order_details(order_id: OrderId, call: Call[Database]) -> Result[OrderView]:
    """Use when: status, items, payments or delivery of one order is wanted. Not for: the list of orders.
    Needs: order_id from get_user_details. Effect: none.
    """
    order = bought(call.deps, order_id).order
    return Result(f"Order {order_id} is {order['status']}, {len(order['items'])} items.", order_view(order))


@orders.tool(effect="irreversible", authorize=own_order, validate=still_own_order, title="Cancel order")
async def cancel_pending_order(order_id: OrderId, reason: CancelReason, call: Call[Database]) -> Result[OrderView]:
    """Use when: a whole pending order is not wanted any more. Not for: orders that were sent, or single items.
    Needs: order_id from get_user_details, the shopper's reason. Effect: cancels the order for good and refunds every payment.
    """
    with call.deps.transaction():
        alteration = _cancelled(call.deps, order_id, reason)
        alteration.save(call.deps)
    return Result(f"Order {order_id} was cancelled.", order_view(alteration.after.order), diff=alteration.lines)


@cancel_pending_order.plan
async def plan_cancel(order_id: OrderId, reason: CancelReason, call: Call[Database]) -> Plan:
    """Show what goes back where."""
    return agreement(f"Cancel order {order_id} for good?", _cancelled(call.deps, order_id, reason).lines)


@orders.tool(effect="write", authorize=own_order, validate=still_own_order, title="Change delivery address")
async def modify_pending_order_address(
    *,
    order_id: OrderId,
    address1: Address1,
    address2: Address2,
    city: City,
    state: State,
    country: Country,
    zip: Zip,  # noqa: A002  # the shop's word
    call: Call[Database],
) -> Result[OrderView]:
    """Use when: a pending order has to go to another address. Not for: the address of the account, see modify_user_address.
    Needs: order_id from get_user_details, the whole new address. Effect: replaces the delivery address of this order.
    """
    with call.deps.transaction():
        alteration = _redirected(
            call.deps, order_id, address(address1=address1, address2=address2, city=city, state=state, country=country, zip_code=zip)
        )
        alteration.save(call.deps)
    return Result(f"Order {order_id} goes to the new address.", order_view(alteration.after.order), diff=alteration.lines)


@modify_pending_order_address.plan
async def plan_address(
    *,
    order_id: OrderId,
    address1: Address1,
    address2: Address2,
    city: City,
    state: State,
    country: Country,
    zip: Zip,  # noqa: A002
    call: Call[Database],
) -> Plan:
    """Show the new address beside the old one."""
    alteration = _redirected(
        call.deps, order_id, address(address1=address1, address2=address2, city=city, state=state, country=country, zip_code=zip)
    )
    return agreement(f"Send order {order_id} to this address?", alteration.lines)


@orders.tool(effect="write", authorize=own_order, validate=still_own_order, title="Change payment method")
async def modify_pending_order_payment(order_id: OrderId, payment_method_id: PaymentMethodId, call: Call[Database]) -> Result[OrderView]:
    """Use when: a pending order is to be paid another way. Not for: paying a difference after items were changed.
    Needs: order_id and payment_method_id from get_user_details. Effect: charges the new method and refunds the old one.
    """
    with call.deps.transaction():
        alteration = _repaid(call.deps, order_id, payment_method_id)
        alteration.save(call.deps)
    return Result(f"Order {order_id} is paid with {payment_method_id}.", order_view(alteration.after.order), diff=alteration.lines)


@modify_pending_order_payment.plan
async def plan_payment(order_id: OrderId, payment_method_id: PaymentMethodId, call: Call[Database]) -> Plan:
    """Show the charge and the refund."""
    return agreement(f"Pay order {order_id} with {payment_method_id}?", _repaid(call.deps, order_id, payment_method_id).lines)


def _cancelled(database: Database, order_id: str, reason: Reason) -> Alteration:
    return alter(database, order_id, lambda order, user: rules.cancel(order, user, reason=reason))


def _redirected(database: Database, order_id: str, to: Address) -> Alteration:
    return alter(database, order_id, lambda order, user: Bought(rules.redirect(order, to), user))


def _repaid(database: Database, order_id: str, payment_method_id: str) -> Alteration:
    return alter(database, order_id, lambda order, user: rules.repay(order, user, payment_method_id=payment_method_id))
