"""The stores that a promise must hold on, as names a host takes, and everything that lies in one."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from handgriff.stores.postgres.driver import connect
from handgriff.stores.postgres.migration import migrate
from handgriff.testing.harness import Harness
from tests.contract.postgres import TABLES
from tests.servers.postgres import SUPERUSER, as_user

STORES: Final = ("memory", "sqlite", "postgres")
_FILE: Final = "sqlite:///"


def store_name(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The name of an empty store of this kind."""
    if kind == "memory":
        return "memory://"
    if kind == "sqlite":
        return f"{_FILE}{folder}/h.db"
    url = str(request.getfixturevalue("postgres_url"))
    asyncio.run(_empty(url))
    return url


async def rows(chat: Harness, store: str) -> dict[str, list[str]]:
    """Every row that lies in the store named *store*, which *chat* uses, as text by table."""
    if store == "memory://":
        tables = (await chat.host.engine()).store._tables  # type: ignore[attr-defined]  # a memory store
        return {name: list(map(repr, getattr(tables, name).items())) for name in tables.__slots__ if name != "_undo"}
    return _rows_of_file(store.removeprefix(_FILE)) if store.startswith(_FILE) else await _rows_of_database(store)


async def _empty(url: str) -> None:
    await migrate(url)
    superuser = await connect(as_user(url, SUPERUSER))
    try:
        await superuser.execute("".join(f"DELETE FROM handgriff.{table};" for table in TABLES))  # noqa: S608  # our own tables
    finally:
        await superuser.close()


def _rows_of_file(path: str) -> dict[str, list[str]]:
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: list(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in names}  # noqa: S608  # our own tables


async def _rows_of_database(url: str) -> dict[str, list[str]]:
    superuser = await connect(as_user(url, SUPERUSER))
    try:
        return {
            table: [row[0] for row in await superuser.fetch(f"SELECT t::text FROM handgriff.{table} t")]  # noqa: S608  # our own tables
            for table in TABLES
        }
    finally:
        await superuser.close()
