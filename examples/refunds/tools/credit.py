"""`give_credit`: a little something in the shop's own tables, given together with the call's outcome or not at all."""

from typing import Literal, Protocol

from examples.refunds import crediting, shop
from examples.refunds.books import book_on
from examples.refunds.desk import Desk
from examples.refunds.money import UNASKED, euros
from examples.refunds.tools.giving import check_row, giving
from examples.refunds.tools.shapes import REFUSALS, Cents, OrderId
from handgriff import Call, Change, Plan, Result

CREDIT = "Store credit"
"""The line of the plan that the handler holds the order to."""


class _Wish(Protocol):
    order: str
    cents: int


@giving.tool(effect="write", transaction=True, errors=REFUSALS, title="Store credit")
async def give_credit(order: OrderId, cents: Cents, call: Call[Desk]) -> Result[None]:
    """Use when: a customer had trouble and gets a little something for their next order.
    Not for: money that is to go back the way it was paid, see refund_payment.
    Needs: order from list_orders.
    Effect: gives store credit. Above € 20.00 for one order, counted together, a person confirms first.
    """
    owner = await shop.order(call.deps.book, call.caller.tenant, order)
    crediting.check(owner, cents)
    async with call.transaction() as connection:
        book, identity, by = book_on(connection), call.idempotency_key, call.caller.user
        if call.proposal is None:
            credited = await crediting.give_unasked(book, identity, owner, cents, by=by)
        else:
            before, agreed_by = call.proposal.before[CREDIT], call.proposal.decided_by
            credited = await crediting.give_agreed(book, identity, owner, cents, before=before, by=by, agreed_by=agreed_by)
    return Result(
        f"{owner.customer} has {euros(credited)} of store credit for {order}.",
        diff=[Change(CREDIT, euros(credited - cents), euros(credited), raw=(credited - cents, credited))],
        link=f"/orders/{order}",
    )


@give_credit.plan
async def plan_credit(order: OrderId, cents: Cents, call: Call[Desk]) -> Plan:
    """Show the credit there is, and will be."""
    owner = await shop.order(call.deps.book, call.caller.tenant, order)
    crediting.check(owner, cents)
    before, after = owner.credited, owner.credited + cents
    return Plan(
        f"Give {owner.customer} {euros(cents)} of store credit for {order}?",
        [Change(CREDIT, euros(before), euros(after), raw=(before, after))],
    )


@give_credit.authorize
async def may_give(args: _Wish, call: Call[Desk]) -> bool:
    """Only for orders of the caller's own shop that they may give something back for."""
    check_row(await shop.order(call.deps.book, call.caller.tenant, args.order), call.caller)
    return True


@give_credit.confirm
async def who_confirms(args: _Wish, call: Call[Desk]) -> Literal["person"] | None:
    """Nobody, as long as it stays little for the whole order."""
    owner = await shop.order(call.deps.book, call.caller.tenant, args.order)
    return None if owner.credited + args.cents <= UNASKED else "person"
