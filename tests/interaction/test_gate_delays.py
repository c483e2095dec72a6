"""Delayed transitions without timers: a machine has moved when it is looked at, each transition at its own time."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import pytest

from handgriff import Assistant, Machine, Result, Toolbox
from handgriff.core.batch import StartWorkflow
from handgriff.core.events import CallOutcome
from handgriff.core.workflow import begins
from handgriff.machine import State
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio
HOUR: Final = 3600
MS: Final = HOUR * 1000


def machine(**kept: Any) -> Machine:
    """A draft that grows old by the hour, and is shredded in the third; what is submitted waits for two hours."""
    fresh, old = State("fresh", after={MS: "old"}), State("old", after={MS: "#paper.older"})
    return Machine(
        "paper",
        State("draft", fresh, old, on={"SUBMIT": "review"}),
        State("older", after={MS: "shredded"}),
        State("review", on={"APPROVE": "approved", "REJECT": "draft"}, after={2 * MS: "approved"}),
        State("approved", on={"DISCHARGE": "discharged"}, tags="payable"),
        State("discharged", type="final"),
        State("shredded", type="final"),
        **kept,
    )


@asynccontextmanager
async def opened(office: Office, clock: StillClock, **kept: Any) -> AsyncIterator[Harness]:
    made = machine(**kept)
    assistant = office.assistant(made, bindings=[made.bind("amend", at=["draft.fresh", "older"])])
    async with harness(assistant, ADA, callers=everybody, clock=clock) as chat:
        yield chat


async def call(chat: Harness, tool: str, session: str | None = None) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((await chat.host.call(ADA, tool, {}, session=session or chat.session.id)).text)
    return told


def slot(*, counts: bool, **kept: Any) -> Machine:
    """A place that is open every other hour."""
    states: dict[str, Any] = {
        "open": {"on": {"SUBMIT": "review"}, "after": {str(MS): {"target": "pause", **({"actions": "count"} if counts else {})}}},
        "pause": {"on": {"SUBMIT": "review"}, "after": {str(MS): "open"}},
        "review": {"on": {"APPROVE": "approved", "REJECT": "open"}},
        "approved": {"on": {"DISCHARGE": "discharged"}, "tags": ["payable"]},
        "discharged": {"type": "final"},
    }
    config = {"id": "paper", "initial": "open", "context": {"n": 0}, "states": states}
    return Machine.from_config(config, actions={"count": lambda context, _e, _p: {"n": int(str(context["n"])) + 1}}, **kept)


def served(machine: Machine, clock: StillClock, store: MemoryStore) -> AbstractAsyncContextManager[Harness]:
    box = Toolbox("slots")

    @box.tool(effect="write", description=WORDS, at=machine.at("open", "pause"), fires="SUBMIT")
    def book() -> Result[None]:
        return Result("Booked.")

    assistant = Assistant("slots", instructions="You test.", toolboxes=[box])
    return harness(assistant, ADA, callers=everybody, clock=clock, store=store)


async def test_a_place_that_opens_and_closes_for_years_is_read_at_once_and_still_moves() -> None:
    clock = StillClock()
    async with served(slot(counts=False), clock, MemoryStore()) as chat:
        for hours, where in ((20 * 8766, "open"), (20 * 8766 + 1, "pause")):
            clock.move(hours * HOUR - (clock.now() - START).total_seconds())
            assert await state(chat) == where
        assert (await call(chat, "book"))["workflow"]["state"] == "review"


async def test_one_that_changes_its_context_each_time_ends_at_a_bound_and_goes_on_by_a_migration() -> None:
    clock, store, endless = StillClock(), MemoryStore(), slot(counts=True)
    async with served(endless, clock, store) as chat:
        assert (await call(chat, "book"))["workflow"]["state"] == "review"
        session = (await chat.host.sessions.create(ADA)).id
        [row] = await store.workflows("acme")
        stuck = replace(row, handle=session, session=session, snapshot=caught_at_the_beginning(endless))
        await store.commit((StartWorkflow(stuck),))
        clock.move(20_001 * HOUR)
        assert (await call(chat, "book", session))["refused"] == "permanent"
        assert await state(chat, session) == "unknown"

    async with served(slot(counts=False, migrations={endless.hash: dict}), clock, store) as chat:
        assert await state(chat, session) == "pause"
        assert (await call(chat, "book", session))["workflow"]["state"] == "review"


def caught_at_the_beginning(machine: Machine) -> str:
    return begins(machine, START).to_json()


async def state(chat: Harness, session: str | None = None) -> str:
    return (await chat.host.workflows.states(ADA, session or chat.session.id))["paper"]


@pytest.mark.parametrize(
    ("hours", "where"), [(0.9, "draft.fresh"), (1, "draft.old"), (1.9, "draft.old"), (2, "older"), (3, "shredded"), (300, "shredded")]
)
async def test_it_moves_by_itself_from_the_time_its_session_was_created(hours: float, where: str) -> None:
    clock = StillClock()
    async with opened(Office(), clock) as chat:
        clock.move(hours * HOUR)

        assert await state(chat) == where


async def test_a_call_sees_the_state_of_its_time_and_tells_it() -> None:
    office, clock = Office(), StillClock()
    async with opened(office, clock) as chat:
        clock.move(1.5 * HOUR)
        assert (await call(chat, "amend"))["state"] == "draft.old"
        assert (await call(chat, "submit"))["workflow"]["state"] == "review"
        [moved] = [event.body.moved for event in await chat.events() if isinstance(event.body, CallOutcome) and event.body.moved]

        assert (moved.before, moved.after) == ("draft.old", "review")
        clock.move(2 * HOUR)
        assert (await call(chat, "approve"))["refused"] == "closed"
        assert (await call(chat, "discharge"))["workflow"]["state"] == "discharged"
        assert office.ran == ["submit", "discharge"]


async def test_each_delay_counts_from_the_due_time_of_the_one_before_whoever_looked_in_between() -> None:
    clock = StillClock()
    async with opened(Office(), clock) as chat:
        clock.move(1.9 * HOUR)
        await state(chat)
        await call(chat, "look")
        clock.move(0.1 * HOUR)
        assert await state(chat) == "older"
        await call(chat, "amend")
        clock.move(HOUR)

        assert await state(chat) == "shredded"


async def test_a_transition_whose_delay_ends_while_its_handler_runs_is_the_one_that_its_claim_has_seen() -> None:
    office, clock = Office(), StillClock()

    def wait() -> Result[None]:
        clock.move(1.2 * HOUR)
        return Result("Submitted.")

    async with opened(office, clock) as chat:
        office.instead["submit"] = wait
        # Its lease is over by then, and nobody else came: what it did is settled by its claim.
        assert (await call(chat, "submit"))["workflow"]["state"] == "review"
        clock.move(0.8 * HOUR)
        assert await state(chat) == "approved", "two hours after its claim"


async def test_a_call_that_fails_holds_no_clock_back() -> None:
    office, clock = Office(), StillClock()

    def fail() -> Result[None]:
        raise RuntimeError("broken")

    async with opened(office, clock) as chat:
        office.instead["submit"] = fail
        await call(chat, "submit")
        [effect] = await chat.host.effects.list("acme")
        clock.move(1.5 * HOUR)
        await chat.host.effects.resolve("acme", "submit", effect.key, "failed", by="ops")

        assert await state(chat) == "draft.old"


async def test_what_is_known_late_is_told_as_it_was_when_it_was_claimed() -> None:
    office, clock = Office(), StillClock()

    def fail() -> Result[None]:
        raise RuntimeError("broken")

    async with opened(office, clock) as chat:
        office.instead["submit"] = fail
        clock.move(1.5 * HOUR)
        await call(chat, "submit")
        [effect] = await chat.host.effects.list("acme")
        clock.move(HOUR)
        await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="ops")

        [moved] = [event.body.moved for event in await chat.events() if isinstance(event.body, CallOutcome) and event.body.moved]
        assert (moved.before, moved.after) == ("draft.old", "review")
        clock.move(1.1 * HOUR)
        assert await state(chat) == "approved", "two hours after its claim"


@pytest.mark.parametrize("at", ["first", "last"])
async def test_a_copy_is_as_old_as_what_it_was_copied_from(at: str) -> None:
    """Also one of a copy, of an instance that has never moved by a call."""
    clock = StillClock()
    async with opened(Office(), clock) as chat:
        clock.move(1.5 * HOUR)
        await call(chat, "look")
        fork = await chat.host.sessions.fork(ADA, chat.session.id, at=1 if at == "first" else None)
        clock.move(0.1 * HOUR)
        again = await chat.host.sessions.fork(ADA, fork.id)

        assert [await state(chat, each) for each in (fork.id, again.id)] == ["draft.old", "draft.old"]
        await chat.host.sessions.rewind(ADA, fork.id, 1)
        clock.move(0.4 * HOUR)
        assert [await state(chat, each) for each in (chat.session.id, fork.id, again.id)] == ["older"] * 3


async def test_an_instance_with_a_handle_grows_old_from_the_claim_of_the_call_that_began_it() -> None:
    office, clock = Office(), StillClock()

    def slow() -> Result[None]:
        clock.move(20)
        return Result("Begun.")

    async with opened(office, clock, instance="handle") as chat:
        office.instead["begin 34"] = slow
        begun = await chat.host.call(ADA, "begin", {})
        assert begun.moved is not None
        [row] = await chat.host.workflows.list("acme")
        assert (row.created_at, clock.now() > START) == (START, True)
        clock.move(HOUR)
        assert (await chat.host.workflows.get(ADA, "paper", begun.moved.handle)).state == "draft.old"
