"""Transactions of the one writing connection: several batches in one, each refused or kept by itself.

Whoever calls sees to it that one thread at a time does. How long a transaction may wait for other processes, and whether it must reach
the disk, is said with each; SQLite wants both settled before it begins.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeAlias

from handgriff.core.batch import Batch
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.apply import apply
from handgriff.stores.sqlite.faults import told

Outcome: TypeAlias = Committed | Exception
"""What became of one batch: written, or the reason why nothing of it was."""
_Attempt: TypeAlias = Callable[[Sequence[Batch]], "list[Outcome] | None"]

CHECKPOINT_ROWS = 1000
"""Rows written between two checkpoints: about the 1,000 pages at which SQLite would do it by itself, in the middle of a commit."""


class Transactions:
    """Writes batches, and moves the write-ahead log into the file from time to time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # One cursor for all: making one for each statement costs as much as binding its parameters.
        self._cursor = connection.cursor()
        self._settings: dict[str, str | int] = {}
        self._checkpointed_at = connection.total_changes
        self._elsewhere = 0
        self._is_wary = False

    def write(self, batches: Sequence[Batch], *, durable: bool, patience: int) -> list[Outcome]:
        """Write *batches* in one transaction and say what became of each. *patience* is in milliseconds.

        Raises:
            sqlite3.Error: the transaction failed as a whole; nothing was written.
        """
        self._set("busy_timeout", patience)
        self._set("synchronous", "FULL" if durable else "NORMAL")
        if len(batches) == 1:
            return self._transact(self._alone, batches) or []
        # Savepoints cost as much as some statements do, and a refusal is rare: so first without, and after a refusal again with them.
        outcomes = None if self._is_wary else self._transact(self._together, batches)
        if outcomes is None:
            outcomes = self._transact(self._apart, batches) or []
            self._is_wary = any(isinstance(outcome, Exception) for outcome in outcomes)
        return outcomes

    def is_due(self) -> bool:
        """Whether enough was written for a checkpoint."""
        return self._connection.total_changes + self._elsewhere - self._checkpointed_at >= CHECKPOINT_ROWS

    def count(self, rows: int) -> None:
        """So many *rows* were written on another connection."""
        self._elsewhere += rows

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the file, as far as readers allow."""
        self._checkpointed_at = self._connection.total_changes + self._elsewhere
        self._cursor.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def empty_log(self, *, patience: int) -> bool:
        """Move all of the write-ahead log into the file and cut it off, and say whether readers let it happen.

        Raises:
            sqlite3.Error: SQLite could not.
        """
        self._set("busy_timeout", patience)
        ((is_busy, *_),) = self._cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return not is_busy

    def rewrite(self, *, patience: int) -> None:
        """Write the file anew. Deleted rows were overwritten with zeros, but when SQLite moves rows between pages it leaves their image
        behind in free space, where only this finds it.

        Raises:
            sqlite3.Error: SQLite could not.
        """
        self._set("busy_timeout", patience)
        self._cursor.execute("VACUUM")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _set(self, setting: str, value: str | int) -> None:
        if self._settings.get(setting) != value:
            self._cursor.execute(f"PRAGMA {setting} = {value}").fetchall()
            self._settings[setting] = value

    def _transact(self, attempt: _Attempt, batches: Sequence[Batch]) -> list[Outcome] | None:
        self._cursor.execute("BEGIN IMMEDIATE")
        try:
            outcomes = attempt(batches)
            if self._connection.in_transaction:
                self._cursor.execute("COMMIT")
        except BaseException:
            self._take_back()
            raise
        return outcomes

    def _alone(self, batches: Sequence[Batch]) -> list[Outcome]:
        try:
            return [apply(self._cursor, batches[0])]
        except Exception as problem:  # noqa: BLE001  # whatever it is belongs to the task that waits for this batch, and to no other
            self._take_back()
            return [told(problem)]

    def _together(self, batches: Sequence[Batch]) -> list[Outcome] | None:
        try:
            return [apply(self._cursor, batch) for batch in batches]
        except Exception:  # noqa: BLE001  # one of them; which, and what it is, shows when they are tried apart
            self._take_back()
            return None

    def _apart(self, batches: Sequence[Batch]) -> list[Outcome]:
        return [self._attempt(batch) for batch in batches]

    def _attempt(self, batch: Batch) -> Outcome:
        self._cursor.execute("SAVEPOINT batch")
        try:
            outcome: Outcome = apply(self._cursor, batch)
        except Exception as problem:
            # A full disk makes SQLite take back the whole transaction, neighbours included.
            if not self._connection.in_transaction:
                raise
            self._cursor.execute("ROLLBACK TO batch")
            outcome = told(problem)
        self._cursor.execute("RELEASE batch")
        return outcome

    def _take_back(self) -> None:
        if self._connection.in_transaction:
            self._cursor.execute("ROLLBACK")
