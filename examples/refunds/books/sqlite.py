"""The shop's database in SQLite. Statements are carried out in threads, because another process may hold the file for a while."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import anyio.to_thread

_PATIENCE: Final = 30.0
"""Seconds to wait for whoever holds the file."""


class SqliteBook:
    """A connection to the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str) -> AsyncIterator["SqliteBook"]:
        """A connection of its own."""
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")  # money is written here
            yield cls(connection)
        finally:
            connection.close()

    async def rows(self, statement: str, *values: str | int | None) -> list[tuple[Any, ...]]:
        """The rows of *statement*."""
        return await anyio.to_thread.run_sync(lambda: self._execute(statement, values).fetchall())

    async def write(self, statement: str, *values: str | int | None) -> int:
        """Carry out *statement*; how many rows it touched."""
        return await anyio.to_thread.run_sync(lambda: self._execute(statement, values).rowcount)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """A transaction that holds the write lock from its start."""
        await self.write("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")  # it waits for nobody, and may have to be done while this task is cancelled
            raise
        await self.write("COMMIT")

    async def script(self, text: str) -> None:
        """Carry out a file of statements."""
        await anyio.to_thread.run_sync(partial(self._connection.executescript, text))

    async def has(self, table: str) -> bool:
        """Whether there is such a table."""
        return bool(await self.rows("SELECT 1 FROM sqlite_schema WHERE name = $1", table))

    def _execute(self, statement: str, values: tuple[str | int | None, ...]) -> sqlite3.Cursor:
        # SQLite takes `$1` for a name.
        return self._connection.execute(statement, {str(number): value for number, value in enumerate(values, start=1)})
