"""The front of the SQLite store: it opens the file, hands reads to one connection and writes to another, and closes both.

Transactions that a handler takes part in have connections of their own.
"""

import sqlite3
import time
from os import PathLike, fspath
from pathlib import Path
from typing import Self

from handgriff.core.batch import Batch
from handgriff.errors import DefinitionError
from handgriff.ports.store import Committed
from handgriff.ports.transaction import Transaction
from handgriff.stores.sqlite.faults import fault, is_busy
from handgriff.stores.sqlite.lending import Lender
from handgriff.stores.sqlite.migration import NewerSchemaError, migrate
from handgriff.stores.sqlite.reads import Reads
from handgriff.stores.sqlite.writer import GroupWriter

_OLDEST = (3, 37, 0)  # STRICT tables
_STATEMENTS = 256  # the cache must hold every statement of ours, or each use would compile it anew
_RETRY_SECONDS = 0.01


class SqliteStore(Reads):
    """A store in one file, for one machine. Several processes may open the same file."""

    def __init__(self, reading: sqlite3.Connection, writer: GroupWriter, lender: Lender) -> None:
        super().__init__(reading)
        self._writer = writer
        self._lender = lender

    @classmethod
    def open(cls, path: str | PathLike[str], *, patience: float = 30.0) -> Self:
        """Open the file at *path*, made with its tables where there is none. It stays open until `close`.

        *patience* is how many seconds a commit waits for other processes to finish theirs, or for a handler's transaction.

        Raises:
            DefinitionError: *path* names no file.
            BackendError: the file can't be opened, is none of ours, or has the schema of a newer version.
        """
        milliseconds = round(patience * 1000)
        name = _checked(fspath(path))
        try:
            writing = _connect(name, milliseconds)
            try:
                _prepare(writing, patience)
                reading = _connect(name, milliseconds)
                reading.execute("PRAGMA query_only = TRUE")
            except BaseException:
                writing.close()
                raise
        except (sqlite3.Error, NewerSchemaError) as error:
            raise fault(f"open of {name!r}", error) from error
        writer = GroupWriter(writing, patience=milliseconds)
        return cls(reading, writer, Lender(Path(name), writer, patience=patience))

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write all of *batch* or nothing."""
        return await self._writer.commit(batch, durable=durable)

    async def begin(self) -> Transaction:
        """A new transaction, on a connection of its own; until it ends nobody else writes."""
        return await self._lender.begin()

    async def close(self) -> None:
        """Write what was accepted and close the file. A transaction that is open commits nothing more, and keeps its connection until its
        owner rolls it back."""
        # The connection that closes last cleans up after all, which takes its time; that is the writer's, in its thread.
        self._reading.close()
        await self._writer.close()


def _checked(name: str) -> str:
    if name in ("", ":memory:"):
        raise DefinitionError("SqliteStore", "path", f"{name!r} names no file.", mend="give a path, or use MemoryStore.")
    if sqlite3.sqlite_version_info < _OLDEST:
        found = RuntimeError(f"SQLite {sqlite3.sqlite_version} is too old; {'.'.join(map(str, _OLDEST))} is needed")
        raise fault("open", found)
    return name


def _connect(name: str, milliseconds: int) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=milliseconds / 1000, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS)


def _prepare(connection: sqlite3.Connection, patience: float) -> None:
    deadline = time.monotonic() + patience
    # Two processes that open a new file together can meet here, and SQLite does not wait for this change of mode.
    while not _keeps_a_log(connection, is_last=time.monotonic() >= deadline):
        time.sleep(_RETRY_SECONDS)
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("PRAGMA secure_delete = TRUE").fetchall()
    migrate(connection)


def _keeps_a_log(connection: sqlite3.Connection, *, is_last: bool) -> bool:
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as error:
        if is_last or not is_busy(error):
            raise
        return False
    if mode != "wal":
        raise sqlite3.OperationalError(f"this file system does not carry a write-ahead log (journal mode {mode})")
    return True
