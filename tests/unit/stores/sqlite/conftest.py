"""A file with the newest schema, and the connection that writes it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from handgriff.stores.sqlite.migration import migrate


@pytest.fixture
def cursor(tmp_path: Path) -> Iterator[sqlite3.Cursor]:
    """Of a connection that is in no transaction."""
    connection = sqlite3.connect(tmp_path / "cursor.db", isolation_level=None)
    migrate(connection)
    yield connection.cursor()
    connection.close()
