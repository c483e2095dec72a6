"""Many calls at one instance: one of them runs, the others are refused before their handlers, and the state is that one's. Case B032."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Caller, Result
from handgriff.core.events import CallOutcome
from handgriff.host.adapters import open_store
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.meanwhile import Meanwhile, claims
from tests.interaction.papers import ADA, BEN, Office, everybody
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio
TIMES = 100


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of this kind."""
    return store_name(kind, request, tmp_path)


@asynccontextmanager
async def opened(office: Office, store: Any, **kept: Any) -> AsyncIterator[Harness]:
    machine = office.machine(**kept)
    amend = machine.bind("amend", at="review")
    async with harness(office.assistant(machine, bindings=[amend]), ADA, callers=everybody, store=store) as chat:
        yield chat


async def all_at_once(chat: Harness, calls: list[tuple[Caller, str]], *, told: Any = None, **arguments: Any) -> Counter[tuple[str, str]]:
    """How many calls of each tool ended how; *told* is called as each ends."""
    ended: Counter[tuple[str, str]] = Counter()

    async def one(caller: Caller, tool: str) -> None:
        session = chat.session.id if caller == chat.caller else None
        outcome = await chat.host.call(caller, tool, arguments, session=session)
        ended[tool, outcome.code or "done"] += 1
        if told is not None:
            told(ended)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for caller, tool in calls:
                tasks.start_soon(one, caller, tool)
    return ended


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


@pytest.mark.parametrize("kind", STORES)
async def test_of_a_hundred_firing_calls_one_runs_and_the_others_conflict_while_it_does(store: str) -> None:
    alone = anyio.Event()

    async def wait() -> Result[None]:
        await alone.wait()
        return Result("Submitted.")

    def told(ended: Counter[tuple[str, str]]) -> None:
        if ended.total() == TIMES - 1:
            alone.set()

    office = Office(instead={"submit": wait})
    async with opened(office, store) as chat:
        ended = await all_at_once(chat, [(ADA, "submit")] * TIMES, told=told)

        assert ended == {("submit", "done"): 1, ("submit", "conflict"): TIMES - 1}
        assert (office.ran, await state(chat)) == (["submit"], "review")


@pytest.mark.parametrize("kind", STORES)
async def test_of_a_hundred_firing_calls_that_rush_one_runs_and_moves_the_state_once(store: str) -> None:
    office = Office()
    async with opened(office, store) as chat:
        ended = await all_at_once(chat, [(ADA, "submit")] * TIMES)

        assert ended["submit", "done"] == 1
        assert set(ended) <= {("submit", "done"), ("submit", "conflict"), ("submit", "closed")}
        assert (office.ran, await state(chat)) == (["submit"], "review")
        assert len([event for event in await chat.events() if isinstance(event.body, CallOutcome) and event.body.moved]) == 1
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]


@pytest.mark.parametrize("kind", STORES)
async def test_of_competing_events_exactly_one_is_taken(store: str) -> None:
    office = Office()
    async with opened(office, store) as chat:
        await chat.host.call(ADA, "submit", {}, session=chat.session.id)
        ended = await all_at_once(chat, [(ADA, "approve"), (ADA, "reject")] * 20)

        [won] = [tool for tool, code in ended if code == "done"]
        assert ended[won, "done"] == 1
        assert {code for _, code in ended} <= {"done", "conflict", "closed"}
        assert (office.ran, await state(chat)) == (["submit", won], {"approve": "approved", "reject": "draft"}[won])


async def test_a_conflict_says_how_long_the_other_call_may_still_run() -> None:
    started, released = anyio.Event(), anyio.Event()

    async def wait() -> Result[None]:
        started.set()
        await released.wait()
        return Result("Submitted.")

    clock, office = StillClock(), Office(instead={"submit": wait})
    async with harness(office.assistant(office.machine()), ADA, callers=everybody, clock=clock) as chat:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: chat.host.call(ADA, "submit", {}, session=chat.session.id))
            with anyio.fail_after(5):
                await started.wait()
            [running] = await chat.host.effects.list("acme")
            clock.move(7)
            refused = await chat.host.call(ADA, "submit", {}, session=chat.session.id)
            released.set()

        left = (running.lease_until - running.claimed_at).total_seconds() - 7
        assert (refused.code, json.loads(refused.text)["retry_after"]) == ("conflict", int(left))
        assert left > 1


async def test_of_two_people_who_move_an_instance_of_their_tenant_one_does() -> None:
    office = Office()
    async with opened(office, "memory://", instance="handle", owner="tenant") as chat:
        begun = await chat.host.call(ADA, "begin", {})
        assert begun.moved is not None
        handle = begun.moved.handle
        ended = await all_at_once(chat, [(ADA, "submit"), (BEN, "submit")] * 20, paper=handle)

        assert ended["submit", "done"] == 1
        assert (await chat.host.workflows.get(BEN, "paper", handle)).state == "review"


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("first", ["stored", "unstored"])
async def test_a_bound_write_that_moves_nothing_does_not_run_once_its_state_is_left(store: str, first: str) -> None:
    """The state is left between its gate and its claim; also where nothing was stored of the instance before."""
    at, leaves = ("review", "approve") if first == "stored" else ("draft", "submit")
    office = Office()
    machine = office.machine()
    assistant = office.assistant(machine, bindings=[machine.bind("amend", at=at)])
    real = await open_store(store)
    meddled = Meanwhile(real)
    try:
        async with harness(assistant, ADA, callers=everybody, store=meddled) as chat:
            if first == "stored":
                await chat.host.call(ADA, "submit", {}, session=chat.session.id)
            meddled.picks = claims("amend")
            meddled.then = lambda: chat.host.call(ADA, leaves, {}, session=chat.session.id)
            refused = await chat.host.call(ADA, "amend", {}, session=chat.session.id)
            again = await chat.host.call(ADA, "amend", {}, session=chat.session.id)

            assert (refused.code, again.code) == ("conflict", "closed")
            assert "amend" not in office.ran
            assert office.ran[-1] == leaves
    finally:
        await real.close()
