"""A snapshot store in a folder, which processes can share: a file for each instance, replaced under a lock. And what can go wrong there."""

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from handgriff.ports.snapshots import Kept, SnapshotKey

BROKEN: Final = ConnectionError("the cabinet is locked")


@dataclass(frozen=True, slots=True)
class Cabinet:
    """What its methods promise is said by the snapshot port."""

    folder: Path

    async def load(self, key: SnapshotKey) -> Kept | None:
        """The record, if there is one."""
        return self._read(key)

    async def compare_and_set(self, key: SnapshotKey, version: int, record: Kept) -> bool:
        """Store *record* where the stored version is *version*, and say whether it was."""
        with self._locked():
            found = self._read(key)
            if version != (0 if found is None else found.version):
                return False
            until = None if record.expires_at is None else record.expires_at.isoformat()
            written = self._file(key).with_suffix(".new")
            written.write_text(json.dumps([record.text, record.version, until]))
            written.replace(self._file(key))
            return True

    async def delete(self, key: SnapshotKey) -> None:
        """Remove the record."""
        with self._locked():
            self._file(key).unlink(missing_ok=True)

    def _read(self, key: SnapshotKey) -> Kept | None:
        if not self._file(key).exists():
            return None
        text, version, until = json.loads(self._file(key).read_text())
        return Kept(text, version, None if until is None else datetime.fromisoformat(until))

    def _file(self, key: SnapshotKey) -> Path:
        name = json.dumps([key.tenant, key.machine, key.handle])
        return self.folder / f"{hashlib.sha256(name.encode()).hexdigest()}.json"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.folder / "lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield


@dataclass(slots=True)
class Watched:
    """A snapshot store whose every step is told: `before load 1`, `after set 2`. What is told may raise, or end the process."""

    inner: Any
    passes_by: Any
    counts: dict[str, int] = field(default_factory=dict)

    async def load(self, key: SnapshotKey) -> Kept | None:
        """The record, if there is one."""
        with self._step("load"):
            found: Kept | None = await self.inner.load(key)
        return found

    async def compare_and_set(self, key: SnapshotKey, version: int, record: Kept) -> bool:
        """Store *record* where the stored version is *version*, and say whether it was."""
        with self._step("set"):
            done: bool = await self.inner.compare_and_set(key, version, record)
        return done

    async def delete(self, key: SnapshotKey) -> None:
        """Remove the record."""
        with self._step("delete"):
            await self.inner.delete(key)

    @contextmanager
    def _step(self, what: str) -> Iterator[None]:
        number = self.counts[what] = self.counts.get(what, 0) + 1
        self.passes_by(f"before {what} {number}")
        yield
        self.passes_by(f"after {what} {number}")


@dataclass(slots=True)
class Fault:
    """Raises at one place, or at every place from there on, and remembers all that were passed."""

    at: str = ""
    lasts: bool = False
    places: list[str] = field(default_factory=list)
    _is_down: bool = False

    def __call__(self, place: str) -> None:
        """*place* is passed."""
        self.places.append(place)
        if place == self.at or self._is_down:
            self._is_down = self.lasts
            raise BROKEN

    def mend(self) -> None:
        """Nothing raises any more."""
        self.at, self._is_down = "", False
