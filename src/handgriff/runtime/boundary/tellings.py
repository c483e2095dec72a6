"""What one process remembers of a tenant's queued hooks: which are being told just now, which were heard, and which rest.

It knows no store and tells nothing itself. Another process knows nothing of it, so a hook may still be told twice.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

REST: Final = timedelta(minutes=5)
"""How long a hook that took too long is left alone by this process, for all that is queued for it."""
AT_ONCE: Final = 2
"""How often what failed is told again without a rest."""
FIRST_REST: Final = timedelta(seconds=5)
LONGEST_REST: Final = timedelta(hours=1)


@dataclass(slots=True)
class _Failed:
    times: int
    until: datetime


@dataclass(slots=True)
class Tellings:
    """Of one tenant. `lookers` counts the deliveries that are under way."""

    lookers: int = 0
    _calls: set[tuple[str, str]] = field(default_factory=set)
    _heard: set[str] = field(default_factory=set)
    _failed: dict[str, _Failed] = field(default_factory=dict)
    _slow: dict[str, datetime] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is worth remembering."""
        return not (self.lookers or self._failed or self._slow)

    def take(self, call: tuple[str, str]) -> bool:
        """Whether what follows *call* is nobody else's now. Its hooks are told one after the other, so they are taken together."""
        if call in self._calls:
            return False
        self._calls.add(call)
        return True

    def give_back(self, call: tuple[str, str]) -> None:
        """It may be taken by the next one."""
        self._calls.discard(call)

    def was_heard(self, row: str) -> bool:
        """Whether *row* was told since whoever looks now has begun to look: what they read may be older than that."""
        return row in self._heard

    def heard(self, row: str) -> None:
        """*row* needs no second telling."""
        self._heard.add(row)
        self._failed.pop(row, None)

    def rests(self, row: str, hook: str, now: datetime) -> bool:
        """Whether *row* has failed, or *hook* has taken too long, a short while ago."""
        failed = self._failed.get(row)
        return (failed is not None and now < failed.until) or now < self._slow.get(hook, now)

    def failed(self, row: str, now: datetime) -> None:
        """*row* was not heard: soon told again, then ever more seldom."""
        times = self._times(row)
        rest = timedelta(0) if times <= AT_ONCE else _doubled(FIRST_REST, times - AT_ONCE - 1)
        self._failed[row] = _Failed(times, now + rest)

    def took_too_long(self, row: str, hook: str, now: datetime) -> None:
        """Nobody waits for *hook* a second time at once, and for *row* less often than for the others."""
        times = self._times(row)
        self._failed[row] = _Failed(times, now + _doubled(REST, times - 1))
        self._slow[hook] = now + REST

    def left(self, rows: Collection[str], now: datetime) -> None:
        """Forget what is not queued any more, and what has rested."""
        self._failed = {row: failed for row, failed in self._failed.items() if row in rows}
        self._slow = {hook: until for hook, until in self._slow.items() if now < until}

    def looked(self) -> None:
        """A delivery is over."""
        self.lookers -= 1
        if not self.lookers:
            self._heard.clear()

    def _times(self, row: str) -> int:
        failed = self._failed.get(row)
        return 1 if failed is None else failed.times + 1


def _doubled(rest: timedelta, times: int) -> timedelta:
    # Bounded before it is multiplied: a hook may fail for years.
    return min(LONGEST_REST, rest * (1 << min(times, 16)))
