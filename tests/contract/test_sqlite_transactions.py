"""The SQLite store keeps what the transaction port promises."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from handgriff.ports.store import Store
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.stores import TransactingStore, TransactionSuite
from handgriff.testing.stores.transactions import Ending


class TestSqliteTransactions(TransactionSuite):
    _path: Path

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[TransactingStore]:
        self._path = tmp_path / "handgriff.db"
        store = SqliteStore.open(self._path)
        yield store
        await store.close()

    async def prepare(self, store: Store) -> None:
        with closing(sqlite3.connect(self._path)) as application:
            application.execute("CREATE TABLE app_rows (text TEXT NOT NULL)")

    async def insert(self, connection: Any, text: str) -> None:
        connection.execute("INSERT INTO app_rows (text) VALUES (?)", (text,))

    async def rows(self) -> list[str]:
        with closing(sqlite3.connect(self._path)) as application:
            return [text for (text,) in application.execute("SELECT text FROM app_rows")]

    async def end(self, connection: Any, how: Ending) -> None:
        if how == "roll back":
            connection.rollback()
            return
        connection.commit()
        if how == "begin anew":
            connection.execute("BEGIN")
