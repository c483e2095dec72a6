"""Scratch, wherever it lives: in the store, where it commits with its call, or beside it (Redis, files), where it follows the commit.

Below are the store and the scratch port; above, the boundary and the host. What stands in a record is core's business.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from handgriff.core.batch import DeliverHook, RenewScratch, SweepScratch
from handgriff.core.delta import Delta, decode_delta, encode_delta, in_scopes
from handgriff.core.rows import QueuedHook, Record
from handgriff.core.state import StateLimits
from handgriff.errors import BackendError
from handgriff.ports.clock import Clock
from handgriff.ports.scratch import Scratch
from handgriff.ports.store import CommitRefused, Store

_LOG = logging.getLogger("handgriff.scratch")
FOLLOWS = ":scratch"
"""Stands in a queued hook where a tool's name would: what follows the write is its part of the delta."""
REST = timedelta(seconds=5)
"""How long a scratch that could not be reached is left alone, so that one call does not wait for it twice."""
STEP = 100
"""Records removed in one commit; a sweep never holds the store up for longer."""
STEPS = 20
"""Steps of the daily sweep. What is left then is expired all the same, and waits for the next one or for `gc`."""


@dataclass(slots=True)
class Notebooks:
    """The scratch records of one host. `external` is where they live, None for the store itself."""

    store: Store
    external: Scratch | None
    clock: Clock
    limits: StateLimits
    _swept: dict[str, date] = field(default_factory=dict)
    _resting: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """Sessions whose scratch could not be written, and until when it is not tried again."""

    async def record(self, tenant: str, session: str, namespace: str, *, sweeps: bool = True) -> Record | None:
        """The record of this namespace, if it lives. With *sweeps* a tenant's first access of a day removes what is expired."""
        now = self.clock.now()
        if sweeps:
            await self._sweep_daily(tenant, now)
        return await (self.external or self.store).record(tenant, session, namespace, now=now)

    async def records(self, tenant: str, *, session: str | None = None) -> Sequence[Record]:
        """The living records of a tenant, or of one session."""
        return await (self.external or self.store).records(tenant, session=session, now=self.clock.now())

    async def renew(self, tenant: str, session: str, namespace: str, *, until: datetime) -> None:
        """Prolong a record that lives."""
        now = self.clock.now()
        if self.external is not None:
            await self.external.renew(tenant, session, namespace, now=now, until=until)
        else:
            await self.store.commit((RenewScratch(tenant, session, namespace, now, until),))

    def split(self, delta: Delta) -> tuple[Delta, Delta]:
        """The part of *delta* that is committed with its event, and the part that follows the commit."""
        if self.external is None:
            return delta, ()
        return in_scopes(delta, scratch=False), in_scopes(delta, scratch=True)

    def payload(self, delta: Delta) -> str:
        """The text under which a part that follows is queued."""
        return encode_delta(delta) or "[]"

    async def follow_up(self, tenant: str, session: str | None = None) -> None:
        """Apply what is queued for a tenant's scratch, or for one session's, oldest first: a later part never comes before an earlier one.

        A part may come twice, because a crash can lie between applying and forgetting it. What fails stays queued.
        """
        failed: set[str] = set()
        for hook in await self.store.hooks(tenant):
            if hook.tool != FOLLOWS or session not in (None, hook.session) or hook.session in failed:
                continue
            if self.clock.now() < self._resting.get((tenant, hook.session), hook.at) or not await self._follow(hook):
                failed.add(hook.session)
            else:
                await self.store.commit((DeliverHook(hook.tenant, hook.id),))

    async def _follow(self, queued: QueuedHook) -> bool:
        place = (queued.tenant, queued.session)
        if self.external is None:
            _LOG.error("scratch of call %s was queued for a scratch beside the store, which this host does not have", queued.call)
            return False
        try:
            # What belonged to a session goes with it.
            if await self.store.session(*place) is not None:
                delta = decode_delta(queued.payload)
                await self.external.write(*place, delta, now=self.clock.now(), limits=self.limits)
        except CommitRefused as refused:
            _LOG.warning("scratch of call %s was not kept: %s", queued.call, refused)
        except BackendError:
            _LOG.exception("scratch of call %s could not be written; it stays queued", queued.call)
            self._resting[place] = self.clock.now() + REST
            return False
        self._resting.pop(place, None)
        return True

    async def write(self, tenant: str, session: str, delta: Delta) -> None:
        """Apply a part that lives beside the store, at once."""
        if self.external is not None and delta:
            await self.external.write(tenant, session, delta, now=self.clock.now(), limits=self.limits)

    async def forget(self, tenant: str, session: str | None = None) -> None:
        """Remove the records of a session or a tenant that live beside the store; those in it go with their session."""
        if self.external is not None:
            await self.external.forget(tenant, session)

    async def sweep(self, tenant: str, *, steps: int | None = None) -> int:
        """Remove the tenant's expired records, in bounded steps, and say how many."""
        removed = 0
        while steps is None or steps > 0:
            swept = await self._step(tenant)
            removed += swept
            steps = None if steps is None else steps - 1
            if swept < STEP:
                break
        return removed

    async def _step(self, tenant: str) -> int:
        now = self.clock.now()
        if self.external is not None:
            return await self.external.sweep(tenant, now=now, limit=STEP)
        return (await self.store.commit((SweepScratch(tenant, now, STEP),))).swept

    async def _sweep_daily(self, tenant: str, now: datetime) -> None:
        today = now.date()
        if self._swept.get(tenant) == today:
            return
        self._swept[tenant] = today
        try:
            await self.sweep(tenant, steps=STEPS)
        except BackendError:
            # Whoever asked for one record is not to blame for another one.
            _LOG.exception("the daily sweep of tenant %r failed", tenant)
