"""The schema: numbered SQL files, applied once each, in order, in one transaction.

Several processes may open a new file at the same moment; the write lock lets one of them migrate, and the others find it done.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

_FOLDER = Path(__file__).with_name("schema")
_TABLE = "CREATE TABLE IF NOT EXISTS handgriff_schema (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"
_KNOWN = "SELECT 1 FROM sqlite_schema WHERE name = 'handgriff_schema'"
_VERSION = "SELECT COALESCE(MAX(version), 0) FROM handgriff_schema"
_APPLIED = "INSERT INTO handgriff_schema (version, name) VALUES (?, ?)"


class NewerSchemaError(Exception):
    """A newer version of Handgriff has migrated this file."""

    def __init__(self, found: int, newest: int) -> None:
        super().__init__(f"The file has schema {found} and this version of Handgriff knows {newest}; upgrade Handgriff")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest schema.

    Raises:
        NewerSchemaError: it has a newer one already; nothing was changed.
        sqlite3.Error: it can't be read or written.
    """
    files = sorted(_FOLDER.glob("[0-9]*.sql"))
    newest = int(files[-1].name.partition("_")[0])
    if _version(connection, newest) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_TABLE)
        current = _version(connection, newest)
        for file in files[current:]:
            for statement in _split(file.read_text("utf-8")):
                connection.execute(statement)
            connection.execute(_APPLIED, (int(file.name.partition("_")[0]), file.stem))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, newest: int) -> int:
    if connection.execute(_KNOWN).fetchone() is None:
        return 0
    version: int = connection.execute(_VERSION).fetchone()[0]
    if version > newest:
        raise NewerSchemaError(version, newest)
    return version


def _split(script: str) -> Iterator[str]:
    # `executescript` would commit the transaction that holds the whole migration.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
