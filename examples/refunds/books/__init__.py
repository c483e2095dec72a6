"""The shop's database: a file of SQLite's or a database of PostgreSQL's, with the same statements. Handgriff's tables lie in it too.

Below are the drivers, each imported only where an address names it; above, the shop's rules.
"""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import Any, Final, Protocol

from examples.refunds.books.sqlite import SqliteBook

SQLITE: Final = "sqlite:///"


class Book(Protocol):
    """A connection. Values stand in a statement as `$1`, `$2`."""

    async def rows(self, statement: str, *values: str | int | None) -> list[tuple[Any, ...]]:
        """The rows of *statement*."""
        ...

    async def write(self, statement: str, *values: str | int | None) -> int:
        """Carry out *statement*; how many rows it touched."""
        ...

    def writing(self) -> AbstractAsyncContextManager[None]:
        """All of what is written within, or nothing."""
        ...

    async def script(self, text: str) -> None:
        """Carry out a file of statements."""
        ...

    async def has(self, table: str) -> bool:
        """Whether there is such a table."""
        ...


@asynccontextmanager
async def open_book(address: str) -> AsyncIterator[Book]:
    """The database at *address*, which is the store's: `sqlite:///shop.db` or `postgresql://…`."""
    if address.startswith(SQLITE):
        async with SqliteBook.open(address.removeprefix(SQLITE)) as book:
            yield book
    else:
        async with import_module("examples.refunds.books.postgres").open_book(address) as book:
            yield book


def book_on(connection: Any) -> Book:
    """A book on the connection that `call.transaction()` lends, whichever driver's it is."""
    if isinstance(connection, sqlite3.Connection):
        return SqliteBook(connection)
    book: Book = import_module("examples.refunds.books.postgres").PostgresBook(connection)
    return book
