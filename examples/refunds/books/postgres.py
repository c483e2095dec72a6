"""The shop's database in PostgreSQL. A product would keep a pool; the example connects for each call."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg  # type: ignore[import-untyped]  # it ships no types

_OURS: Final = "?pool="
"""What an address may say to Handgriff alone."""


class PostgresBook:
    """A connection to the database."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def rows(self, statement: str, *values: str | int | None) -> list[tuple[Any, ...]]:
        """The rows of *statement*."""
        return [tuple(row) for row in await self._connection.fetch(statement, *values)]

    async def write(self, statement: str, *values: str | int | None) -> int:
        """Carry out *statement*; how many rows it touched."""
        status: str = await self._connection.execute(statement, *values)
        return int(status.rpartition(" ")[2])

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """A transaction."""
        async with self._connection.transaction():
            yield

    async def script(self, text: str) -> None:
        """Carry out a file of statements."""
        await self._connection.execute(text)

    async def has(self, table: str) -> bool:
        """Whether there is such a table."""
        return bool(await self.rows("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1", table))


@asynccontextmanager
async def open_book(address: str) -> AsyncIterator[PostgresBook]:
    """A connection of its own."""
    connection = await asyncpg.connect(address.partition(_OURS)[0])
    try:
        yield PostgresBook(connection)
    finally:
        await connection.close()
