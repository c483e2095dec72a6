"""The office's counter: a host without a model, for processes of their own, and the server that forks them quickly."""

import multiprocessing
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.context import ForkServerContext
from typing import Any, Final

from handgriff import Assistant, Host
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.clock import Clock
from handgriff.ports.snapshots import SnapshotStore
from handgriff.testing.harness import MODEL, PRICES
from tests.interaction.papers import everybody

NOWHERE: Final = "http://127.0.0.1:9"
"""No model is asked."""
_PRELOADED: Final = [
    *("tests.interaction.gate_kill", "tests.interaction.racer", "tests.interaction.kill_run", "tests.interaction.killed"),
    *("anyio._backends._asyncio", "httpcore2", "handgriff.prices.published"),
    *("handgriff.stores.sqlite.store", "handgriff.stores.postgres.store", "pytest"),
]
"""What every such process needs, imported once. There is one list, because whoever forks first decides for all."""


def forking() -> ForkServerContext:
    """Where processes come from that have imported everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


@asynccontextmanager
async def opened(
    assistant: Assistant, store: Any, *, snapshots: SnapshotStore | None = None, clock: Clock | None = None
) -> AsyncIterator[Host]:
    """A host of *assistant* on *store*, for everybody of the office."""
    model = AnthropicModel(api_key="loopback-key", base_url=NOWHERE)
    try:
        async with Host(
            assistant, store=store, callers=everybody, model=MODEL, models=[model], prices=PRICES, snapshots=snapshots, clock=clock
        ) as host:
            yield host
    finally:
        await model.close()
