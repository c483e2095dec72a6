"""The connections of a store: one statement at a time on whichever is free, asked again where that is safe, and an orderly end."""

from typing import Final

import anyio

from handgriff.stores.postgres.driver import ERRORS, Pool, Row
from handgriff.stores.postgres.faults import fault, is_conflict, is_lost, refusal

_ATTEMPTS: Final = 5
"""How often a transaction is tried that is in another one's way."""


class Connections:
    """A pool, and what goes on in it."""

    def __init__(self, pool: Pool, *, is_ours: bool) -> None:
        self._pool = pool
        self._is_ours = is_ours
        self._is_closed = False
        self._running = 0
        self._finished = anyio.Event()

    async def ask(self, operation: str, statement: str, *values: object, may_repeat: bool = True) -> list[Row]:
        """The rows of *statement*. With *may_repeat* it is asked once more where its connection was lost.

        Raises:
            CommitRefused: the server's function says so.
            StoredAlreadyError: the same.
            BackendError: the store is closed, or the server failed.
        """
        self.enter(operation)
        try:
            return await self._ask(operation, statement, values, may_repeat=may_repeat)
        finally:
            self.leave()

    def enter(self, operation: str) -> None:
        """Something begins, which the end of the store will wait for.

        Raises:
            BackendError: the store is closed.
        """
        if self._is_closed:
            raise fault(operation, RuntimeError("the store is closed"), hint="The store is closed.")
        self._running += 1

    def leave(self) -> None:
        """What has entered is over."""
        self._running -= 1
        if self._is_closed and not self._running:
            self._finished.set()

    async def close(self) -> None:
        """Refuse what comes, wait for what runs, and close the pool if it is ours."""
        was_closed, self._is_closed = self._is_closed, True
        if self._running:
            await self._finished.wait()
        if self._is_ours and not was_closed:
            await self._pool.close()

    async def _ask(self, operation: str, statement: str, values: tuple[object, ...], *, may_repeat: bool) -> list[Row]:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._pool.fetch(statement, *values)
            except ERRORS as error:
                refused = refusal(error)
                if refused is not None:
                    raise refused from refused.__cause__
                may_again = is_conflict(error) or (may_repeat and is_lost(error) and attempt == 1)
                if not may_again or attempt == _ATTEMPTS:
                    raise fault(operation, error) from error
        raise AssertionError("the last attempt returns or raises")
