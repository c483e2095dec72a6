"""What is left alone for a while because the last look at it came to nothing: ever longer, and never for good."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Rests(Generic[K]):
    """The first rest, and the longest one. Each is twice as long as the one before."""

    first: timedelta
    longest: timedelta
    _rests: dict[K, tuple[timedelta, datetime]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._rests)

    def rests(self, key: K, now: datetime) -> bool:
        """Whether *key* is left alone at *now*."""
        return key in self._rests and now < self._rests[key][1]

    def begin(self, key: K, now: datetime) -> None:
        """The look at *key* came to nothing."""
        rest = min(self.longest, self._rests[key][0] * 2) if key in self._rests else self.first
        self._rests[key] = (rest, now + rest)

    def end(self, key: K) -> None:
        """It came to something, so that the next rest is a first one."""
        self._rests.pop(key, None)

    def forget(self, now: datetime) -> None:
        """Drop what nobody has come back to long after its rest: it is gone."""
        for key in [key for key, (_, until) in self._rests.items() if until + self.longest <= now]:
            del self._rests[key]
