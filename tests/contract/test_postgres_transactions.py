"""The PostgreSQL store keeps what the transaction port promises, on connections of its own and on those of a pool that was handed in."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from handgriff.ports.store import Store
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.stores import TransactingStore, TransactionSuite
from tests.contract.postgres import Database, application, database, store_at


@pytest.fixture(scope="class")
async def opened(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    async with database(postgres_url) as opened, application(opened):
        yield opened


class OnPostgres(TransactionSuite):
    """The application is a table beside ours."""

    opened: Database

    @pytest.fixture(scope="class")
    @classmethod
    def anyio_backend(cls) -> str:
        return "asyncio"

    async def prepare(self, store: Store) -> None:
        await self.opened.superuser.execute("DELETE FROM app_rows")

    async def insert(self, connection: Any, text: str) -> None:
        await connection.execute("INSERT INTO app_rows VALUES ($1)", text)

    async def rows(self) -> list[str]:
        return await self.opened.rows()

    async def end(self, connection: Any, how: str) -> None:
        await connection.execute("ROLLBACK" if how == "roll back" else "COMMIT")
        if how == "begin anew":
            await connection.execute("BEGIN")


class TestOnConnectionsOfItsOwn(OnPostgres):
    @pytest.fixture
    async def store(self, opened: Database) -> AsyncIterator[TransactingStore]:
        self.opened = opened
        await opened.emptied()
        async with store_at(f"{opened.url}?pool=4") as store:
            yield store


class TestOnAPoolThatWasHandedIn(OnPostgres):
    @pytest.fixture
    async def store(self, opened: Database) -> AsyncIterator[TransactingStore]:
        self.opened = opened
        store: PostgresStore = await opened.emptied()
        yield store
        await store.close()
