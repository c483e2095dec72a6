"""The schema: made once, whole, and never taken back."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from handgriff.errors import BackendError
from handgriff.stores.sqlite import SqliteStore, migration
from handgriff.stores.sqlite.migration import NewerSchemaError, migrate


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def test_a_new_file_gets_every_migration_once(connection: sqlite3.Connection) -> None:
    migrate(connection)
    before = connection.execute("SELECT sql FROM sqlite_schema").fetchall()
    migrate(connection)

    assert connection.execute("SELECT sql FROM sqlite_schema").fetchall() == before
    applied = connection.execute("SELECT version, name FROM handgriff_schema").fetchall()
    assert applied == [(1, "0001_begin"), (2, "0002_deltas"), (3, "0003_consent"), (4, "0004_workflows")]


def test_migrations_are_numbered_without_a_gap() -> None:
    folder = Path(migration.__file__).with_name("schema")
    numbers = [int(file.name[:4]) for file in sorted(folder.iterdir())]

    assert numbers == list(range(1, len(numbers) + 1))


def test_tenant_is_the_first_column_of_every_primary_key(connection: sqlite3.Connection) -> None:
    migrate(connection)

    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'handgriff_schema'").fetchall():
        first = [name for _, name, _, _, _, place in connection.execute(f"PRAGMA table_info({table})") if place == 1]
        assert first == ["tenant"], table


def test_every_table_is_strict_and_every_index_begins_with_the_tenant(connection: sqlite3.Connection) -> None:
    migrate(connection)

    tables = connection.execute("SELECT name, strict FROM pragma_table_list WHERE name LIKE 'handgriff%'").fetchall()
    assert len(tables) > 10
    for table, strict in tables:
        assert strict == 1, table
        for _, index, *_ in connection.execute(f"PRAGMA index_list({table})").fetchall():
            first = connection.execute(f"PRAGMA index_info({index})").fetchone()[2]
            # Whoever looks after crashes asks over all tenants, and gets ids alone.
            assert first == ("lease_until" if index.endswith("_by_lease") else "tenant"), index


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    with sqlite3.connect(path) as newer:
        newer.execute("CREATE TABLE handgriff_schema (version INTEGER PRIMARY KEY, name TEXT)")
        newer.execute("INSERT INTO handgriff_schema VALUES (999, '0999_later')")

    with pytest.raises(BackendError, match=r"schema 999.*upgrade Handgriff") as failed:
        SqliteStore.open(path)
    assert isinstance(failed.value.__cause__, NewerSchemaError)
    assert newer.execute("SELECT name FROM sqlite_schema").fetchall() == [("handgriff_schema",)]
    newer.close()


def test_a_migration_that_fails_leaves_nothing(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE handgriff_hook (theirs TEXT)")

    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(connection)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("handgriff_hook",)]
    assert not connection.in_transaction
