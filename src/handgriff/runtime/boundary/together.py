"""The one transaction of a call whose writing is committed with its outcome. The handler opens it; the boundary ends it.

Below is the store, where it can do that; above, the call and its settling. What it refuses to know: what is written on the connection.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from handgriff.core.batch import Batch
from handgriff.errors import DefinitionError
from handgriff.ports.store import Committed
from handgriff.ports.transaction import Transacting, Transaction
from handgriff.runtime.boundary.access import Access


@dataclass(slots=True)
class Together:
    """A call's transaction: not begun, open until the boundary commits or rolls back, or over."""

    tool: str
    access: Access
    store: Transacting | None
    """None where the tool does not declare `transaction`."""
    was_ended: bool = False
    """Whether somebody had ended it by hand before it was taken back: then what was written may stand."""
    _transaction: Transaction | None = None
    _was_opened: bool = False

    @property
    def is_open(self) -> bool:
        """Whether there is something to commit."""
        return self._transaction is not None

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Any]:
        """Its connection. Leaving commits nothing; leaving by an exception takes back what was written."""
        self._check_first()
        if self.store is None:
            raise DefinitionError(
                self.tool, "transaction", "it writes in call.transaction() and does not say so.", mend="declare it with transaction=True."
            )
        self.access.check_running("call.transaction")
        self._was_opened = True
        transaction = self._transaction = await self.store.begin()
        self.access.holds_store = True
        try:
            yield transaction.connection
        except BaseException:
            await self.roll_back()
            raise

    async def commit(self, batch: Batch) -> Committed:
        """Commit *batch* with what was written. A refused batch leaves it open.

        Raises:
            CommitRefused: a guard does not hold.
            BackendError: the database failed.
        """
        if self._transaction is None:
            raise AssertionError("there is no open transaction")
        committed = await self._transaction.commit(batch)
        self._transaction, self.access.holds_store = None, False
        return committed

    async def roll_back(self) -> None:
        """Take back what was written, where anything is open."""
        transaction, self._transaction, self.access.holds_store = self._transaction, None, False
        if transaction is not None and not await transaction.roll_back():
            self.was_ended = True

    def check_nothing_else(self, what: str) -> None:
        """Whether *what*, which commits by itself, may be done now.

        Raises:
            DefinitionError: the transaction is open; on SQLite it would wait for itself.
        """
        if self.is_open:
            raise DefinitionError(
                self.tool, what, "it commits by itself, and call.transaction() is open.", mend="do it before the transaction, or within it."
            )

    def _check_first(self) -> None:
        if self._was_opened:
            raise DefinitionError(
                self.tool, "transaction", "call.transaction() was opened before in this call.", mend="do all its writing in one block."
            )
