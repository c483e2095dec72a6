"""Bytes of what was removed: out of the log at once, and out of the file.

SQLite overwrites deleted rows with zeros here (`secure_delete`). Two traces remain: pages in the write-ahead log as they were before, and
images of rows in free space, left behind when rows move between pages. The log is cut off after every batch that removes; the file is
written anew after one that erases a user or a tenant, and before it is closed where sessions were deleted, for it takes about ten
milliseconds a megabyte.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from handgriff.core.batch import Batch
from handgriff.errors import BackendError
from handgriff.stores.sqlite.faults import fault
from handgriff.stores.sqlite.removal import erases, removes
from handgriff.stores.sqlite.transaction import Outcome, Transactions

_SHORT: Final = 1000
"""Milliseconds for which removing bytes may wait for other processes, where nobody insists; whoever writes waits with it."""


class Shredder:
    """What is still owed to whoever removed something. *patience* is in milliseconds."""

    is_due: bool
    """Whether the log still holds what was removed, because somebody was reading it."""

    def __init__(self, transactions: Transactions, *, patience: int) -> None:
        self.is_due = False
        self._is_rewrite_due = False
        self._transactions = transactions
        self._patience = patience
        self._short = min(patience, _SHORT)

    def follow(self, batches: Sequence[Batch], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Remove the bytes of what *batches* removed. One that erases fails where they can't be: erasing again is what helps."""
        done = [batch for batch, outcome in zip(batches, outcomes, strict=True) if removes(batch) and not isinstance(outcome, Exception)]
        if not done:
            return list(outcomes)
        self.is_due = self._is_rewrite_due = True
        is_erased = any(map(erases, done))
        problem = self._shred(rewrites=is_erased, patience=self._patience if is_erased else self._short)
        if problem is None:
            return list(outcomes)
        return [
            _kept(problem) if erases(batch) and not isinstance(outcome, Exception) else outcome
            for batch, outcome in zip(batches, outcomes, strict=True)
        ]

    def retry(self) -> None:
        """Try again what readers did not let happen."""
        self._shred(rewrites=False, patience=self._short)

    def finish(self) -> None:
        """Leave nothing behind, as far as it is possible."""
        if self.is_due or self._is_rewrite_due:
            self._shred(rewrites=self._is_rewrite_due, patience=self._short)

    def _shred(self, *, rewrites: bool, patience: int) -> sqlite3.Error | None:
        try:
            if rewrites:
                self._transactions.rewrite(patience=patience)
                self._is_rewrite_due = False
            self.is_due = not self._transactions.empty_log(patience=patience)
        except sqlite3.Error as error:
            return error
        return sqlite3.OperationalError("another process is reading") if self.is_due else None


def _kept(problem: sqlite3.Error) -> BackendError:
    return fault("erase", problem, note="The rows are gone, but the file still holds their bytes; erase again.")
