"""A store, seen through the scratch port: its records read, and written with an event of their own as an operator's change.

Calls do not write this way: in a store their scratch commits with their outcome. It is for whoever has only the port in hand.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

from handgriff.core.batch import AppendEvent, RenewScratch, StateChange, SweepScratch
from handgriff.core.delta import Clear, Delta, in_scopes
from handgriff.core.events import OperatorChange, Written
from handgriff.core.rows import Record
from handgriff.core.state import LIMITS, StateLimits
from handgriff.ports.ids import Ids
from handgriff.ports.store import Store

_ALWAYS: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""A moment at which no record is over yet, so that those which are over by now are found too."""


class StoreScratch:
    """Scratch in *store*; what its methods promise is said by the scratch port. Only sessions the store knows can be written to.

    `by` is named in the events. The store stays open when this is closed.
    """

    def __init__(self, store: Store, ids: Ids, *, by: str = "operator") -> None:
        self._store = store
        self._ids = ids
        self._by = by

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace."""
        return await self._store.record(tenant, session, namespace, now=now)

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        return await self._store.records(tenant, session=session, now=now)

    async def write(self, tenant: str, session: str, delta: Delta, *, now: datetime, limits: StateLimits) -> None:
        """Apply the scratch operations of *delta*.

        Raises:
            CommitRefused: the session is unknown (`session`), a guard does not hold (`state`), a bound is passed (`limit`).
        """
        scratch = in_scopes(delta, scratch=True)
        if scratch:
            await self._append(tenant, session, scratch, now, limits)

    async def renew(self, tenant: str, session: str, namespace: str, *, now: datetime, until: datetime) -> None:
        """Prolong a record that lives."""
        await self._store.commit((RenewScratch(tenant, session, namespace, now, until),))

    async def sweep(self, tenant: str, *, now: datetime, limit: int) -> int:
        """Remove records that are over, and say how many."""
        return (await self._store.commit((SweepScratch(tenant, now, limit),))).swept

    async def forget(self, tenant: str, session: str | None = None) -> None:
        """Remove the records of a session or a tenant."""
        found = await self._store.records(tenant, session=session, now=_ALWAYS)
        for owner, records in groupby(found, key=lambda record: record.session):
            held = tuple(records)
            last = max(record.expires_at for record in held)
            await self._append(tenant, owner, tuple(Clear(record.namespace) for record in held), last, LIMITS)

    async def close(self) -> None:
        """The store is its opener's."""

    async def _append(self, tenant: str, session: str, scratch: Delta, now: datetime, limits: StateLimits) -> None:
        event = Written(self._ids.new("event"), None, now, OperatorChange("scratch", self._by))
        # No operation of scratch asks whose the session is.
        await self._store.commit((AppendEvent(tenant, session, event, StateChange("", scratch, limits)),))
