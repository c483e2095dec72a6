"""A process that carries a conversation on and kills itself at one commit: before it, or right after it."""

import os
import signal
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import anyio

from handgriff.core.batch import Batch
from handgriff.host.host import Host
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.store import Committed, Store
from handgriff.stores.sqlite.store import SqliteStore
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import MODEL, PRICES
from tests.interaction.ledgerbook import ADA, assistant

LATER = timedelta(minutes=5)
"""When every lease of the killed process is over."""


@dataclass(slots=True)
class KillingStore:
    """A store whose process dies at the commit number `at`, counted from 1; at 0 it lives and only counts."""

    inner: Store
    at: int
    when: Literal["before", "after"]
    commits: int = 0

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write, or die."""
        self.commits += 1
        if self.commits == self.at and self.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        committed = await self.inner.commit(batch, durable=durable)
        if self.commits == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        return committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


async def converse(database: Path, world: Path, url: str, at: int, when: Literal["before", "after"]) -> int:
    """The conversation with its confirmation; the number of commits it took."""
    store = KillingStore(SqliteStore.open(database), at, when)
    model = AnthropicModel(api_key="loopback-key", base_url=url)
    async with Host(
        assistant(world), store=store, callers=_ada, model=MODEL, models=[model], prices=PRICES, clock=StillClock(START)
    ) as host:
        session = await host.sessions.open(ADA, "c1")
        async for _ in host.turn(ADA, session.id, "Note two things and pay 5."):
            pass
        for proposal in await host.proposals.list(ADA):
            await host.proposals.decide(ADA, proposal.id, approved=True)
        async for _ in host.follow(ADA, session.id):
            pass
    await model.close()
    await store.close()
    return store.commits


def run(database: Path, world: Path, url: str, at: int, when: Literal["before", "after"]) -> None:
    """What the killed process runs."""
    anyio.run(converse, database, world, url, at, when)


async def _ada(tenant: str, user: str) -> Any:
    return ADA if (tenant, user) == (ADA.tenant, ADA.user) else None
