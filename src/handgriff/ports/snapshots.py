"""The snapshot port: where workflow instances live that a user keeps elsewhere, in Redis, DynamoDB or a table of theirs.

What is lost with it: the transition is not in one commit with the call's outcome. What a crash leaves between the two is finished by the
effect's record when the instance is next looked at.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SnapshotKey:
    """Whose instance of which machine. None of the three is empty; they are ids, and are best kept apart rather than joined."""

    tenant: str
    machine: str
    handle: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A record as it is stored: text that only Handgriff reads, and its version, which counts from 1."""

    text: str
    version: int
    expires_at: datetime | None = None
    """From then on it is not asked for any more; a store that forgets by itself does so a day later or more, never before."""


class SnapshotStore(Protocol):
    """Keeps one record for each key. What can't be reached is raised as it comes; the boundary makes `transient` of it."""

    async def load(self, key: SnapshotKey) -> Kept | None:
        """The record as the last `compare_and_set` left it."""
        ...

    async def compare_and_set(self, key: SnapshotKey, version: int, record: Kept) -> bool:
        """Store *record*, whose version is *version* + 1, if the stored version is *version* (0: there is none), in one step; whether it
        was so."""
        ...

    async def delete(self, key: SnapshotKey) -> None:
        """Remove the record; nothing where there is none."""
        ...
