"""Wherever a conversation is cut, what follows is valid: the provider takes the next history, the ledger has its rows, no effect happened
twice, an uncertain one is indeterminate, and each turn has exactly one terminal event. Cases B059, B081, B093, B144."""

from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread
import pytest

from handgriff.core.events import CallOutcome, Event, TurnEnded
from handgriff.host.host import Host
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.stores.sqlite.store import SqliteStore
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import MODEL, PRICES, Harness, harness
from handgriff.testing.loopback.provider import LoopbackProvider
from tests.interaction.counter import forking
from tests.interaction.killed import LATER, _ada, converse, run
from tests.interaction.ledgerbook import ADA, answer, assistant, effects

pytestmark = pytest.mark.anyio
ALL = ["note first", "note second", "pay 5"]


def check_history(events: Sequence[Event]) -> None:
    """Every turn that began has exactly one terminal event, last of its turn; no call has two results in the history."""
    terminal = Counter(event.turn for event in events if isinstance(event.body, TurnEnded))
    turns = {event.turn for event in events if event.turn is not None}
    assert terminal == dict.fromkeys(turns, 1)
    results = Counter(
        event.body.call for event in events if isinstance(event.body, CallOutcome) and event.body.wire and not event.body.late
    )
    assert set(results.values()) <= {1}
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len({event.id for event in events}) == len(events)


async def check_afterwards(host: Host, provider: LoopbackProvider, session: str, world: Path) -> None:
    """The next turn is accepted, and books and world agree."""
    requests = len(provider.requests)
    told = [item async for item in host.turn(ADA, session, "continue")]
    ended = told[-1]
    assert isinstance(ended, Event)
    assert isinstance(ended.body, TurnEnded)
    assert ended.body.status == "done", ended.body
    assert len(provider.requests) == requests + 1
    check_history(await host.sessions.events(ADA, session))

    engine = await host.engine()
    rows = await engine.store.requests(ADA.tenant, session=session)
    assert all(row.status in ("ok", "failed", "aborted") and row.cost_pico is not None for row in rows)
    assert len(rows) >= len(provider.requests)

    happened = Counter(effects(world))
    assert set(happened.values()) <= {1}, happened
    states = Counter(effect.state for effect in await host.effects.list(ADA.tenant))
    assert states["running"] == 0
    assert states["done"] <= len(happened) <= states["done"] + states["indeterminate"]


async def _whole(chat: Harness) -> int:
    told = await chat.say("Note two things and pay 5.")
    assert [parked.tool for parked in told.parked] == ["pay"]
    _, after = await chat.confirm()
    assert after.text == "Noted twice, and paid."
    return len(told.items) + len(after.items)


async def test_the_uncut_conversation_does_all_three_effects_once(tmp_path: Path) -> None:
    world = tmp_path / "world"

    async with harness(assistant(world), ADA, script=answer) as chat:
        await _whole(chat)

        assert effects(world) == ALL
        await check_afterwards(chat.host, chat.provider, chat.session.id, world)


@pytest.mark.parametrize("how", ["stop", "leave"])
async def test_cut_at_every_event_boundary_in_process(tmp_path: Path, how: Literal["stop", "leave"]) -> None:
    """`stop` asks for it; `leave` is the last subscriber going away with a grace of 0."""
    cut = 0
    while True:
        cut += 1
        world = tmp_path / f"{how}-{cut}"
        async with harness(assistant(world), ADA, script=answer, grace=0 if how == "leave" else 30) as chat:
            was_cut = await _cut(chat, cut, how)
            with anyio.fail_after(20):
                async for _ in chat.host.follow(ADA, chat.session.id):
                    pass
            await check_afterwards(chat.host, chat.provider, chat.session.id, world)
        if not was_cut:
            break
    assert cut > 12, "the conversation has more boundaries than this"


async def _cut(chat: Harness, cut: int, how: Literal["stop", "leave"]) -> bool:
    seen = 0
    async with aclosing(chat.host.turn(ADA, chat.session.id, "Note two things and pay 5.")) as items:
        async for _ in items:
            seen += 1
            if seen == cut:
                if how == "stop":
                    await chat.host.stop(ADA, chat.session.id)
                else:
                    return True
    for proposal in await chat.host.proposals.list(ADA):
        await chat.host.proposals.decide(ADA, proposal.id, approved=True)
        async with aclosing(chat.host.follow(ADA, chat.session.id)) as items:
            async for _ in items:
                seen += 1
                if seen == cut and how == "stop":
                    await chat.host.stop(ADA, chat.session.id)
                elif seen == cut:
                    return True
    return seen >= cut


async def test_killed_at_every_commit(tmp_path: Path) -> None:
    """SIGKILL before and after each commit of a process of its own; the next process finds everything in order."""
    context = forking()
    async with LoopbackProvider(answer) as provider:
        commits = await converse(tmp_path / "whole.db", tmp_path / "whole", provider.url, 0, "before")
        assert effects(tmp_path / "whole") == ALL
    for at in range(1, commits + 1):
        for when in ("before", "after"):
            async with LoopbackProvider(answer) as provider:
                name = f"{when}-{at}"
                database, world = tmp_path / f"{name}.db", tmp_path / name
                process = context.Process(target=run, args=(database, world, provider.url, at, when))
                process.start()
                await anyio.to_thread.run_sync(process.join)
                assert process.exitcode == -9, name
                await _find_it_in_order(database, world, provider)


async def _find_it_in_order(database: Path, world: Path, provider: LoopbackProvider) -> None:
    store = SqliteStore.open(database)
    model = AnthropicModel(api_key="loopback-key", base_url=provider.url)
    clock = StillClock(START + LATER)
    async with Host(assistant(world), store=store, callers=_ada, model=MODEL, models=[model], prices=PRICES, clock=clock) as host:
        session = await host.sessions.open(ADA, "c1")
        await host.sessions.get(ADA, session.id)
        check_history(await host.sessions.events(ADA, session.id))
        await check_afterwards(host, provider, session.id, world)
    await model.close()
    await store.close()
