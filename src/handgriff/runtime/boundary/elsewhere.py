"""Instances that a user keeps outside the store: claimed before their effect, settled behind it; and so where a session is cut back.

A claim names its effect, or the event of its rewind, so that whoever finds it after a crash between the two finishes it by what the store
says of that. Until then it stands.
"""

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

import anyio

from handgriff.core import jsontext
from handgriff.core.claim import read_outcome
from handgriff.core.codec import pack, unpack
from handgriff.core.rows import Effect, Workflow
from handgriff.errors import BackendError
from handgriff.ports.clock import Clock
from handgriff.ports.snapshots import Kept, SnapshotKey, SnapshotStore
from handgriff.ports.store import Store

T = TypeVar("T")
_TRIES: Final = 5
SECONDS: Final = 10.0
"""How long a snapshot store may take for one step; a claim's lease outlives them."""
FORGOTTEN_AFTER: Final = timedelta(days=1)
"""How much longer than an instance lives its record stays, so that clocks may differ."""


@dataclass(frozen=True, slots=True)
class _Record:
    """What is stored. Of a claimed instance, `tenant` is its effect's or its rewind's, and at `until` its claim has a trace in the store or
    no holder."""

    row: Workflow
    tenant: str = ""
    until: datetime | None = None
    is_unborn: bool = False
    """It begins with the success of the call, or of the rewind, that claims it."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The instances in one snapshot store. Only what may have ended a claim is read of the other one."""

    snapshots: SnapshotStore
    store: Store
    clock: Clock
    seconds: float = SECONDS

    async def load(self, key: SnapshotKey, expires_at: datetime | None) -> Workflow | None:
        """The instance, with the snapshot store's own version; None also for one that has not begun. A claim that is over by its effect's
        record is finished first, and then the instance lives until *expires_at*.

        Raises:
            BackendError: the store can't be reached, or answers what was never stored.
        """
        for _ in range(_TRIES):
            found = await self._load(key)
            moves = None if found is None or found.row.claim is None else await self._ended(found)
            if found is None or moves is None:
                return None if found is None or found.is_unborn else found.row
            await self._let_go(found, moves=moves, expires_at=expires_at)
        raise BackendError("snapshots", "loading an instance") from RuntimeError("it changes all the time")

    async def has(self, row: Workflow, *, is_stored: bool) -> bool:
        """Whether nobody has claimed or settled it since *row* was loaded."""
        found = await self._load(_key(row))
        return (None if found is None else found.row.version) == (row.version if is_stored else None)

    async def claim(self, row: Workflow, effect: Effect, *, next_text: str, next_hash: str, is_stored: bool) -> bool:
        """Hold *row* for *effect*; whether it was free and had not moved."""
        return row.claim is None and await self._hold(row, effect, next_text, next_hash, row.version if is_stored else 0)

    async def claim_new(self, row: Workflow, effect: Effect) -> bool:
        """Store an instance that begins with the success of *effect*; whether there was none. One that an earlier claim of the same wish
        has left unborn is looked after first.

        Raises:
            BackendError: the store can't be reached, or answers what was never stored.
        """
        if await self.load(_key(row), None) is not None:
            return False
        return await self._hold(row, effect, row.snapshot, row.hash, 0, is_unborn=True)

    async def claim_back(self, row: Workflow, event: str, until: datetime) -> bool:
        """Hold the session's own instance for the rewind that *event* will tell of, to become *row*; whether nobody else holds it.

        Raises:
            BackendError: the store can't be reached, or answers what was never stored.
        """
        found = await self._load(_key(row))
        if found is None:
            return await self._put(_Record(replace(row, claim=event), row.tenant, until, is_unborn=True), 0)
        if found.row.claim is not None:
            return False
        held = replace(found.row, claim=event, next=row.snapshot, next_hash=row.hash)
        return await self._put(_Record(held, row.tenant, until), found.row.version)

    async def adopt(self, row: Workflow) -> bool:
        """Keep *row*, which was kept in the store; whether it is what is kept here now.

        Raises:
            BackendError: the store can't be reached, or answers what was never stored.
        """
        if await self._put(_Record(row), 0):
            return True
        found = await self._load(_key(row))
        return found is not None and (found.row.snapshot, found.row.hash, found.row.claim) == (row.snapshot, row.hash, None)

    async def settle(self, key: SnapshotKey, claim: str, *, moves: bool, expires_at: datetime | None) -> None:
        """Let go of what *claim* holds; nothing where another one does."""
        found = await self._load(key)
        if found is not None and found.row.claim == claim:
            await self._let_go(found, moves=moves, expires_at=expires_at)

    async def replace(self, key: SnapshotKey, row: Workflow | None) -> None:
        """Let *row* take the place of what is kept, whatever that is; without one it is forgotten."""
        if row is None:
            await self._within("forgetting an instance", self.snapshots.delete(key))
            return
        for _ in range(_TRIES):
            found = await self._load(key)
            if await self._put(_Record(row), 0 if found is None else found.row.version):
                return
        raise BackendError("snapshots", "storing an instance") from RuntimeError("it changes all the time")

    async def _hold(self, row: Workflow, effect: Effect, next_text: str, next_hash: str, version: int, *, is_unborn: bool = False) -> bool:
        held = replace(row, claim=effect.claim, tool=effect.tool, key=effect.key, next=next_text, next_hash=next_hash)
        return await self._put(_Record(held, effect.tenant, effect.lease_until, is_unborn), version)

    async def _ended(self, found: _Record) -> bool | None:
        """Whether what holds it was a success that moves; None while nobody can say."""
        row, is_over = found.row, found.until is None or self.clock.now() >= found.until
        if row.tool is None:
            was_cut = any(event.id == row.claim for event in await self.store.events(found.tenant, row.handle))
            return True if was_cut else False if is_over else None
        record = await self.store.effect(found.tenant, row.tool, row.key) if row.tool and row.key else None
        if record is None or record.claim != row.claim:
            return False if is_over else None
        if record.state not in ("done", "failed"):
            return None
        vetoed = record.result is not None and read_outcome(record.result).vetoed
        return record.state == "done" and not vetoed

    async def _let_go(self, found: _Record, *, moves: bool, expires_at: datetime | None) -> bool:
        row = found.row
        if found.is_unborn and not moves:
            await self.replace(_key(row), None)
            return True
        free = replace(row, claim=None, tool=None, key=None, next=None, next_hash=None)
        if moves and row.next is not None:
            later = row.expires_at if expires_at is None or row.expires_at is None else max(row.expires_at, expires_at)
            free = replace(free, snapshot=row.next, hash=row.next_hash or row.hash, expires_at=later)
        return await self._put(_Record(free), row.version)

    async def _load(self, key: SnapshotKey) -> _Record | None:
        kept = await self._within("loading an instance", self.snapshots.load(key))
        if kept is None:
            return None
        try:
            return _read(key, kept)
        except Exception as error:
            raise BackendError("snapshots", "reading an instance") from error

    async def _put(self, record: _Record, version: int) -> bool:
        row = record.row
        # What is claimed is kept until somebody has said what became of it.
        forgotten = None if row.expires_at is None or row.claim is not None else row.expires_at + FORGOTTEN_AFTER
        kept = Kept(jsontext.dumps(pack(replace(record, row=replace(row, version=version + 1)))), version + 1, forgotten)
        return await self._within("storing an instance", self.snapshots.compare_and_set(_key(row), version, kept))

    async def _within(self, what: str, work: Awaitable[T]) -> T:
        try:
            with anyio.fail_after(self.seconds):
                return await work
        except Exception as error:
            raise BackendError("snapshots", what) from error


def _read(key: SnapshotKey, kept: Kept) -> _Record:
    record = unpack(_Record, jsontext.loads(kept.text))
    if _key(record.row) != key:
        # Whoever mixes up keys would give somebody what is another tenant's.
        raise ValueError("it is another instance's")
    return replace(record, row=replace(record.row, version=kept.version))


def _key(row: Workflow) -> SnapshotKey:
    return SnapshotKey(row.tenant, row.machine, row.handle)
