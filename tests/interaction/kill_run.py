"""What a killed process runs, and what the next one finds and does: one cell of the kill matrix."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import anyio

from handgriff.core.events import CallOutcome, TurnEnded
from handgriff.core.rows import Effect
from handgriff.host.adapters import open_store
from handgriff.host.host import Host
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.store import Store
from handgriff.testing.clock import START, StillClock
from tests.interaction.kill_shop import SESSION, TEXTS, Fate, Wish, caller, converse, host

LATER: Final = timedelta(minutes=5)
"""When every lease of the killed process is over, and its proposal is not."""
NOWHERE: Final = "http://127.0.0.1:9"
"""Where no payment provider answers."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was left, and what became of it."""

    uncertain: int
    """Effects that nobody could say anything about while the provider did not answer."""
    state: str
    """Of the effect at the end."""
    happened: int
    """Charges, or rows of the application's own."""


@dataclass(frozen=True, slots=True)
class After:
    """What the hosts that come after a killed process stand on: the same store, on connections that no killed process had."""

    store: Store
    model: AnthropicModel

    @asynccontextmanager
    async def begun(self, payments: str, later: timedelta) -> AsyncIterator[Host]:
        """A host of the shop that knows nothing yet, so much later."""
        async with host(self.store, self.model, payments, StillClock(START + later), Fate()) as shop:
            yield shop


@asynccontextmanager
async def looking(store_name: str, model_url: str) -> AsyncIterator[After]:
    """For hosts on the store of this name."""
    store, model = await open_store(store_name), AnthropicModel(api_key="loopback-key", base_url=model_url)
    try:
        yield After(store, model)
    finally:
        await model.close()
        await store.close()


def run(store: str, model: str, payments: str, tenant: str, wish: Wish, at: str) -> None:
    """What the killed process runs. It is over at once where nothing kills it."""
    anyio.run(converse, store, model, payments, tenant, wish, StillClock(START), at)
    os._exit(0)


async def look(after: After, tenant: str) -> int:
    """A host that begins while the provider does not answer: everything is settled or said to be uncertain. How many are."""
    async with after.begun(NOWHERE, LATER) as shop:
        effects = await shop.effects.list(tenant)
        assert {effect.state for effect in effects} <= {"done", "failed", "indeterminate"}
        return sum(effect.state == "indeterminate" for effect in effects)


async def finish(after: After, payments: str, tenant: str, wish: Wish) -> list[Effect]:
    """A host that begins when it does: what was uncertain is found out, and the person clicks or asks again where nothing was done."""
    ada = caller(tenant)
    async with after.begun(payments, LATER + timedelta(minutes=2)) as shop:
        session = await shop.sessions.open(ada, SESSION)
        async for _ in shop.follow(ada, session.id):
            pass
        if not await shop.proposals.list(ada) and not await shop.effects.list(tenant):
            async for _ in shop.turn(ada, session.id, TEXTS[wish]):
                pass
        for proposal in await shop.proposals.list(ada):
            await shop.proposals.decide(ada, proposal.id, approved=True)
            async for _ in shop.follow(ada, session.id):
                pass
        await _goes_on(shop, tenant, session.id)
        return list(await shop.effects.list(tenant))


async def _goes_on(shop: Host, tenant: str, session: str) -> None:
    """The provider of the model takes what comes next, every turn has one end, and no call has two results."""
    ada = caller(tenant)
    told = [item async for item in shop.turn(ada, session, "continue")]
    assert isinstance(told[-1].body, TurnEnded)
    assert told[-1].body.status == "done", told[-1].body
    events = await shop.sessions.events(ada, session)
    ends = [str(event.turn) for event in events if isinstance(event.body, TurnEnded)]
    assert sorted(ends) == sorted({event.turn for event in events if event.turn is not None}), "each turn ends once"
    results = [event.body.call for event in events if isinstance(event.body, CallOutcome) and event.body.wire and not event.body.late]
    assert len(results) == len(set(results)), "a call has one result"
    assert not list(await shop.proposals.list(ada))
