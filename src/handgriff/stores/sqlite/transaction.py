"""Transactions of the one writing connection: several batches in one, each refused or kept by itself.

Whoever calls sees to it that one thread at a time does. How long a transaction may wait for other processes, and whether it must reach
the disk, is said with each; SQLite wants both settled before it begins.
"""

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

from handgriff.core.batch import Batch
from handgriff.core.jsontext import JsonError
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.apply import apply
from handgriff.stores.sqlite.faults import fault

Outcome: TypeAlias = Committed | Exception
"""What became of one batch: written, or the reason why nothing of it was."""

CHECKPOINT_ROWS = 1000
"""Rows written between two checkpoints: about the 1,000 pages at which SQLite would do it by itself, in the middle of a commit."""


class Transactions:
    """Writes batches, and moves the write-ahead log into the file from time to time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._settings: dict[str, str | int] = {}
        self._checkpointed_at = connection.total_changes

    def write(self, batches: Sequence[Batch], *, durable: bool, patience: int) -> list[Outcome]:
        """Write *batches* in one transaction and say what became of each. *patience* is in milliseconds.

        Raises:
            sqlite3.Error: the transaction failed as a whole; nothing was written.
        """
        self._set("busy_timeout", patience)
        self._set("synchronous", "FULL" if durable else "NORMAL")
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            outcomes = [self._attempt(batches[0])] if len(batches) == 1 else [self._attempt_among(batch) for batch in batches]
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        return outcomes

    def is_due(self) -> bool:
        """Whether enough was written for a checkpoint."""
        return self._connection.total_changes - self._checkpointed_at >= CHECKPOINT_ROWS

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the file, as far as readers allow."""
        self._checkpointed_at = self._connection.total_changes
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _set(self, setting: str, value: str | int) -> None:
        if self._settings.get(setting) != value:
            self._connection.execute(f"PRAGMA {setting} = {value}").fetchall()
            self._settings[setting] = value

    def _attempt(self, batch: Batch) -> Outcome:
        try:
            return apply(self._connection, batch)
        except Exception as problem:  # noqa: BLE001  # whatever it is belongs to the task that waits for this batch, and to no other
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            return _told(problem)

    def _attempt_among(self, batch: Batch) -> Outcome:
        self._connection.execute("SAVEPOINT batch")
        try:
            outcome: Outcome = apply(self._connection, batch)
        except Exception as problem:
            # A full disk makes SQLite take back the whole transaction, neighbours included.
            if not self._connection.in_transaction:
                raise
            self._connection.execute("ROLLBACK TO batch")
            outcome = _told(problem)
        self._connection.execute("RELEASE batch")
        return outcome


def _told(problem: Exception) -> Exception:
    return fault("commit", problem) if isinstance(problem, (sqlite3.Error, UnicodeEncodeError, JsonError, OverflowError)) else problem
