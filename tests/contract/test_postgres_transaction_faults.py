"""What the server, the way to it and a cancelled task can do to a transaction, and what is left afterwards."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff.errors import BackendError
from handgriff.stores.postgres.driver import ERRORS, Connection, Pool
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import TENANT, say
from tests.contract import postgres_transactions as transactions
from tests.contract.postgres import Database, store_at
from tests.contract.postgres_transactions import (
    GATE,
    GUARD,
    ONE,
    OTHERS,
    TRANSACTING,
    TWO,
    begins_and_ends,
    blocked,
    cut_off,
    unguarded,
)
from tests.servers.postgres import OWNER

pytestmark = pytest.mark.anyio
anyio_backend, opened, emptied = transactions.anyio_backend, transactions.opened, transactions.emptied
store, other = transactions.store, transactions.other


async def test_a_world_that_moved_keeps_nothing(opened: Database, store: PostgresStore) -> None:
    transaction = await store.begin()
    await transaction.connection.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
    await transaction.connection.execute(ONE)
    await store.commit((say("e1"),))

    with pytest.raises(BackendError, match=r"in the way of this one\. Nothing of the transaction was kept") as failed:
        await transaction.commit((say("e2"),))

    assert isinstance(failed.value.__cause__, asyncpg.SerializationError)
    assert await opened.rows() == []
    assert [event.id for event in await store.events(TENANT, "s1")] == ["e1"]
    await begins_and_ends(store)


async def test_two_that_wait_for_each_other_keep_one(opened: Database, store: PostgresStore, other: Connection) -> None:
    await opened.superuser.execute(ONE)
    transaction = await store.begin()
    await transaction.connection.execute("UPDATE app_rows SET text = 'mine'")

    async with other.transaction(), anyio.create_task_group() as tasks:
        await other.fetch("SELECT FROM handgriff.session FOR UPDATE")
        tasks.start_soon(other.execute, "UPDATE app_rows SET text = 'theirs'")
        await blocked(opened, OTHERS)
        with pytest.raises(BackendError, match=r"waited for each other\. Nothing of the transaction was kept"):
            await transaction.commit((say("e1"),))

    assert await opened.rows() == ["theirs"]
    assert list(await store.events(TENANT, "s1")) == []


async def test_a_constraint_that_holds_until_the_commit_keeps_nothing(opened: Database, store: PostgresStore, other: Connection) -> None:
    """What it says may be the application's own, so the operator finds it in the cause alone."""
    await other.execute("ALTER TABLE app_rows ADD CONSTRAINT once UNIQUE (text) DEFERRABLE INITIALLY DEFERRED")
    transaction = await store.begin()
    await transaction.connection.execute("INSERT INTO app_rows VALUES ('s3cret'), ('s3cret')")

    with pytest.raises(BackendError, match=r"UniqueViolationError; the cause says why\. Nothing of the transaction was kept") as failed:
        await transaction.commit((say("e1"),))
    await other.execute("ALTER TABLE app_rows DROP CONSTRAINT once")

    assert isinstance(failed.value.__cause__, asyncpg.UniqueViolationError)
    assert "s3cret" not in str(failed.value)
    assert await opened.rows() == []
    assert list(await store.events(TENANT, "s1")) == []
    await begins_and_ends(store)


async def test_a_connection_that_is_lost_before_the_commit_keeps_nothing(opened: Database, store: PostgresStore) -> None:
    transaction = await store.begin()
    await transaction.connection.execute(ONE)
    await cut_off(opened)

    with pytest.raises(BackendError, match=r"connection was lost.* Nothing of the transaction was kept"):
        await transaction.commit((say("e1"),))
    await transaction.roll_back()

    assert await opened.rows() == []
    assert list(await store.events(TENANT, "s1")) == []
    await begins_and_ends(store)


async def test_a_connection_that_is_lost_can_be_rolled_back(opened: Database, store: PostgresStore) -> None:
    """Whether that was noticed by the handler, or by nobody yet."""
    for is_noticed in (True, False):
        transaction = await store.begin()
        await transaction.connection.execute(ONE)
        await cut_off(opened)
        if is_noticed:
            with pytest.raises(ERRORS):
                await transaction.connection.execute(TWO)

        await transaction.roll_back()
        await transaction.roll_back()

        assert await opened.rows() == []
        await begins_and_ends(store)


async def test_a_commit_whose_answer_is_lost_may_have_happened(opened: Database, store: PostgresStore, other: Connection) -> None:
    await other.execute(GUARD)
    transaction = await store.begin()
    await transaction.connection.execute(ONE)
    told: list[str] = []

    async def commit() -> None:
        try:
            await transaction.commit((say("e1"),))
        except BackendError as error:
            told.append(str(error))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(commit)
        await blocked(opened, TRANSACTING)
        await cut_off(opened)
    await unguarded(other)

    assert told == ["'postgres' failed at commit. The connection was lost; what was sent may have been written or not."]
    await transaction.roll_back()
    await begins_and_ends(store)


@pytest.mark.parametrize("how", ["scope", "task"])
async def test_a_commit_that_is_cancelled_holds_no_connection(opened: Database, store: PostgresStore, other: Connection, how: str) -> None:
    await other.execute(GUARD)
    transaction = await store.begin()
    await transaction.connection.execute(ONE)

    if how == "scope":
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(transaction.commit, (say("e1"),))
            await blocked(opened, TRANSACTING)
            tasks.cancel_scope.cancel()
    else:
        task = asyncio.create_task(transaction.commit((say("e1"),)))
        await blocked(opened, TRANSACTING)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await unguarded(other)

    await begins_and_ends(store)
    assert len(await opened.rows()) == len([event for event in await store.events(TENANT, "s1") if event.id == "e1"])


async def test_a_handler_that_is_cancelled_in_a_statement_is_rolled_back(opened: Database, store: PostgresStore, other: Connection) -> None:
    """B123: while a database transaction is open; nothing is held afterwards."""

    async def handle() -> None:
        transaction = await store.begin()
        try:
            await transaction.connection.execute(ONE)
            await transaction.connection.execute("SELECT pg_advisory_xact_lock($1)", GATE)
        finally:
            await transaction.roll_back()

    await other.execute(f"SELECT pg_advisory_lock({GATE})")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(handle)
        await blocked(opened, TRANSACTING)
        tasks.cancel_scope.cancel()
    await other.execute(f"SELECT pg_advisory_unlock({GATE})")

    assert await opened.rows() == []
    await begins_and_ends(store)


async def test_who_finds_no_free_connection_is_told_after_a_while(emptied: Database) -> None:
    async with store_at(f"{emptied.url}?pool=1", patience=0.05) as store:
        first = await store.begin()

        with pytest.raises(BackendError, match=r"Every connection for transactions was in use for too long.*\?pool=") as failed:
            await store.begin()
        assert isinstance(failed.value.__cause__, TimeoutError)

        await first.roll_back()
        await begins_and_ends(store)


async def test_a_server_that_lets_nobody_in_begins_nothing_and_says_so(store: PostgresStore, opened: Database) -> None:
    await opened.superuser.execute(f"ALTER ROLE {OWNER} CONNECTION LIMIT 0")
    with pytest.raises(BackendError, match=r"failed at begin\. The server has no connection left; lower `\?pool=`"):
        await store.begin()
    await opened.superuser.execute(f"ALTER ROLE {OWNER} CONNECTION LIMIT -1")

    await begins_and_ends(store)


async def test_a_connection_that_died_unused_is_replaced(emptied: Database) -> None:
    store = PostgresStore(DyingOnce(emptied.pool))

    await begins_and_ends(store)
    with anyio.fail_after(10):
        await store.close()


class DyingOnce:
    """A pool whose first connection is dead."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.fetch = pool.fetch
        self._is_dying = True

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[Connection]:
        """A connection."""
        async with self._pool.acquire() as connection:
            if self._is_dying:
                self._is_dying = False
                connection.terminate()
            yield connection

    async def close(self) -> None:
        """It belongs to somebody else."""
