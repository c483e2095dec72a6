"""The PostgreSQL store keeps what the port promises."""

from collections.abc import AsyncIterator

import pytest

from handgriff.ports.store import Store
from handgriff.testing.stores import StoreSuite
from tests.contract.postgres import Database, database


@pytest.fixture(scope="class")
async def opened(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    async with database(postgres_url) as found:
        yield found


class TestPostgresStore(StoreSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def anyio_backend(cls) -> str:
        return "asyncio"

    @pytest.fixture
    async def store(self, opened: Database) -> AsyncIterator[Store]:
        store = await opened.emptied()
        yield store
        await store.close()
