"""The port of a store that shares its database with the application: what a handler writes there is committed with its call's outcome."""

from typing import Any, Protocol, runtime_checkable

from handgriff.core.batch import Batch
from handgriff.errors import BackendError
from handgriff.ports.store import Committed


class EndedByHandError(BackendError):
    """Somebody else ended the transaction, so what was written in it may stand, and its outcome does not."""


class Transaction(Protocol):
    """One transaction. Nothing of it is seen by anybody else, or kept, before `commit`."""

    @property
    def connection(self) -> Any:
        """The driver's own connection, inside the transaction: `asyncpg.Connection`, or `sqlite3.Connection`. Whoever uses it neither
        commits, rolls back nor closes it."""
        ...

    async def commit(self, batch: Batch) -> Committed:
        """Write *batch* beside what was written on the connection, and commit all of it; it has reached the disk when this returns.

        Raises:
            CommitRefused: a guard of *batch* does not hold. Nothing of the batch is written; the transaction is open as it was before, so
                another batch can be committed.
            EndedByHandError: somebody ended it, where the database can't prevent that.
            BackendError: the database failed.
        """
        ...

    async def roll_back(self) -> bool:
        """Undo all of it and let go of the connection. Again, and after `commit`, is nothing. It does not raise.

        It answers False where somebody had ended it by hand, so that what was written may stand.
        """
        ...


@runtime_checkable
class Transacting(Protocol):
    """A store that can do that."""

    async def begin(self) -> Transaction:
        """A new transaction; it has the right to write when this returns.

        Raises:
            BackendError: the database could not be reached, or others held it for too long.
        """
        ...
