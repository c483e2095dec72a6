"""The shop's tables, made and filled with the same orders every time. They lie in the database that is also the store's.

`python -m examples.refunds.data ADDRESS` makes them there.
"""

import sys
from pathlib import Path
from typing import Final

import anyio

from examples.refunds.books import Book, open_book

SCHEMA: Final = Path(__file__).with_name("schema.sql")
SHOP, OTHER_SHOP = "lumen", "harbour"

_ORDERS: Final = (
    ("o_501", SHOP, "ada", "Greta Lindqvist", "Desk lamp", 69_00),
    ("o_502", SHOP, "ada", "Omar Haddad", "Floor lamp", 480_00),
    ("o_503", SHOP, "ada", "Paula Neumann", "Chandelier", 2_400_00),
    ("o_504", SHOP, "ada", "Jun Sato", "Lamp shades", 90_00),
    ("o_505", SHOP, "ben", "Ines Costa", "Wall lamp", 75_00),
    ("o_506", SHOP, "ada", "Lars Holm", "Bulbs", 35_00),
    ("o_901", OTHER_SHOP, "eve", "Greta Lindqvist", "Rope", 60_00),
)
"""Id, shop, clerk, customer, what was bought and for how much. Each was paid at once, by a payment with the order's number."""
_CLOSED: Final = frozenset({"o_506"})
"""Paid from an account that exists no more."""


async def seed(book: Book) -> None:
    """Make the tables and fill them."""
    await book.script(SCHEMA.read_text(encoding="utf-8"))
    async with book.writing():
        for identity, shop, clerk, customer, item, cents in _ORDERS:
            number = identity.removeprefix("o_")
            reference = f"{'closed' if identity in _CLOSED else 'card'}_{number}"
            await book.write(
                "INSERT INTO shop_order (id, shop, clerk, customer, item, cents) VALUES ($1, $2, $3, $4, $5, $6)",
                *(identity, shop, clerk, customer, item, cents),
            )
            await book.write(
                "INSERT INTO payment (id, shop_order, reference, cents) VALUES ($1, $2, $3, $4)",
                *(f"pay_{number}", identity, reference, cents),
            )


async def make(address: str) -> bool:
    """Make a shop at *address*, unless there is one; whether it was made."""
    async with open_book(address) as book:
        if await book.has("shop_order"):
            return False
        await seed(book)
        return True


if __name__ == "__main__":
    print("The shop is ready." if anyio.run(make, sys.argv[1]) else "There is a shop already.")
