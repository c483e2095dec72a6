"""An operator resolves what nobody knows, wherever its session and proposal went; and what must follow a write follows it."""

from typing import Any

import pytest

from handgriff.core.events import CallOutcome, Decision
from handgriff.stores.memory import MemoryStore
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA
from tests.interaction.gated import Gated, gated

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("state", ["done", "failed"])
@pytest.mark.parametrize("way", ["kept", "rewound", "deleted"])
async def test_an_uncertain_effect_is_resolved_wherever_its_proposal_went(way: str, state: Any) -> None:
    world, store = Gated(is_lost=True), MemoryStore()
    world.gate.set()
    async with gated(world, [ToolUse("order", {"amount": 10}), "Nobody knows."], store=store) as chat:
        await chat.say("Pay.")
        [proposal] = await chat.host.proposals.list(ADA)
        await chat.confirm()
        if way == "rewound":
            await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        if way == "deleted":
            await chat.host.sessions.delete(ADA, chat.session.id)

        record = await chat.host.effects.resolve("acme", "order", "once", state, by="ops")

        assert (record.state, record.resolved_by) == (state, "ops")
        events = [event.body for event in await store.events("acme", chat.session.id)]
        late = [body.code for body in events if isinstance(body, CallOutcome) and body.late]
        assert late == ([] if way == "deleted" else [None if state == "done" else "permanent"])
        decided = [body.state for body in events if isinstance(body, Decision) and body.by == "ops"]
        assert decided == ([state] if way == "kept" else [])
        kept = await store.proposal("acme", proposal.id)
        assert (kept and kept.state) == (state if way == "kept" else None)


@pytest.mark.parametrize("way", ["kept", "deleted"])
@pytest.mark.parametrize("state", ["done", "failed"])
async def test_what_must_follow_a_write_follows_it_when_an_operator_says_it_was_done(state: Any, way: str) -> None:
    world = Gated(is_lost=True)
    world.gate.set()
    async with gated(world) as chat:
        assert (await chat.host.call(ADA, "pay", {"amount": 10}, session=chat.session.id)).code == "indeterminate"
        if way == "deleted":
            await chat.host.sessions.delete(ADA, chat.session.id)

        await chat.host.effects.resolve("acme", "pay", "once", state, by="ops")
        world.is_lost = False
        await chat.host.call(ADA, "order", {"amount": 1})

        assert world.told == (["An operator looked into it: it was done."] if state == "done" else [])
