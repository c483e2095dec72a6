"""Scratch in files, for debugging: what a tool has noted lies open beside the application, one readable file a record."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from handgriff.core.delta import Delta
from handgriff.core.rows import Record
from handgriff.core.state import StateLimits
from handgriff.stores.files.tenant import forget_records, read_record, read_tenant, renew_record, sweep_tenant, write_delta
from handgriff.stores.files.text import Name

R = TypeVar("R")

_THREADS = 8
"""At once; so many writers may wait for one lock before reads of other tenants wait too."""


class FileScratch:
    """Keeps records under *folder*, as `TENANT/tmp/state/NAMESPACE_SESSION.json`. What its methods promise is said by the scratch port.

    A record is the old one or the new one whenever a process dies; it is not waited for the disk. Several processes of one machine may
    share the folder.
    """

    def __init__(self, folder: Path | str) -> None:
        self._root = Path(folder)
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace; one that is over is removed."""
        return await self._run(partial(read_record, self._root, Name(tenant, session, namespace), now))

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        return await self._run(partial(read_tenant, self._root, tenant, session, now))

    async def write(self, tenant: str, session: str, delta: Delta, *, now: datetime, limits: StateLimits) -> None:  # noqa: ARG002  # the delta says when
        """Apply the scratch operations of *delta*."""
        await self._run(partial(write_delta, self._root, tenant, session, delta, limits))

    async def renew(self, tenant: str, session: str, namespace: str, *, now: datetime, until: datetime) -> None:
        """Prolong a record that lives."""
        await self._run(partial(renew_record, self._root, Name(tenant, session, namespace), now=now, until=until))

    async def sweep(self, tenant: str, *, now: datetime, limit: int) -> int:
        """Remove records that are over, and say how many."""
        return await self._run(partial(sweep_tenant, self._root, tenant, now=now, limit=limit))

    async def forget(self, tenant: str, session: str | None = None) -> None:
        """Remove the records of a session or a tenant. A tenant's empty folder stays."""
        await self._run(partial(forget_records, self._root, tenant, session))

    async def close(self) -> None:
        """Nothing is open between two calls."""

    async def _run(self, work: Callable[[], R]) -> R:
        return await anyio.to_thread.run_sync(work, limiter=self._threads)
