"""The depot: the application's own data. It takes relabelings as orders, each with a number and a sheet, and no parcel twice.

It knows no tool, no assistant and no scratch. Its methods are plain functions over a SQLite file; whoever is async runs them in a thread.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from examples.relabeling.directions import Direction
from examples.relabeling.sheet import sheet
from examples.relabeling.words import listed

SCHEMA: Final = Path(__file__).with_name("schema.sql")
_NAMED: Final = 10


class OrderedError(Exception):
    """A parcel is in an order already; the message names it, and is safe to show."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be ordered. A wish of the same `key` is the same wish, and leads to the same order."""

    key: str
    session: str
    placed_by: str
    placed_at: datetime
    direction: Direction
    codes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Order:
    """A relabeling the depot has taken."""

    number: str
    direction: Direction
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Depot:
    """One company's depot, in *folder*: its orders in `depot.db`, their sheets in `orders`."""

    folder: Path

    def place(self, wish: Wish) -> Order:
        """Take an order and write its sheet; all of it, or nothing.

        Raises:
            OrderedError: one of the parcels is in an order already.
        """
        with self._writing() as book:
            found = book.execute("SELECT number FROM relabeling WHERE wish = ?", (wish.key,)).fetchone()
            if found is not None:
                return _order(book, found[0])
            taken = _ordered(book, wish.codes)
            if taken:
                named = listed([f"{code} ({number})" for code, number in taken.items()], _NAMED)
                raise OrderedError(f"In an order already: {named}.")
            number = _insert(book, wish)
            # Before the commit: an order nobody can print would be worse than a sheet without an order, which the next one overwrites.
            self._write_sheet(number, wish)
            return _order(book, number)

    def ordered(self, codes: Sequence[str]) -> Mapping[str, str]:
        """Which of *codes* are in an order, and its number."""
        with self._open() as book:
            return _ordered(book, codes)

    def latest(self, session: str) -> Order | None:
        """The last order that came from *session*."""
        with self._open() as book:
            number = book.execute("SELECT max(number) FROM relabeling WHERE session = ?", (session,)).fetchone()[0]
            return None if number is None else _order(book, number)

    def orders(self) -> tuple[Order, ...]:
        """Every order, the oldest first."""
        with self._open() as book:
            return tuple(_order(book, number) for (number,) in book.execute("SELECT number FROM relabeling ORDER BY number").fetchall())

    def sheet_of(self, number: str) -> Path:
        """Where the sheet of an order lies."""
        return self.folder / "orders" / f"{number}.csv"

    def _write_sheet(self, number: int, wish: Wish) -> None:
        path = self.sheet_of(_name(number))
        path.parent.mkdir(exist_ok=True)
        begun = path.with_suffix(".part")
        begun.write_text(sheet(wish.codes, wish.direction), encoding="utf-8", newline="")
        begun.replace(path)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.folder.mkdir(parents=True, exist_ok=True)
        book = sqlite3.connect(self.folder / "depot.db", isolation_level=None)
        try:
            book.execute("PRAGMA foreign_keys = ON")
            book.executescript(SCHEMA.read_text(encoding="utf-8"))
            yield book
        finally:
            book.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start, so that what was looked up still holds when it is written."""
        with self._open() as book:
            book.execute("BEGIN IMMEDIATE")
            try:
                yield book
            except BaseException:
                book.execute("ROLLBACK")
                raise
            book.execute("COMMIT")


def _insert(book: sqlite3.Connection, wish: Wish) -> int:
    number: int = book.execute("SELECT coalesce(max(number), 0) + 1 FROM relabeling").fetchone()[0]
    book.execute(
        "INSERT INTO relabeling VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            wish.key,
            wish.session,
            wish.placed_by,
            wish.placed_at.isoformat(timespec="seconds"),
            wish.direction.origin,
            wish.direction.target,
        ),
    )
    book.executemany("INSERT INTO parcel VALUES (?, ?, ?)", [(code, number, position) for position, code in enumerate(wish.codes)])
    return number


def _order(book: sqlite3.Connection, number: int) -> Order:
    origin, target = book.execute("SELECT origin, target FROM relabeling WHERE number = ?", (number,)).fetchone()
    codes = book.execute("SELECT code FROM parcel WHERE number = ? ORDER BY position", (number,)).fetchall()
    return Order(_name(number), Direction(origin, target), tuple(code for (code,) in codes))


def _ordered(book: sqlite3.Connection, codes: Sequence[str]) -> dict[str, str]:
    found = {}
    for code in codes:
        row = book.execute("SELECT number FROM parcel WHERE code = ?", (code,)).fetchone()
        if row is not None:
            found[code] = _name(row[0])
    return found


def _name(number: int) -> str:
    return f"R-{number:05}"
