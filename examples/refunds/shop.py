"""The shop's orders and payments, as they are now. Below is the book; above, the rules of giving back, and the tools."""

from typing import Any

from examples.refunds.books import Book
from examples.refunds.rows import MissingError, Order, Payment, Refund

_ORDERS = "SELECT id, shop, clerk, customer, item, cents, credited FROM shop_order"
_PAYMENTS = "SELECT id, shop_order, reference, cents, refunds FROM payment"


async def orders(book: Book, shop: str, *, customer: str | None = None) -> tuple[Order, ...]:
    """The shop's orders, of all customers or of those whose name holds *customer*."""
    found = await book.rows(f"{_ORDERS} WHERE shop = $1 ORDER BY id", shop)
    named = (customer or "").casefold()
    return tuple(order for order in (Order(*row) for row in found) if named in order.customer.casefold())


async def order(book: Book, shop: str, identity: str) -> Order:
    """One order of the shop.

    Raises:
        MissingError: it has none of that id; another shop's is none.
    """
    found = await book.rows(f"{_ORDERS} WHERE shop = $1 AND id = $2", shop, identity)
    if not found:
        raise MissingError(f"There is no order {identity!r}.")
    return Order(*found[0])


async def payments_of(book: Book, owner: Order) -> tuple[Payment, ...]:
    """How an order was paid."""
    found = await book.rows(f"{_PAYMENTS} WHERE shop_order = $1 ORDER BY id", owner.id)
    return tuple([await _payment(book, row) for row in found])


async def payment(book: Book, shop: str, identity: str) -> tuple[Payment, Order]:
    """One payment of the shop, and what it was for.

    Raises:
        MissingError: it has none of that id; another shop's is none.
    """
    found = await book.rows(f"{_PAYMENTS} WHERE id = $1", identity)
    try:
        return await _payment(book, found[0]), await order(book, shop, found[0][1])
    except (IndexError, MissingError):
        raise MissingError(f"There is no payment {identity!r}.") from None


async def _payment(book: Book, row: tuple[Any, ...]) -> Payment:
    identity, owner, reference, cents, numbers = row
    found = await book.rows("SELECT number, payment, cents, state FROM refund WHERE payment = $1 ORDER BY number", identity)
    return Payment(identity, owner, reference, cents, numbers, tuple(Refund(*refund) for refund in found))
