"""Whose turn it is to write: the store's own thread and transactions that were lent take turns, in the order in which they asked.

SQLite's own lock would keep them apart too, but whoever waits for it asks again from time to time and may never hit the moment between
two others. It stays what they meet other processes at.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Final

import anyio

_LATE: Final = (
    "A handler of this process kept its transaction open for too long; it must be short, and wait for nothing outside the database"
)


class Turns:
    """A lock with a queue, for threads and for tasks of any event loop."""

    are_taken: bool
    """Whether somebody has the turn; who must not wait looks here first."""

    def __init__(self) -> None:
        self.are_taken = False
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()

    @contextmanager
    def taken(self, *, patience: float) -> Iterator[None]:
        """Within it this thread has the turn. *patience* is in seconds.

        Raises:
            TimeoutError: others had it for too long.
        """
        ticket = self._ticket()
        try:
            ticket.result(patience)
        except TimeoutError:
            if ticket.cancel():
                raise TimeoutError(_LATE) from None
        try:
            yield
        finally:
            self.leave()

    async def take(self, *, patience: float) -> None:
        """Wait for the turn; it lasts until `leave`. *patience* is in seconds.

        Raises:
            TimeoutError: others had it for too long.
        """
        ticket = self._ticket()
        if ticket.done():
            return
        try:
            with anyio.fail_after(patience):
                await asyncio.wrap_future(ticket)
        except BaseException as problem:
            if not ticket.cancel():  # it came in the same moment
                self.leave()
            if isinstance(problem, TimeoutError):
                raise TimeoutError(_LATE) from None
            raise

    def leave(self) -> None:
        """The turn is over; the next one has it."""
        with self._lock:
            while self._waiting:
                ticket = self._waiting.popleft()
                if ticket.set_running_or_notify_cancel():
                    ticket.set_result(None)
                    return
            self.are_taken = False

    def _ticket(self) -> Future[None]:
        ticket: Future[None] = Future()
        with self._lock:
            if self.are_taken:
                self._waiting.append(ticket)
            else:
                self.are_taken = True
                ticket.set_result(None)
        return ticket
