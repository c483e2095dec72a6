"""The looking toolbox: orders and payments of the caller's own shop, for everybody who works there."""

from typing import Annotated

from pydantic import Field

from examples.refunds import shop
from examples.refunds.desk import Desk
from examples.refunds.money import counted, euros
from examples.refunds.tools.shapes import REFUSALS, OrderId, OrderRead, PaymentRead
from handgriff import Call, Result, Toolbox

looking = Toolbox("looking")


@looking.tool(effect="read", title="Orders")
async def list_orders(
    call: Call[Desk], customer: Annotated[str | None, Field(max_length=80, description="A part of the customer's name.")] = None
) -> Result[list[OrderRead]]:
    """Use when: an order is talked about and its id, amount or clerk is wanted.
    Not for: how it was paid and what went back, see show_payments.
    Needs: nothing; a customer's name narrows it.
    Effect: none.
    """
    found = await shop.orders(call.deps.book, call.caller.tenant, customer=customer)
    if not found:
        return Result.none(searched="orders" if customer is None else f"orders of customers whose name holds {customer!r}")
    return Result(f"{counted(len(found), 'order')}.", [OrderRead.of(order) for order in found])


@looking.tool(effect="read", errors=REFUSALS, title="Payments")
async def show_payments(order: OrderId, call: Call[Desk]) -> Result[list[PaymentRead]]:
    """Use when: it is asked how an order was paid or what became of a refund, and before refunding.
    Not for: finding an order, see list_orders.
    Needs: order from list_orders.
    Effect: none.
    """
    owner = await shop.order(call.deps.book, call.caller.tenant, order)
    found = await shop.payments_of(call.deps.book, owner)
    if not found:
        return Result.none(searched=f"payments of {order}")
    paid, back = sum(payment.cents for payment in found), sum(payment.refunded for payment in found)
    return Result(f"{euros(paid)} paid for {order}, {euros(back)} refunded.", [PaymentRead.of(payment) for payment in found])
