"""A process that is killed while a call of it moves a workflow: the machine stays where it was, or has moved with the outcome, and what is
uncertain holds it until somebody has said what happened. Nothing is run again. Cases B032, B106."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal

import anyio.to_thread
import pytest

from handgriff import Host, Refusal, Result
from handgriff.core.events import CallOutcome
from handgriff.testing.clock import START, StillClock
from tests.interaction.counter import forking, opened
from tests.interaction.gate_kill import KILLED, TABLE, Desk, Tool, run
from tests.interaction.papers import ADA

pytestmark = pytest.mark.anyio
BETWEEN: Final = ("after 1", "handler", "worked", "before 2")
"""Places between the commits of claim and outcome."""
SOON, LATER = timedelta(seconds=1), timedelta(minutes=5)
HAPPENED: Final = Result[None]("It had been done.")
NOT_HAPPENED: Final = Refusal("transient", "It had not been done.")


class Wreck:
    """What a killed process leaves."""

    def __init__(self, world: Path) -> None:
        self.world, self.path, self.session = world, world / "h.db", ""

    async def left_by(self, tool: Tool, at: str) -> None:
        """Have a process die at *at* of a call of *tool*."""
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute(TABLE)
        async with self.found(timedelta(0)) as host:
            self.session = (await host.sessions.create(ADA)).id
        process = forking().Process(target=run, args=(f"sqlite:///{self.path}", self.world, self.session, tool, at, None))
        process.start()
        await anyio.to_thread.run_sync(process.join)
        assert process.exitcode == KILLED, at

    @asynccontextmanager
    async def found(self, later: timedelta, answer: Result[None] | Refusal | None = None) -> AsyncIterator[Host]:
        """The next process, so much later; `reconcile` gives that answer there."""
        desk = Desk(self.world, answer=answer)
        async with opened(desk.assistant(), f"sqlite:///{self.path}", clock=StillClock(START + later)) as host:
            yield host

    @property
    def done(self) -> list[str]:
        """What happened in the world."""
        return Desk(self.world).done

    @property
    def booked(self) -> int:
        """Rows of the application's own."""
        with closing(sqlite3.connect(self.path)) as connection:
            return int(connection.execute("SELECT count(*) FROM booked").fetchone()[0])

    async def code(self, host: Host, tool: str, **arguments: Any) -> str | None:
        """How a call of *tool* ends."""
        return (await host.call(ADA, tool, arguments, session=self.session)).code

    async def state(self, host: Host) -> str:
        """Where the paper is."""
        return (await host.workflows.states(ADA, self.session))["paper"]

    async def effects(self, host: Host) -> list[str]:
        """What the records say."""
        return [effect.state for effect in await host.effects.list("acme")]


@pytest.fixture
def wreck(tmp_path: Path) -> Wreck:
    return Wreck(tmp_path)


async def test_before_its_claim_nothing_has_happened_and_the_next_call_runs(wreck: Wreck) -> None:
    await wreck.left_by("send", "before 1")

    async with wreck.found(SOON) as host:
        assert (await wreck.effects(host), await wreck.state(host), wreck.done) == ([], "draft", [])
        assert await wreck.code(host, "send") is None
        assert (await wreck.state(host), wreck.done) == ("review", ["send"])


async def test_behind_its_outcome_the_transition_is_there(wreck: Wreck) -> None:
    await wreck.left_by("send", "after 2")

    async with wreck.found(SOON) as host:
        assert (await wreck.effects(host), await wreck.state(host)) == (["done"], "review")
        assert (await wreck.code(host, "read_paper"), await wreck.code(host, "send")) == (None, "closed")
        assert wreck.done == ["send"]


@pytest.mark.parametrize("said", ["done", "failed"])
@pytest.mark.parametrize("at", BETWEEN)
async def test_in_between_it_conflicts_then_nobody_knows_until_an_operator_says_it(
    wreck: Wreck, at: str, said: Literal["done", "failed"]
) -> None:
    await wreck.left_by("send", at)
    before = wreck.done

    async with wreck.found(SOON) as host:
        assert (await wreck.code(host, "send"), await wreck.code(host, "read_paper")) == ("conflict", "closed")
    async with wreck.found(LATER) as host:
        assert (await wreck.code(host, "send"), await wreck.state(host)) == ("indeterminate", "draft")
        assert (await wreck.effects(host), wreck.done) == (["indeterminate"], before)
        [effect] = await host.effects.list("acme")

        await host.effects.resolve("acme", effect.tool, effect.key, said, by="ops")

        assert await wreck.state(host) == ("review" if said == "done" else "draft")
        assert await wreck.code(host, "send") == ("closed" if said == "done" else None)
        assert wreck.done == [*before, *(["send"] if said == "failed" else [])]


@pytest.mark.parametrize(
    ("answer", "code", "state"),
    [(HAPPENED, "closed", "review"), (NOT_HAPPENED, None, "review"), (None, "indeterminate", "draft")],
    ids=["happened", "not_happened", "unknown"],
)
async def test_the_next_firing_call_asks_what_became_of_the_one_before(
    wreck: Wreck, answer: Result[None] | Refusal | None, code: str | None, state: str
) -> None:
    await wreck.left_by("ask", "worked")

    async with wreck.found(SOON, answer) as host:
        assert await wreck.code(host, "send") == "conflict"
    async with wreck.found(LATER, answer) as host:
        assert (await wreck.code(host, "send"), await wreck.state(host)) == (code, state)
        assert wreck.done == ["ask", *(["send"] if code is None else [])]


@pytest.mark.parametrize("at", [*BETWEEN, "after 2"])
async def test_what_a_transaction_wrote_and_its_transition_are_there_together_or_not_at_all(wreck: Wreck, at: str) -> None:
    await wreck.left_by("book", at)

    async with wreck.found(SOON) as host:
        assert wreck.booked == (1 if at == "after 2" else 0)
        assert await wreck.state(host) == ("review" if wreck.booked else "draft")
        assert await wreck.code(host, "send") == ("closed" if wreck.booked else "conflict")
    async with wreck.found(LATER) as host:
        assert await wreck.code(host, "send") == ("closed" if wreck.booked else None)
        assert await wreck.state(host) == "review"
        [first, *_] = await host.effects.list("acme")
        assert first.state == ("done" if wreck.booked else "failed")


@pytest.mark.parametrize("by", ["reconcile", "ops"])
async def test_an_instance_whose_beginning_is_confirmed_late_begins_and_its_handle_is_told(wreck: Wreck, by: str) -> None:
    await wreck.left_by("begin", "worked")

    async with wreck.found(LATER, HAPPENED if by == "reconcile" else None) as host:
        [effect] = await host.effects.list("acme")
        if by == "ops":
            assert (effect.state, await host.workflows.list("acme")) == ("indeterminate", ())
            await host.effects.resolve("acme", "begin", effect.key, "done", by="ops")
        [moved] = [
            event.body.moved
            for event in await host.sessions.events(ADA, wreck.session)
            if isinstance(event.body, CallOutcome) and event.body.code is None
        ]

        assert moved is not None
        assert await wreck.code(host, "read_deed", deed=moved.handle) is None
        [row] = await host.workflows.list("acme")
        assert (row.handle, row.created_at) == (moved.handle, START)
        assert row.expires_at is not None
        assert row.expires_at > START + LATER + timedelta(days=29)
        assert wreck.done == ["begin"]


async def test_an_instance_whose_beginning_did_not_happen_never_begins(wreck: Wreck) -> None:
    await wreck.left_by("begin", "worked")

    async with wreck.found(LATER, NOT_HAPPENED) as host:
        assert (await wreck.effects(host), await host.workflows.list("acme")) == (["failed"], ())
