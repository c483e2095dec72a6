"""A store as the scratch suite needs it: the suite names sessions it has never begun."""

from contextlib import suppress
from datetime import datetime

from handgriff.core.batch import CreateSession
from handgriff.core.delta import Delta
from handgriff.core.rows import Session
from handgriff.core.state import StateLimits
from handgriff.ports.store import CommitRefused, Store
from handgriff.runtime.store_scratch import StoreScratch
from handgriff.testing.clock import CountedIds


class SessionsOnDemand(StoreScratch):
    """The scratch of *store*, where a session begins when something is written to it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, CountedIds(), by="test")
        self._begun = store

    async def write(self, tenant: str, session: str, delta: Delta, *, now: datetime, limits: StateLimits) -> None:
        """Apply the scratch operations of *delta* to a session that is begun where there is none."""
        if await self._begun.session(tenant, session) is None:
            with suppress(CommitRefused):  # several want to begin it, one does
                await self._begun.commit((CreateSession(Session(tenant, "ada", session, now)),))
        await super().write(tenant, session, delta, now=now, limits=limits)
