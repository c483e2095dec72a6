"""`refund_payment`: money that leaves the house through somebody else, and can't be called back."""

from typing import Literal, Protocol

from examples.refunds import refunding, shop
from examples.refunds.desk import Desk
from examples.refunds.money import CODE, PERSON, euros
from examples.refunds.payments import NothingBooked
from examples.refunds.rows import Payment
from examples.refunds.tools.giving import check_row, giving
from examples.refunds.tools.shapes import REFUSALS, Cents, PaymentId
from handgriff import Call, Change, Plan, Refusal, Result
from handgriff.tool import CallLimits

SECONDS = 20.0
REFUNDED = "Refunded"
"""The line of the plan that the handler holds the payment to."""


class _Wish(Protocol):
    payment: str
    cents: int


@giving.tool(effect="irreversible", errors=REFUSALS, limits=CallLimits(seconds=SECONDS), title="Refund")
async def refund_payment(payment: PaymentId, cents: Cents, call: Call[Desk]) -> Result[None]:
    """Use when: money is to go back the way it was paid.
    Not for: a little something to make up for trouble, see give_credit; a refund whose outcome is unknown, which is never repeated.
    Needs: payment from show_payments, and the amount the user named.
    Effect: after people have confirmed, the payment provider sends the money, and nobody can call it back. Above € 100.00 a code is needed,
    above € 1,000.00 a second person; what was refunded of the payment before counts too.
    """
    found, _ = await shop.payment(call.deps.book, call.caller.tenant, payment)
    number = call.idempotency_key
    await refunding.begin(call.deps.book, _begun(payment, cents, call))
    try:
        await call.deps.payments.refund(number, found.reference, cents)
    except NothingBooked:
        await refunding.settle(call.deps.book, number, "failed")
        raise
    await refunding.settle(call.deps.book, number, "made")
    return _made(found, number, cents)


@refund_payment.plan
async def plan_refund(payment: PaymentId, cents: Cents, call: Call[Desk]) -> Plan:
    """Show what has gone back before, and what will have."""
    found, order = await shop.payment(call.deps.book, call.caller.tenant, payment)
    refunding.check(found, cents)
    before, after = found.refunded, found.refunded + cents
    return Plan(
        f"Send {euros(cents)} back to {order.customer} for {order.item} ({order.id})? It can't be called back.",
        [Change(REFUNDED, euros(before), euros(after), raw=(before, after))],
    )


@refund_payment.authorize
async def may_refund(args: _Wish, call: Call[Desk]) -> bool:
    """Only for orders of the caller's own shop that they may give something back for."""
    _, order = await shop.payment(call.deps.book, call.caller.tenant, args.payment)
    check_row(order, call.caller)
    return True


@refund_payment.confirm
async def who_confirms(args: _Wish, call: Call[Desk]) -> Literal["person", "code", "second_person"]:
    """More has to agree the more goes back. The whole payment counts, so that parts of a large refund are none the smaller."""
    found, _ = await shop.payment(call.deps.book, call.caller.tenant, args.payment)
    total = found.refunded + args.cents
    if total <= PERSON:
        return "person"
    return "code" if total <= CODE else "second_person"


@refund_payment.idempotency_key
async def number_of_refund(args: _Wish, call: Call[Desk]) -> str:
    """The refund's own number: the next one of this payment, or that of the refund under way.

    Payment and amount would be wrong, because a customer may be owed the same sum twice.
    """
    found, _ = await shop.payment(call.deps.book, call.caller.tenant, args.payment)
    return found.next_number


@refund_payment.reconcile
async def what_became(args: _Wish, call: Call[Desk]) -> Result[None] | Refusal | None:
    """Ask the provider, and write down in the shop's book what it says."""
    number, book = call.idempotency_key, call.deps.book
    found, _ = await shop.payment(book, call.caller.tenant, args.payment)
    match await call.deps.payments.find(number):
        case "booked":
            await refunding.settle(book, number, "made")
            return _made(found, number, args.cents)
        case "in_flight":
            return None
        case "declined":
            await _not_made(args, call)
            return Refusal("conflict", f"The payment provider declined refund {number} over {euros(args.cents)}. Nothing was refunded.")
        case "unknown":
            await _not_made(args, call)
            return Refusal(
                "transient",
                f"Refund {number} over {euros(args.cents)} never reached the payment provider. Nothing was refunded.",
                next="Propose it again if it is still wanted.",
            )


async def _not_made(args: _Wish, call: Call[Desk]) -> None:
    if not await refunding.settle(call.deps.book, call.idempotency_key, "failed"):
        await refunding.never_begun(call.deps.book, _begun(args.payment, args.cents, call))


def _begun(payment: str, cents: int, call: Call[Desk]) -> refunding.Begun:
    if call.proposal is None:
        raise AssertionError("a refund is always confirmed")
    return refunding.Begun(call.idempotency_key, payment, cents, call.proposal.before[REFUNDED], call.caller.user, call.proposal.decided_by)


def _made(payment: Payment, number: str, cents: int) -> Result[None]:
    before = sum(each.cents for each in payment.refunds if each.state != "failed" and each.number != number)
    return Result(
        f"Refund {number}: {euros(cents)} are on their way back.",
        diff=[Change(REFUNDED, euros(before), euros(before + cents), raw=(before, before + cents))],
        link=f"/payments/{payment.id}",
    )
