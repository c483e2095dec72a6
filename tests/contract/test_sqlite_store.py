"""The SQLite store keeps what the port promises."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handgriff.ports.store import Store
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.stores import StoreSuite


class TestSqliteStore(StoreSuite):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        store = SqliteStore.open(tmp_path / "handgriff.db")
        yield store
        await store.close()
