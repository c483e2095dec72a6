"""Transactions that a handler shares with us: a connection of its own to the same file, with the write lock, and a batch at its end.

Opening, beginning, committing and letting go may each wait for the disk or for another process, so they are done in a thread; what a
handler and a batch write goes on the event loop. What was handed to a thread is done, whatever becomes of the task that waits for it.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio

from handgriff.core.batch import Batch
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.apply import apply
from handgriff.stores.sqlite.faults import fault, is_busy, told
from handgriff.stores.sqlite.lent import LentConnection
from handgriff.stores.sqlite.removal import removes
from handgriff.stores.sqlite.writer import GroupWriter

T = TypeVar("T")
_SLICE: Final = 0.05
"""Seconds for which SQLite waits for another process, before somebody looks whether the transaction is still wanted."""
_OPTIONS: Final[Mapping[str, Any]] = {
    "uri": True,
    "timeout": _SLICE,
    "isolation_level": None,
    "check_same_thread": False,
    "cached_statements": 0,
    "factory": LentConnection,
}
# Foreign keys, because a table that declares them means them, and because a handler can't switch them on any more.
_SETTINGS: Final = ("synchronous = FULL", "secure_delete = TRUE", "wal_autocheckpoint = 4000", "foreign_keys = TRUE")


class Lender:
    """Begins transactions on the file at *path*, in turn with its *writer*. *patience* is in seconds."""

    def __init__(self, path: Path, writer: GroupWriter, *, patience: float) -> None:
        # The working folder may be another one when a transaction begins, and a file that went away must not be made anew.
        self._address = f"{path.absolute().as_uri()}?mode=rw"
        self._writer = writer
        self._patience = patience

    async def begin(self) -> "LentTransaction":
        """A new transaction.

        Raises:
            BackendError: others held the write lock for too long, SQLite failed, or the store is closed.
        """
        self._writer.check_open("begin")
        deadline = time.monotonic() + self._patience
        try:
            await self._writer.turns.take(patience=self._patience)
        except TimeoutError as late:
            raise fault("begin", late) from late
        transaction = LentTransaction(self._address, self._writer)
        try:
            self._writer.check_open("begin")
            await _in_thread(lambda: transaction.start(deadline))
        except BaseException as problem:
            # It may still be beginning. Whoever was cancelled waits for nothing more.
            transaction.give_up()
            if isinstance(problem, sqlite3.Error):
                raise fault("begin", problem) from problem
            raise
        return transaction


class LentTransaction:
    """One transaction. What its methods promise is said by the transaction port."""

    def __init__(self, address: str, writer: GroupWriter) -> None:
        self._address = address
        self._writer = writer
        self._connection: LentConnection | None = None
        self._is_wanted = True
        self._is_over = False
        # Whoever was cancelled may end it while a thread is still at work on it.
        self._lock = threading.Lock()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, inside the transaction."""
        if self._connection is None:
            raise fault("begin", RuntimeError("the transaction has not begun"))
        return self._connection

    async def commit(self, batch: Batch) -> Committed:
        """Write *batch* beside what was written on the connection, and commit all of it."""
        self._writer.check_open("commit")
        committed = self._apply(batch)
        try:
            await _in_thread(self._commit)
        except sqlite3.Error as error:
            raise fault("commit", error) from error
        if removes(batch):
            await self._writer.follow(batch)
        return committed

    async def roll_back(self) -> bool:
        """Undo all of it and let go of the connection. Nobody can have ended it by hand: the fence forbids it."""
        if not self._is_over:
            with anyio.CancelScope(shield=True):
                await self.give_up()
        return True

    def give_up(self) -> asyncio.Future[None]:
        """Begin to undo all of it."""
        self._is_wanted = False
        return _in_thread(self._end)

    def start(self, deadline: float) -> None:
        """Open the connection and begin; in a thread.

        Raises:
            sqlite3.Error: it can't be opened, or others held the lock until *deadline*.
        """
        with self._lock:
            connection: LentConnection
            self._connection = connection = sqlite3.connect(self._address, **_OPTIONS)
            cursor = sqlite3.Cursor(connection)
            for setting in _SETTINGS:
                cursor.execute(f"PRAGMA {setting}").fetchall()
            while self._is_wanted and not _has_begun(cursor, is_last=time.monotonic() >= deadline):
                pass
            connection.lend()

    def _apply(self, batch: Batch) -> Committed:
        with self._lock:
            connection = self._usable()
            connection.take_back()
            texts, connection.text_factory = connection.text_factory, str
            cursor = sqlite3.Cursor(connection)
            cursor.row_factory = None
            try:
                return _apply_whole(cursor, batch)
            except BaseException:
                connection.text_factory = texts
                connection.lend()
                raise

    def _commit(self) -> None:
        with self._lock:
            connection = self._usable()
            try:
                sqlite3.Cursor(connection).execute("COMMIT")
                self._writer.note(connection.total_changes)
            finally:
                # Also where it failed: its batch can't be told apart any more from what the handler wrote.
                self._let_go()

    def _usable(self) -> LentConnection:
        connection = self._connection
        if self._is_over or connection is None or not connection.in_transaction:
            raise fault("commit", RuntimeError("the transaction is over; it was committed or taken back before"))
        return connection

    def _end(self) -> None:
        with self._lock:
            if not self._is_over:
                self._let_go()

    def _let_go(self) -> None:
        self._is_over = True
        try:
            with suppress(sqlite3.Error):  # closing takes back as well, and what is broken shows to whoever writes next
                if self._connection is not None:
                    self._connection.let_go()
        finally:
            self._writer.turns.leave()


def _has_begun(cursor: sqlite3.Cursor, *, is_last: bool) -> bool:
    try:
        cursor.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if is_last or not is_busy(error):
            raise
        return False
    return True


def _apply_whole(cursor: sqlite3.Cursor, batch: Batch) -> Committed:
    cursor.execute("SAVEPOINT handgriff_batch")
    try:
        committed = apply(cursor, batch)
    except Exception as problem:
        # A full disk makes SQLite take back the whole transaction.
        if cursor.connection.in_transaction:
            cursor.execute("ROLLBACK TO handgriff_batch")
            cursor.execute("RELEASE handgriff_batch")
        raise told(problem) from problem
    cursor.execute("RELEASE handgriff_batch")
    return committed


def _in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    promise: Future[T] = Future()
    promise.set_running_or_notify_cancel()  # from here on nobody can call it off

    def run() -> None:
        try:
            promise.set_result(work())
        except BaseException as problem:  # noqa: BLE001  # it belongs to the task that waits
            promise.set_exception(problem)

    try:
        threading.Thread(target=run, name="handgriff-sqlite-lent", daemon=True).start()
    except RuntimeError:  # the system has no thread left: the loop stands still for a moment, and nobody waits for ever
        run()
    return asyncio.wrap_future(promise)
