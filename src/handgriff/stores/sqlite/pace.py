"""Who may write at once, and who waits for the loop's next iteration so that several are written together.

A transaction costs about as much as what an event writes in it. So where several tasks write in one iteration, they share one; and a task
that is alone must not pay for a future and two turns of the loop.
"""

import asyncio
from typing import Any, Final

AHEAD: Final = 32
"""How often in a row a task may go ahead without letting the loop go on: others may have waited for their first chance."""


class Pace:
    """What was written in this iteration of the loop, and by whom."""

    def __init__(self) -> None:
        self._first: asyncio.Task[Any] | None = None
        self._streak = 0
        self._is_shared = False

    def goes_ahead(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the task that runs may write at once."""
        if self._is_shared:
            return False
        task = asyncio.current_task(loop)
        if self._first is None:
            self._first, self._streak = task, 1
            loop.call_soon(self._turn)
            return True
        self._streak += 1
        return task is self._first and self._streak <= AHEAD

    def note(self, together: int) -> None:
        """So many have waited and were written *together*; with more than one, the next ones wait at once."""
        self._is_shared = together > 1
        self._first = None

    def _turn(self) -> None:
        self._first = None
