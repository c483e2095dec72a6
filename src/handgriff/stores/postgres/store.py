"""The front of the PostgreSQL store: it opens a pool, checks the schema, sends batches, and closes what it opened."""

from typing import Self

from handgriff.core.batch import AppendEvent, Batch, CloseRequest, DeliverHook, IntroduceSeen, KeepPrefix, OpenRequest, SettleWorkflow
from handgriff.core.jsontext import JsonError
from handgriff.ports.store import Committed
from handgriff.ports.transaction import Transaction
from handgriff.stores.postgres.address import Address, read_address
from handgriff.stores.postgres.changes import sets_of
from handgriff.stores.postgres.connections import Connections
from handgriff.stores.postgres.driver import ERRORS, Pool, open_pool
from handgriff.stores.postgres.faults import StoredAlreadyError, fault
from handgriff.stores.postgres.migration import ensure
from handgriff.stores.postgres.reads import Reads
from handgriff.stores.postgres.transactions import Transactions
from handgriff.stores.postgres.words import words_of

_APPEND = "SELECT handgriff.append_sets($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
_COMMIT = "SELECT seqs, swept FROM handgriff.commit($1, $2, $3, $4, $5)"
_REPEATABLE = (AppendEvent, IntroduceSeen, KeepPrefix, OpenRequest, CloseRequest, DeliverHook, SettleWorkflow)
"""Operations that answer and leave the same when they come a second time."""


class PostgresStore(Reads):
    """A store in a PostgreSQL database, for many machines. *patience* is how many seconds the beginning of a transaction waits for a free
    connection.

    A pool that is handed in is left open, and its connections are those of transactions too. So it must have more of them than handlers are
    in a transaction at once: what a handler reads or writes outside of it goes over another one.
    """

    def __init__(self, pool: Pool, *, patience: float = 30.0, opened: Address | None = None) -> None:
        connections = Connections(pool, is_ours=opened is not None)
        super().__init__(connections)
        self._transactions = Transactions(connections, opened or pool, patience=patience)

    @classmethod
    async def open(cls, dsn: str, *, patience: float = 30.0) -> Self:
        """Open the database at *dsn*, which may say `?pool=` and how many connections to open at most; with the first transaction so many
        again, for transactions alone. Where the role may, its tables are made or brought up to date.

        Raises:
            DefinitionError: *dsn* is no address.
            BackendError: the server can't be reached, the database is not there, or has the schema of another version.
        """
        address = read_address(dsn)
        try:
            pool = await open_pool(address.dsn, address.pool)
            try:
                async with pool.acquire() as connection:
                    await ensure(connection)
            except BaseException:
                await pool.close()
                raise
        except ERRORS as error:
            raise fault("open", error) from error
        return cls(pool, patience=patience, opened=address)

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write all of *batch* or nothing."""
        try:
            return await self._commit_short(batch, durable=durable)
        except StoredAlreadyError:
            return await self._commit(batch, durable=durable, again=True)
        except (UnicodeEncodeError, JsonError) as error:
            raise fault("commit", error) from error

    async def begin(self) -> Transaction:
        """A new transaction, to which the application's own statements belong too."""
        return await self._transactions.begin()

    async def close(self) -> None:
        """Finish what was accepted, open transactions with it, and close the connections that were opened here."""
        await self._connections.close()
        await self._transactions.close()

    async def _commit_short(self, batch: Batch, *, durable: bool) -> Committed:
        sets = sets_of(batch[0]) if len(batch) == 1 and isinstance(batch[0], AppendEvent) else None
        if sets is None:
            return await self._commit(batch, durable=durable)
        ((seq,),) = await self._connections.ask("commit", _APPEND, *sets.parameters(), durable)
        return Committed((seq,))

    async def _commit(self, batch: Batch, *, durable: bool, again: bool = False) -> Committed:
        sent = words_of(batch)
        values = (sent.words, sent.starts, sent.locks, durable, again)
        may_repeat = all(isinstance(operation, _REPEATABLE) for operation in batch)
        ((seqs, swept),) = await self._connections.ask("commit", _COMMIT, *values, may_repeat=may_repeat)
        return Committed(tuple(seqs), swept)
