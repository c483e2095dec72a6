"""What tests of transactions share: a database on whose server waiting in a circle is noticed at once, and ways to get in between.

A module that takes the fixtures names them: `opened, … = transactions.opened, …`; pytest finds them by these names.
"""

# ruff: noqa: S608  # the tables are ours, and so are the names

from collections.abc import AsyncIterator
from typing import Final

import anyio
import pytest

from handgriff.core.delta import Increment
from handgriff.stores.postgres.driver import Connection, connect
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import change, create
from tests.contract.postgres import Database, application, database, new_database, store_at
from tests.servers.postgres import SUPERUSER, as_user

ONE: Final = "INSERT INTO app_rows VALUES ('one')"
TWO: Final = "INSERT INTO app_rows VALUES ('two')"
NAME: Final = "transacting"
TRANSACTING: Final = f"application_name = '{NAME}'"
OTHERS: Final = f"application_name <> '{NAME}'"
GATE: Final = 7
"""The number of a lock that somebody waits for."""
GUARD: Final = f"""
CREATE FUNCTION public.gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock({GATE});
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON app_rows DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.gate();
SELECT pg_advisory_lock({GATE});
"""
"""From now on a COMMIT with rows of the application's waits."""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def opened(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    """A new database, with the application's table."""
    async with new_database(postgres_url) as new:
        superuser = await connect(as_user(new, SUPERUSER))
        await superuser.execute(f"ALTER DATABASE {new.rpartition('/')[2]} SET deadlock_timeout = '20ms'")
        await superuser.close()
        async with database(new) as opened, application(opened):
            yield opened


@pytest.fixture
async def emptied(opened: Database) -> Database:
    """One session, and nothing else in it."""
    store = await opened.emptied()
    await store.commit((create(),))
    await store.close()
    await opened.superuser.execute("DELETE FROM app_rows")
    return opened


@pytest.fixture
async def store(emptied: Database) -> AsyncIterator[PostgresStore]:
    """One connection for what is read and written, and one for transactions."""
    async with store_at(f"{emptied.url}?pool=1&application_name={NAME}") as store:
        yield store


@pytest.fixture
async def other(emptied: Database) -> AsyncIterator[Connection]:
    """A connection that may do anything, and lets others notice a circle first."""
    connection = await connect(as_user(emptied.url, SUPERUSER))
    await connection.execute("SET deadlock_timeout = '1min'")
    try:
        yield connection
    finally:
        await connection.close()


async def begins_and_ends(store: PostgresStore) -> None:
    """Nobody holds a connection or a lock of the session's."""
    with anyio.fail_after(10):
        transaction = await store.begin()
        await transaction.commit((change(Increment("session", "n", 1)),))
        await store.commit((change(Increment("session", "n", 1)),))


async def cut_off(opened: Database) -> None:
    """End the connection that is in a transaction."""
    pids = f"SELECT pid FROM pg_stat_activity WHERE {TRANSACTING} AND xact_start IS NOT NULL"
    [found] = await opened.superuser.fetch(pids)
    assert await opened.superuser.fetchval("SELECT pg_terminate_backend($1, 5000)", found["pid"])


async def blocked(opened: Database, which: str) -> None:
    """Wait until one of *which* waits for a lock."""
    with anyio.fail_after(10):
        while not await opened.superuser.fetchval(
            f"SELECT count(*) FROM pg_stat_activity WHERE {which} AND wait_event_type = 'Lock' AND datname = current_database()"
        ):
            await anyio.lowlevel.checkpoint()


async def unguarded(other: Connection) -> None:
    """Let what waits go on, and the next ones not wait at all."""
    await other.execute(f"SELECT pg_advisory_unlock({GATE})")
    await other.execute("DROP TRIGGER gate ON app_rows; DROP FUNCTION public.gate()")
