"""The one writer of a file: at once on the event loop when it is idle, together where several tasks write, else a thread.

A commit that removes takes the thread, because its bytes must leave the log, and so does one that finds another process writing. The thread
writes what waits in groups; and it brings to the disk what must be there before its task goes on, for all that wait at once, because the
loop would stand still meanwhile. A commit that was accepted is written, whatever becomes of the task that waits for it.

While a transaction is lent, the thread waits for its turn, and so does whatever comes meanwhile.
"""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import anyio.to_thread

from handgriff.core.batch import Batch
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.faults import fault, is_busy
from handgriff.stores.sqlite.jobs import Job, Settled, deliver
from handgriff.stores.sqlite.log import Log
from handgriff.stores.sqlite.pace import Pace
from handgriff.stores.sqlite.removal import removes
from handgriff.stores.sqlite.shredder import Shredder
from handgriff.stores.sqlite.transaction import Outcome, Transactions
from handgriff.stores.sqlite.turns import Turns

GROUP: Final = 64
"""Most batches in one transaction; with more, the first waits too long for the last."""
_RETRY_SECONDS: Final = 1.0


class GroupWriter:
    """Writes batches one transaction at a time. *patience* is how long one waits for other processes, in milliseconds.

    The condition guards the queue, and the connection while the thread is not busy with it: the loop writes inside the condition, the
    thread outside it, with `_is_busy` raised.
    """

    turns: Turns
    """Between the thread and transactions that are lent. The loop takes none: it writes where nobody has one, and is done at once."""

    def __init__(self, connection: sqlite3.Connection, *, patience: int) -> None:
        self._transactions = Transactions(connection)
        self._log = Log(connection)
        self._shredder = Shredder(self._transactions, patience=patience)
        self.turns = Turns()
        self._patience = patience
        self._pace = Pace()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._jobs: deque[Job] = deque()
        self._unflushed: list[Settled] = []
        """Written on the loop, and not yet on the disk."""
        self._gathers: asyncio.AbstractEventLoop | None = None
        self._is_called = False
        self._is_busy = False
        self._is_closed = False
        self._thread: threading.Thread | None = None

    async def commit(self, batch: Batch, *, durable: bool) -> Committed:
        """Write *batch*.

        Raises:
            CommitRefused: a guard does not hold.
            BackendError: SQLite failed, or the store is closed.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            self.check_open("commit")
            waiting = self._write_or_queue(batch, loop, is_heavy=removes(batch), durable=durable)
        if isinstance(waiting, asyncio.Future):
            return await waiting
        if isinstance(waiting, Exception):
            raise waiting
        return waiting

    def check_open(self, operation: str) -> None:
        """Raise where the store is closed.

        Raises:
            BackendError: it is.
        """
        if self._is_closed:
            raise fault(operation, RuntimeError("the store is closed"))

    def note(self, rows: int) -> None:
        """So many *rows* were committed on another connection; from any thread."""
        with self._lock:
            self._transactions.count(rows)
            if self._transactions.is_due() and not self._is_closed:
                self._call()

    async def follow(self, removed: Batch) -> None:
        """Remove the bytes of what *removed*, committed on another connection, has removed.

        Raises:
            BackendError: it erases, and they can't be; or the store is closed.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            self.check_open("erase")
            job = Job((), durable=True, loop=loop, future=loop.create_future(), removed=removed)
            self._jobs.append(job)
            self._call()
        await job.future

    async def close(self) -> None:
        """Write what was accepted, then close the connection."""
        with self._changed:
            self._is_closed = True
            thread = self._call()
        await anyio.to_thread.run_sync(thread.join)

    # On the loop, inside the condition.

    def _write_or_queue(
        self, batch: Batch, loop: asyncio.AbstractEventLoop, *, is_heavy: bool, durable: bool
    ) -> Outcome | asyncio.Future[Committed]:
        job = Job(batch, durable, loop, loop.create_future())
        if not (is_heavy or self._is_busy or self._jobs) and self._pace.goes_ahead(loop):
            outcomes = self._write_inline([batch])
            if outcomes is not None:
                return outcomes[0] if self._over([job], outcomes) else job.future
            is_heavy = True
        self._jobs.append(job)
        if is_heavy or self._gathers not in (None, loop):
            self._call()
        elif self._gathers is None and not self._is_busy:
            self._gather(loop)
        return job.future

    def _gather(self, loop: asyncio.AbstractEventLoop) -> None:
        self._gathers = loop
        loop.call_soon(self._write_gathered, loop)

    def _write_gathered(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._gathers = None
            if self._is_busy or self._is_called or not self._jobs:
                return  # the thread has them, or will take them
            jobs = self._take_jobs()
            outcomes = self._write_inline([job.batch for job in jobs])
            if outcomes is None:
                self._jobs.extendleft(reversed(jobs))
                self._call()
                return
            self._pace.note(together=len(jobs))
            if self._jobs:
                self._gather(loop)
            over = self._over(jobs, outcomes)
        deliver(over, here=loop)

    def _over(self, jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> Sequence[Settled]:
        """Those that are over now; what must be on the disk first is left to the thread."""
        settled = list(zip(jobs, outcomes, strict=True))
        later = [(job, outcome) for job, outcome in settled if job.durable and not isinstance(outcome, Exception)]
        if not later:
            return settled
        self._unflushed += later
        self._thread_running()
        self._changed.notify()
        return [(job, outcome) for job, outcome in settled if not job.durable or isinstance(outcome, Exception)]

    def _write_inline(self, batches: Sequence[Batch]) -> Sequence[Outcome] | None:
        # No patience: the loop must not wait for a transaction or for another process, so None sends them to the thread.
        if self.turns.are_taken:
            return None
        try:
            outcomes = self._transactions.write(batches, durable=False, patience=0)
        except sqlite3.Error as error:
            return None if is_busy(error) else [fault("commit", error) for _ in batches]
        if self._transactions.is_due():
            self._call()
        return outcomes

    def _call(self) -> threading.Thread:
        self._is_called = True
        self._changed.notify()
        return self._thread_running()

    def _thread_running(self) -> threading.Thread:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="handgriff-sqlite", daemon=True)
            self._thread.start()
        return self._thread

    def _take_jobs(self) -> list[Job]:
        return [self._jobs.popleft() for _ in range(min(GROUP, len(self._jobs)))]

    # In the thread.

    def _serve(self) -> None:
        while self._take_turn():
            with self._changed:
                jobs = self._take_jobs() if self._is_busy else []
                unflushed, self._unflushed = self._unflushed, []
            # What is committed already waits for nobody; the others may wait for another process.
            deliver(self._flushed(unflushed))
            settled = list(zip(jobs, self._write(jobs) if jobs else (), strict=True))
            is_due = self._is_busy and (self._transactions.is_due() or self._shredder.is_due)
            if not is_due:
                self._rest()  # before anybody hears of it, so that the next commit of whoever waited finds an idle writer
            deliver(settled)
            if is_due:
                self._tidy()
        self._shredder.finish()
        self._log.close()
        self._transactions.close()

    def _take_turn(self) -> bool:
        with self._changed:
            self._is_busy = False
            self._changed.wait_for(self._is_wanted_at_all, timeout=_RETRY_SECONDS if self._shredder.is_due else None)
            if self._is_wanted() or not self._unflushed:
                # Otherwise the loop goes on writing meanwhile: bringing to the disk needs no connection.
                self._is_busy, self._is_called, self._gathers = True, False, None
            return bool(self._jobs or self._unflushed) or not self._is_closed

    def _is_wanted_at_all(self) -> bool:
        return bool(self._unflushed) or self._is_wanted()

    def _is_wanted(self) -> bool:
        return bool(self._is_called or self._is_closed or (self._jobs and self._gathers is None))

    def _rest(self) -> None:
        with self._changed:
            self._is_busy = False

    def _write(self, jobs: Sequence[Job]) -> Sequence[Outcome]:
        durable = any(job.durable for job in jobs)
        try:
            with self.turns.taken(patience=self._patience / 1000):
                outcomes = self._transactions.write([job.batch for job in jobs], durable=durable, patience=self._patience)
                return self._shredder.follow([job.batch + job.removed for job in jobs], outcomes)
        except Exception as problem:  # noqa: BLE001  # a thread that died would leave every later commit waiting
            return [fault("commit", problem) for _ in jobs]

    def _flushed(self, written: Sequence[Settled]) -> Sequence[Settled]:
        if not written:
            return ()
        try:
            self._log.flush()
        except Exception as problem:  # noqa: BLE001  # as above
            return [(job, fault("commit", problem)) for job, _ in written]
        return written

    def _tidy(self) -> None:
        with suppress(sqlite3.Error):  # the log stays longer; a fault of the file shows at the next commit, to somebody who waits
            if self._transactions.is_due():
                self._transactions.checkpoint()
        if self._shredder.is_due:
            self._shredder.retry()
