"""Refunds in the shop's own tables: what may go back, the number a refund gets, and what it became. The money itself is the provider's.

A refund is written down before the provider is asked, so whatever happens then, somebody knows that there is a question. A payment has one
such refund at most, and its number is used up whether it was made or not: two equal refunds that are both wanted have two numbers, and the
same one asked for twice has one.
"""

from dataclasses import dataclass
from typing import Literal

from examples.refunds.books import Book
from examples.refunds.money import euros
from examples.refunds.rows import ConflictError, Payment, RefundState, RuleError

_REFUNDED = "(SELECT coalesce(sum(cents), 0) FROM refund WHERE payment = $1 AND state <> 'failed')"
_TAKE_NUMBER = f"""
    UPDATE payment SET refunds = refunds + 1
    WHERE id = $1 AND refunds = $2 AND {_REFUNDED} = $3 AND {_REFUNDED} + $4 <= cents
"""  # noqa: S608  # our own text
_INSERT = "INSERT INTO refund (number, payment, cents, state, asked_by, agreed_by) VALUES ($1, $2, $3, $4, $5, $6)"


@dataclass(frozen=True, slots=True)
class Begun:
    """A refund that is wished for: of how much, in whose name, and what had been refunded when somebody agreed to it."""

    number: str
    payment: str
    cents: int
    before: int
    asked_by: str
    agreed_by: str


def check(payment: Payment, cents: int) -> None:
    """Whether that much can go back now.

    Raises:
        ConflictError: nobody knows yet what became of the refund before.
        RuleError: it is more than is left.
    """
    if payment.open_refund is not None:
        raise ConflictError(
            f"Nobody knows yet whether refund {payment.open_refund.number} over {euros(payment.open_refund.cents)} was made. "
            f"Until then nothing more goes back to {payment.id}."
        )
    if payment.refunded + cents > payment.cents:
        raise RuleError(f"{euros(payment.cents - payment.refunded)} are left of {payment.id}, so {euros(cents)} can't go back.")


async def begin(book: Book, wish: Begun) -> None:
    """Write *wish* down under its number, if the payment is as it was. If it is not, the number is used up all the same.

    Raises:
        ConflictError: it is not, or the number is taken.
    """
    async with book.writing():
        is_as_it_was = await book.write(_TAKE_NUMBER, wish.payment, _count(wish.number) - 1, wish.before, wish.cents)
        if is_as_it_was:
            await _insert(book, wish, "begun")
    if not is_as_it_was:
        await never_begun(book, wish)
        raise ConflictError(f"Something else was refunded of {wish.payment} meanwhile. Nothing was refunded now.")


async def settle(book: Book, number: str, state: Literal["made", "failed"]) -> bool:
    """Write down what became of a refund; whether there was something to write. What was made stays made."""
    return await book.write("UPDATE refund SET state = $2 WHERE number = $1 AND state <> 'made'", number, state) > 0


async def never_begun(book: Book, wish: Begun) -> None:
    """Use the number up of a wish that was not written down, because of a crash or because the payment had changed.

    It stands for a claim with these arguments, so that a wish with others must not get it.
    """
    async with book.writing():
        if await book.write(
            "UPDATE payment SET refunds = refunds + 1 WHERE id = $1 AND refunds = $2", wish.payment, _count(wish.number) - 1
        ):
            await _insert(book, wish, "failed")


async def _insert(book: Book, wish: Begun, state: RefundState) -> None:
    await book.write(_INSERT, wish.number, wish.payment, wish.cents, state, wish.asked_by, wish.agreed_by)


def _count(number: str) -> int:
    return int(number.rpartition("-r")[2])
