"""The one writer of a file: at once on the event loop when it is idle, else a thread that writes what waits in groups.

A commit that must reach the disk always takes the thread, because the loop would stand still meanwhile; so does one that finds another
process writing. A commit that was accepted is written, whatever becomes of the task that waits for it.
"""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

import anyio.to_thread

from handgriff.core.batch import Batch
from handgriff.errors import BackendError
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.faults import fault, is_busy
from handgriff.stores.sqlite.transaction import Outcome, Transactions

GROUP = 64
"""Most batches in one transaction; with more, the first waits too long for the last."""


@dataclass(frozen=True, slots=True)
class Job:
    """A batch that waits for the thread, and who waits for it."""

    batch: Batch
    durable: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Committed]


class GroupWriter:
    """Writes batches one transaction at a time. *patience* is how long one waits for other processes, in milliseconds.

    The condition guards the queue, and the connection while the thread is not busy with it: an inline commit runs inside the condition,
    the thread outside it, with `_is_busy` raised.
    """

    def __init__(self, connection: sqlite3.Connection, *, patience: int) -> None:
        self._transactions = Transactions(connection)
        self._patience = patience
        self._changed = threading.Condition()
        self._jobs: deque[Job] = deque()
        self._is_busy = False
        self._is_closed = False
        self._thread: threading.Thread | None = None

    async def commit(self, batch: Batch, *, durable: bool) -> Committed:
        """Write *batch*.

        Raises:
            CommitRefused: a guard does not hold.
            BackendError: SQLite failed, or the store is closed.
        """
        with self._changed:
            if self._is_closed:
                raise fault("commit", RuntimeError("the store is closed"))
            outcome = None if durable or self._is_busy or self._jobs else self._write_inline(batch)
            waiting = outcome or self._enqueue(batch, durable=durable)
        if isinstance(waiting, asyncio.Future):
            return await waiting
        if isinstance(waiting, Exception):
            raise waiting
        return waiting

    async def close(self) -> None:
        """Write what was accepted, then close the connection."""
        with self._changed:
            self._is_closed = True
            thread = self._wake()
        await anyio.to_thread.run_sync(thread.join)

    def _write_inline(self, batch: Batch) -> Outcome | None:
        # No patience: the loop must not wait for another process, so None sends this batch to the thread.
        try:
            (outcome,) = self._transactions.write([batch], durable=False, patience=0)
        except sqlite3.Error as error:
            return None if is_busy(error) else fault("commit", error)
        if self._transactions.is_due():
            self._wake()
        return outcome

    def _enqueue(self, batch: Batch, *, durable: bool) -> asyncio.Future[Committed]:
        loop = asyncio.get_running_loop()
        job = Job(batch, durable, loop, loop.create_future())
        self._jobs.append(job)
        self._wake()
        return job.future

    def _wake(self) -> threading.Thread:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="handgriff-sqlite", daemon=True)
            self._thread.start()
        self._changed.notify()
        return self._thread

    def _serve(self) -> None:
        while self._take_turn():
            jobs = self._take_jobs()
            outcomes = self._write(jobs) if jobs else ()
            is_due = self._transactions.is_due()
            if not is_due:
                self._rest()  # before anybody hears of it, so that the next commit of whoever waited finds an idle writer
            _deliver(jobs, outcomes)
            if is_due:
                with suppress(sqlite3.Error):  # the log stays longer; a fault of the file shows at the next commit, to somebody who waits
                    self._transactions.checkpoint()
        self._transactions.close()

    def _rest(self) -> None:
        with self._changed:
            self._is_busy = False

    def _take_turn(self) -> bool:
        with self._changed:
            self._is_busy = False
            self._changed.wait_for(lambda: self._jobs or self._is_closed or self._transactions.is_due())
            self._is_busy = True
            return bool(self._jobs) or not self._is_closed

    def _take_jobs(self) -> list[Job]:
        with self._changed:
            return [self._jobs.popleft() for _ in range(min(GROUP, len(self._jobs)))]

    def _write(self, jobs: Sequence[Job]) -> Sequence[Outcome]:
        durable = any(job.durable for job in jobs)
        try:
            return self._transactions.write([job.batch for job in jobs], durable=durable, patience=self._patience)
        except Exception as problem:  # noqa: BLE001  # a thread that died would leave every later commit waiting
            return [_failed(problem) for _ in jobs]


def _failed(problem: Exception) -> BackendError:
    return fault("commit", problem)


def _deliver(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> None:
    for loop, settled in groupby(zip(jobs, outcomes, strict=True), key=lambda pair: pair[0].loop):
        with suppress(RuntimeError):  # that loop was closed, so nobody waits there any more
            loop.call_soon_threadsafe(_settle, [(job.future, outcome) for job, outcome in settled])


def _settle(settled: Sequence[tuple[asyncio.Future[Committed], Outcome]]) -> None:
    for future, outcome in settled:
        if future.done():  # the task that waited was cancelled
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
