"""A process that is killed at any step of a call whose instance is kept elsewhere: whoever looks next finishes what the effect's record
says, no handler runs twice, and nothing is lost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import anyio.to_thread
import pytest

from handgriff import Host
from handgriff.core.events import CallOutcome
from handgriff.testing.clock import START, StillClock
from tests.interaction.cabinet import Cabinet
from tests.interaction.counter import forking, opened
from tests.interaction.gate_kill import KILLED, Desk, Tool, run
from tests.interaction.papers import ADA

pytestmark = pytest.mark.anyio
SOON, LATER = timedelta(seconds=1), timedelta(minutes=5)
STEPS: Final[tuple[str, ...]] = ("before set 1", "before 1", "handler", "worked", "before 2", "before set 2", "before 3")
"""Each lies between two things that are written."""


class Wreck:
    """What a killed process leaves, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.world, self.cabinet, self.session = folder, folder / "cabinet", ""
        self.cabinet.mkdir(parents=True)

    async def left_by(self, tool: Tool, at: str) -> None:
        """Have a process die at *at* of a call of *tool*; empty is nowhere."""
        async with self.found(timedelta(0)) as host:
            self.session = (await host.sessions.create(ADA)).id
        arguments = (f"sqlite:///{self.world}/h.db", self.world, self.session, tool, at, self.cabinet)
        process = forking().Process(target=run, args=arguments)
        process.start()
        await anyio.to_thread.run_sync(process.join)
        assert process.exitcode == (KILLED if at else 0), at

    @asynccontextmanager
    async def found(self, later: timedelta) -> AsyncIterator[Host]:
        """The next process, so much later."""
        assistant, store, cabinet = Desk(self.world).assistant(), f"sqlite:///{self.world}/h.db", Cabinet(self.cabinet)
        async with opened(assistant, store, snapshots=cabinet, clock=StillClock(START + later)) as host:
            yield host

    @property
    def done(self) -> list[str]:
        """What happened in the world."""
        return Desk(self.world).done

    async def code(self, host: Host, tool: str) -> str | None:
        """How a call of *tool* ends."""
        return (await host.call(ADA, tool, {}, session=self.session)).code

    async def state(self, host: Host) -> str:
        """Where the paper is."""
        return (await host.workflows.states(ADA, self.session))["paper"]


async def test_its_steps_lie_between_all_that_is_written(tmp_path: Path) -> None:
    wreck = Wreck(tmp_path / "whole")
    await wreck.left_by("send", "")

    places = (wreck.world / "places").read_text().split("\n")
    assert [place for place in places if place in STEPS] == list(STEPS)
    assert [place for place in places if place.startswith("before") and "load" not in place] == [each for each in STEPS if " " in each]


@pytest.mark.parametrize("at", STEPS)
async def test_a_transition_elsewhere_follows_its_effect_wherever_the_process_dies(at: str, tmp_path: Path) -> None:
    wreck = Wreck(tmp_path / "wreck")
    await wreck.left_by("send", at)
    before = wreck.done

    async with wreck.found(SOON) as host:
        states = [effect.state for effect in await host.effects.list("acme")]
        match at:
            case "before set 1":
                assert (states, await wreck.state(host), await wreck.code(host, "send")) == ([], "draft", None)
                return
            case "before set 2" | "before 3":
                # The look itself finishes it: what is only read is open at once.
                assert (states, await wreck.code(host, "read_paper"), await wreck.state(host)) == (["done"], None, "review")
                assert (await wreck.code(host, "send"), wreck.done) == ("closed", ["send"])
                return
            case _:
                assert (await wreck.state(host), await wreck.code(host, "send")) == ("draft", "conflict")
    async with wreck.found(LATER) as host:
        if at == "before 1":
            assert (len(await host.effects.list("acme")), await wreck.code(host, "send")) == (0, None)
        else:
            assert await wreck.code(host, "send") == "indeterminate"
            [effect] = await host.effects.list("acme")
            await host.effects.resolve("acme", "send", effect.key, "done", by="ops")
            assert (await wreck.code(host, "send"), wreck.done) == ("closed", before)
        assert await wreck.state(host) == "review"


@pytest.mark.parametrize("said", ["done", "failed"])
@pytest.mark.parametrize("at", STEPS)
async def test_an_instance_elsewhere_begins_with_its_effect_wherever_the_process_dies(at: str, said: str, tmp_path: Path) -> None:
    wreck = Wreck(tmp_path / "wreck")
    await wreck.left_by("begin", at)

    async with wreck.found(LATER) as host:
        effects = await host.effects.list("acme")
        is_done = at in ("before set 2", "before 3")
        assert [effect.state for effect in effects] == (["done"] if is_done else [] if "1" in at else ["indeterminate"])
        if not effects:
            assert wreck.done == []
            return
        if effects[0].state == "indeterminate":
            await host.effects.resolve("acme", "begin", effects[0].key, "done" if said == "done" else "failed", by="ops")
        [effect] = await host.effects.list("acme")
        assert effect.fires is not None
        outcome = await host.call(ADA, "read_deed", {"deed": effect.fires.handle})
        assert outcome.code == (None if effect.state == "done" else "not_found")
        told = [
            event.body.moved
            for event in await host.sessions.events(ADA, wreck.session)
            if isinstance(event.body, CallOutcome) and event.body.code is None
        ]
        assert [moved and moved.handle for moved in told] == ([effect.fires.handle] if effect.state == "done" else [])
