"""Store credit: rows of the shop's own, so it is given in one transaction, or not at all."""

from examples.refunds.books import Book
from examples.refunds.money import UNASKED, euros
from examples.refunds.rows import ConflictError, Order, RuleError

_RAISE = "UPDATE shop_order SET credited = credited + $2 WHERE id = $1"
_GIVE = "INSERT INTO credit (id, shop_order, cents, given_by, agreed_by) VALUES ($1, $2, $3, $4, $5)"


def check(order: Order, cents: int) -> None:
    """Whether that much may be given for *order*.

    Raises:
        RuleError: it would be more than the order cost.
    """
    if order.credited + cents > order.cents:
        raise RuleError(f"{order.id} cost {euros(order.cents)} and has {euros(order.credited)} of credit, so {euros(cents)} are too much.")


async def give_agreed(book: Book, identity: str, order: Order, cents: int, *, before: int, by: str, agreed_by: str) -> int:
    """Give what somebody agreed to when *before* had been given; the credit there is then.

    Raises:
        ConflictError: it was changed meanwhile.
    """
    await _raise(book, f"{_RAISE} AND credited = $3", order, cents, before)
    await book.write(_GIVE, identity, order.id, cents, by, agreed_by)
    return before + cents


async def give_unasked(book: Book, identity: str, order: Order, cents: int, *, by: str) -> int:
    """Give a little; the credit there is then.

    Raises:
        ConflictError: with what was given meanwhile it is not little any more.
    """
    await _raise(book, f"{_RAISE} AND credited + $2 <= $3", order, cents, min(UNASKED, order.cents))
    await book.write(_GIVE, identity, order.id, cents, by, None)
    ((credited,),) = await book.rows("SELECT credited FROM shop_order WHERE id = $1", order.id)
    return int(credited)


async def _raise(book: Book, statement: str, order: Order, cents: int, bound: int) -> None:
    if not await book.write(statement, order.id, cents, bound):
        raise ConflictError(f"The credit for {order.id} was changed meanwhile. Nothing was given.")
