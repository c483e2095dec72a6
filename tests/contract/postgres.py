"""Stores on the server of this test process: one database, whose tables are emptied between tests.

A new connection costs the server more than a test does, so they are kept as long as an event loop lasts.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from os import getpid
from typing import Final

import anyio

from handgriff.stores.postgres.driver import Connection, Pool, connect, open_pool
from handgriff.stores.postgres.migration import migrate
from handgriff.stores.postgres.store import PostgresStore
from tests.servers.postgres import DATABASE, OWNER, SUPERUSER, as_user

TABLES: Final = (
    "session",
    "event",
    "state",
    "place",
    "seen",
    "typed",
    "effect",
    "proposal",
    "request",
    "prefix",
    "hook",
    "code",
    "workflow",
)
_EMPTY: Final = """
CREATE FUNCTION pg_temp.empty() RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    DELETES
END
$$
""".replace("DELETES", "\n".join(f"DELETE FROM handgriff.{table};" for table in TABLES))  # noqa: S608  # names of our tables
_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class Database:
    """A database of our schema."""

    url: str
    pool: Pool
    superuser: Connection
    """The only one who sees the rows of all tenants."""

    async def emptied(self) -> PostgresStore:
        """A store of nothing yet, on the pool."""
        await self.superuser.execute("SELECT pg_temp.empty()")
        return PostgresStore(self.pool)

    async def rows(self) -> list[str]:
        """What the application's table holds."""
        return [row["text"] for row in await self.superuser.fetch("SELECT text FROM app_rows")]


@asynccontextmanager
async def database(url: str) -> AsyncIterator[Database]:
    """The database at *url*, brought to our schema."""
    await migrate(url)
    superuser = await connect(as_user(url, SUPERUSER))
    await superuser.execute(_EMPTY)
    pool = await open_pool(url, 10)
    try:
        yield Database(url, pool, superuser)
    finally:
        await pool.close()
        await superuser.close()


@asynccontextmanager
async def application(opened: Database) -> AsyncIterator[None]:
    """A table of the application's, `app_rows`, beside ours for a while."""
    async with opened.pool.acquire() as owner:
        await owner.execute("CREATE TABLE public.app_rows (text text)")
        yield
        await owner.execute("DROP TABLE public.app_rows")


@asynccontextmanager
async def store_at(url: str, *, patience: float = 30.0) -> AsyncIterator[PostgresStore]:
    """A store on connections of its own; closing it must not take long."""
    store = await PostgresStore.open(url, patience=patience)
    try:
        yield store
    finally:
        with anyio.fail_after(30):
            await store.close()


@asynccontextmanager
async def new_database(url: str) -> AsyncIterator[str]:
    """The address of a database without anything, on the server of *url*, for a while."""
    name = f"{DATABASE}_{getpid()}_{next(_NUMBERS)}"
    superuser = await connect(as_user(url, SUPERUSER))
    try:
        await superuser.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
        yield url.removesuffix(DATABASE) + name
        await superuser.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await superuser.close()
