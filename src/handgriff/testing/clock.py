"""A clock that stands still until a test moves it, and ids that count."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import anyio

from handgriff.ports.ids import IdKind

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When a still clock begins: a Monday morning."""


class StillClock:
    """Time as a test says. A sleeper wakes when the clock is moved past its time, never by itself."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._begin = start
        self._moved = anyio.Event()

    def now(self) -> datetime:
        """The present time."""
        return self._now

    def monotonic(self) -> float:
        """Seconds since the start."""
        return (self._now - self._begin).total_seconds()

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was moved that far."""
        until = self._now + timedelta(seconds=seconds)
        while self._now < until:
            await self._moved.wait()

    def move(self, seconds: float) -> None:
        """Move the clock forward and wake whoever waited for it."""
        self._now += timedelta(seconds=seconds)
        self._moved.set()
        self._moved = anyio.Event()


class CountedIds:
    """Ids as "call-1", "call-2": readable in a failing test, and never to be used where somebody could guess."""

    def __init__(self) -> None:
        self._counts: Counter[IdKind] = Counter()

    def new(self, kind: IdKind) -> str:
        """The next id of its kind."""
        self._counts[kind] += 1
        return f"{kind}-{self._counts[kind]}"
