"""Keys and records for tests of snapshot stores."""

from datetime import UTC, datetime
from typing import Final

from handgriff.ports.snapshots import Kept, SnapshotKey

KEY: Final = SnapshotKey("acme", "invoice", "h1")
LATER: Final = datetime(2999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
"""A time that comes for no store while it is tested."""


def record(version: int = 1, said: str = "draft", expires_at: datetime | None = None) -> Kept:
    """A record whose text says *said*."""
    return Kept(f'{{"value":"{said}"}}', version, expires_at)
