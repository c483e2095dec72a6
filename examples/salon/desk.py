"""What every tool of the salon is given: its book, open, and the day. A new desk is opened for each call."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from examples.salon.data import open_salon
from handgriff import Caller


@dataclass(frozen=True, slots=True)
class Desk:
    """The salon's book and the day that is today there."""

    book: sqlite3.Connection
    today: date


def desks(path: Path, today: date) -> Callable[[Caller], AbstractAsyncContextManager[Desk]]:
    """The factory a host asks for a desk. A product with many salons would find the caller's tenant's book here."""

    @asynccontextmanager
    async def open_desk(_caller: Caller) -> AsyncIterator[Desk]:
        book = open_salon(path)
        try:
            yield Desk(book, today)
        finally:
            book.close()

    return open_desk
