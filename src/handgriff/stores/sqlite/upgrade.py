"""A file brought to the newest schema for its own sake. Opening a store does the same; this says what was done."""

import sqlite3
from contextlib import closing
from pathlib import Path

from handgriff.stores.sqlite.faults import fault
from handgriff.stores.sqlite.store import SqliteStore

_KNOWN = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'handgriff_schema'"
_VERSION = "SELECT COALESCE(MAX(version), 0) FROM handgriff_schema"


async def migrate(path: str) -> tuple[int, int]:
    """The schema the file at *path* had, 0 where there was none, and the one it has now.

    Raises:
        DefinitionError: *path* names no file.
        BackendError: the file can't be opened, is none of ours, or has the schema of a newer version.
    """
    before = _version(path)
    await SqliteStore.open(path).close()
    return before, _version(path)


def _version(path: str) -> int:
    if not Path(path).is_file():
        return 0
    try:
        with closing(sqlite3.connect(path)) as connection:
            (is_known,) = connection.execute(_KNOWN).fetchone()
            version: int = connection.execute(_VERSION).fetchone()[0] if is_known else 0
            return version
    except sqlite3.Error as error:
        raise fault(f"open of {path!r}", error) from error
