"""Transactions that the application and a batch share. They have connections of their own: a handler reads its state through the store's
while it is in one, so where both came from one pool, as many handlers as it has connections would wait for each other.
"""

from contextlib import AsyncExitStack, suppress
from typing import Any, Final

import anyio

from handgriff.core.batch import Batch
from handgriff.core.jsontext import JsonError
from handgriff.ports.store import CommitRefused, Committed
from handgriff.stores.postgres.address import Address
from handgriff.stores.postgres.connections import Connections
from handgriff.stores.postgres.driver import ERRORS, LOST, MISUSED, Block, Connection, Pool, open_lent_pool
from handgriff.stores.postgres.faults import fault, undone, unfinished
from handgriff.stores.postgres.texts import given
from handgriff.stores.postgres.words import words_of

_MARK: Final = "SET LOCAL handgriff.begun = 'on'"
_IS_MARKED: Final = "SELECT coalesce(current_setting('handgriff.begun', TRUE), '') = 'on'"
_COMMIT: Final = "SELECT seqs, swept, guard, subject FROM handgriff.commit_within($1, $2, $3)"
_BUSY: Final = (
    "Every connection for transactions was in use for too long. Keep what is done in a transaction short, or raise `?pool=` in the address."
)
_ORDERLY_SECONDS: Final = 5.0
"""How long a server may take to end a transaction, before the connection is cut off: then it ends the transaction by itself."""


class Transactions:
    """Begins them. It opens its connections at the first, or takes those of a pool that was handed in."""

    def __init__(self, connections: Connections, source: Pool | Address, *, patience: float) -> None:
        self._connections = connections
        self._source = source
        self._patience = patience
        self._opened: Pool | None = None
        self._opening = anyio.Lock()

    async def begin(self) -> "PostgresTransaction":
        """A new transaction.

        Raises:
            BackendError: the server failed, all connections were in use for too long, or the store is closed.
        """
        try:
            try:
                return await self._begin()
            except (*LOST, *MISUSED):  # a connection that nobody used may have died, which the driver tells in either way
                return await self._begin()
        except ERRORS as error:
            raise fault("begin", error) from error

    async def close(self) -> None:
        """Close what was opened here."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.close()

    async def _begin(self) -> "PostgresTransaction":
        transaction = await self._acquire()
        try:
            await transaction.start()
        except BaseException:
            await transaction.roll_back()
            raise
        return transaction

    async def _acquire(self) -> "PostgresTransaction":
        self._connections.enter("begin")
        async with AsyncExitStack() as held:
            held.callback(self._connections.leave)
            with anyio.move_on_after(self._patience):
                connection = await held.enter_async_context((await self._pool()).acquire())
                block = connection.transaction(isolation="read_committed")
                return PostgresTransaction(connection, block, held.pop_all())
            raise fault("begin", TimeoutError("no connection became free"), hint=_BUSY)

    async def _pool(self) -> Pool:
        if not isinstance(self._source, Address):
            return self._source
        async with self._opening:
            if self._opened is None:
                self._opened = await open_lent_pool(self._source.dsn, self._source.pool)
            return self._opened


class PostgresTransaction:
    """One transaction, on a connection that it holds until it is over. What its methods promise is said by the transaction port."""

    def __init__(self, connection: Connection, block: Block, held: AsyncExitStack) -> None:
        self._connection = connection
        self._block = block
        self._held = held
        self._is_over = False

    @property
    def connection(self) -> Any:
        """The driver's connection, inside the transaction."""
        return self._connection

    async def start(self) -> None:
        """Begin, and leave a mark that is gone when somebody ends it by hand."""
        await self._block.start()
        await self._connection.execute(_MARK)

    async def commit(self, batch: Batch) -> Committed:
        """Write *batch* and commit all of it."""
        if self._is_over:
            raise fault("commit", RuntimeError("the transaction is over"), hint="The transaction is over; nothing was written.")
        try:
            sent = words_of(batch)
        except (UnicodeEncodeError, JsonError) as error:
            raise fault("commit", error) from error
        try:
            ((seqs, swept, guard, subject),) = await self._connection.fetch(_COMMIT, sent.words, sent.starts, sent.locks)
        except ERRORS as error:
            await self.roll_back()
            raise undone(error) from error
        if guard is not None:
            raise CommitRefused(guard, given(subject))
        await self._finish()
        return Committed(tuple(seqs), swept)

    async def roll_back(self) -> bool:
        """Undo all of it and let go of the connection; False where somebody had ended it by hand."""
        if self._is_over:
            return True
        self._is_over, is_undone, is_ours = True, False, True
        try:
            with suppress(*ERRORS), anyio.move_on_after(_ORDERLY_SECONDS, shield=True):
                with suppress(*ERRORS):  # one whose statement has failed answers nothing, and nobody has ended it
                    is_ours = await self._connection.fetchval(_IS_MARKED)
                await self._block.rollback()
                is_undone = True
        finally:
            await self._let_go(is_clean=is_undone)
        return is_ours

    async def _finish(self) -> None:
        self._is_over, is_committed = True, False
        try:
            await self._block.commit()
            is_committed = True
        except ERRORS as error:
            raise unfinished(error) from error
        finally:
            await self._let_go(is_clean=is_committed)

    async def _let_go(self, *, is_clean: bool) -> None:
        # A connection that could not be made clean is ended by the driver, and an outcome that is committed already stays one.
        with suppress(*ERRORS):
            if not is_clean:
                self._connection.terminate()
        with suppress(*ERRORS), anyio.move_on_after(_ORDERLY_SECONDS, shield=True):
            await self._held.aclose()
