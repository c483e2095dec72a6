"""The company's own table of invoices. Each row keeps the handle of its workflow, so one id names both."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from handgriff import Caller

_TABLE = """create table if not exists invoices (
    tenant text not null, handle text not null, supplier text not null, cents integer not null,
    note text not null default '', paid integer not null default 0, primary key (tenant, handle)
) strict"""


@dataclass(frozen=True, slots=True)
class Invoice:
    """One row."""

    handle: str
    supplier: str
    cents: int
    note: str
    paid: int
    """How often it was paid; more than once would be a disaster."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The invoices of one company."""

    connection: sqlite3.Connection
    tenant: str

    def add(self, handle: str, supplier: str, cents: int) -> None:
        """Write a new invoice."""
        self.connection.execute(
            "insert into invoices (tenant, handle, supplier, cents) values (?, ?, ?, ?)", (self.tenant, handle, supplier, cents)
        )

    def get(self, handle: str) -> Invoice:
        """One invoice.

        Raises:
            KeyError: there is none.
        """
        row = self.connection.execute(
            "select handle, supplier, cents, note, paid from invoices where tenant = ? and handle = ?", (self.tenant, handle)
        ).fetchone()
        if row is None:
            raise KeyError(handle)
        return Invoice(*row)

    def note(self, handle: str, text: str) -> None:
        """Write down why it came back."""
        self.connection.execute("update invoices set note = ? where tenant = ? and handle = ?", (text, self.tenant, handle))

    def correct(self, handle: str, cents: int) -> None:
        """Write another amount."""
        self.connection.execute("update invoices set cents = ? where tenant = ? and handle = ?", (cents, self.tenant, handle))

    def pay(self, handle: str) -> Invoice:
        """Pay it. Whether that is allowed was decided before."""
        self.connection.execute("update invoices set paid = paid + 1 where tenant = ? and handle = ?", (self.tenant, handle))
        return self.get(handle)


def ledgers(path: str | Path) -> Callable[[Caller], AbstractAsyncContextManager[Ledger]]:
    """What each call is given: the caller's company's ledger, opened for it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(_TABLE)

    @asynccontextmanager
    async def open_ledger(caller: Caller) -> AsyncIterator[Ledger]:
        with closing(sqlite3.connect(path, timeout=30)) as connection, connection:
            yield Ledger(connection, caller.tenant)

    return open_ledger


def euros(cents: int) -> str:
    """An amount as people read it."""
    return f"€ {cents / 100:,.2f}"
