"""What the payment provider has booked, in a file that survives its process: charges, and the answer each idempotency key was given.

A charge and its answer are written in one transaction. The list of charges would take two of one key: that there is only one is the work of
`Bookings.book`, and can be counted. Above is the provider's HTTP side; it knows no shop.
"""

import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

CLOSED: Final = "closed"
"""A payment whose reference begins so came from an account that exists no more: what is to go back there is declined."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS charge (id INTEGER PRIMARY KEY, merchant TEXT, key TEXT, payment TEXT, cents INTEGER);
CREATE TABLE IF NOT EXISTS answer (merchant TEXT, key TEXT, wish TEXT, status INTEGER, body TEXT, PRIMARY KEY (merchant, key));
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """A refund somebody asks for under a key. Keys are each merchant's own."""

    merchant: str
    key: str
    payment: str
    cents: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status and its JSON."""

    status: int
    body: dict[str, Any]


class Bookings:
    """The provider's memory. Used by many threads."""

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.executescript(_SCHEMA)
        self._lock = threading.Lock()
        self._in_flight: set[tuple[str, str]] = set()

    def book(self, wish: Wish, meanwhile: Callable[[], object] = lambda: None) -> Answer:
        """Book *wish*, once for its key; *meanwhile* is what happens while it is in flight."""
        place = (wish.merchant, wish.key)
        with self._lock:
            if (known := self._answered(wish)) is not None:
                return known
            if place in self._in_flight:
                return Answer(409, {"error": "in_flight"})
            self._in_flight.add(place)
        try:
            meanwhile()
            with self._lock:
                return self._booked(wish)
        finally:
            self._in_flight.discard(place)

    def of(self, merchant: str, key: str) -> Answer:
        """What became of the refund under *key*."""
        with self._lock:
            row = self._file.execute("SELECT body FROM answer WHERE merchant = ? AND key = ?", (merchant, key)).fetchone()
            if row is not None:
                return Answer(200, json.loads(row[0]))
            if (merchant, key) in self._in_flight:
                return Answer(200, {"state": "in_flight"})
        return Answer(404, {"error": "unknown_key"})

    def charges(self) -> list[dict[str, Any]]:
        """Everything that was booked, oldest first."""
        with self._lock:
            rows = self._file.execute("SELECT id, merchant, key, payment, cents FROM charge ORDER BY id").fetchall()
        return [dict(zip(("id", "merchant", "key", "payment", "cents"), row, strict=True)) for row in rows]

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._file.close()

    def _answered(self, wish: Wish) -> Answer | None:
        row = self._file.execute(
            "SELECT wish, status, body FROM answer WHERE merchant = ? AND key = ?", (wish.merchant, wish.key)
        ).fetchone()
        if row is None:
            return None
        if row[0] != _written(wish):
            return Answer(422, {"error": "key_reused"})
        return Answer(row[1], json.loads(row[2]))

    def _booked(self, wish: Wish) -> Answer:
        self._file.execute("BEGIN IMMEDIATE")
        if wish.payment.startswith(CLOSED):
            answer = Answer(402, {"state": "declined"})
        else:
            row = (wish.merchant, wish.key, wish.payment, wish.cents)
            number = self._file.execute("INSERT INTO charge (merchant, key, payment, cents) VALUES (?, ?, ?, ?)", row).lastrowid
            answer = Answer(201, {"state": "booked", "id": f"b_{number}", "payment": wish.payment, "cents": wish.cents})
        kept = (wish.merchant, wish.key, _written(wish), answer.status, json.dumps(answer.body))
        self._file.execute("INSERT INTO answer VALUES (?, ?, ?, ?, ?)", kept)
        self._file.execute("COMMIT")
        return answer


def _written(wish: Wish) -> str:
    return json.dumps([wish.payment, wish.cents])
