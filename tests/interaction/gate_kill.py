"""A process that moves a workflow and dies at one place of its way; and the office that the next one finds.

Places are "before 1" and "after 1" of its commits, "handler" and "worked", and where instances are kept elsewhere also the steps of that
store, such as "after set 1".
"""

import os
import signal
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import anyio

from handgriff import Assistant, Call, Machine, Refusal, Result, Toolbox
from handgriff.host.adapters import open_store
from handgriff.ports.snapshots import SnapshotStore
from handgriff.testing.clock import START, StillClock
from tests.interaction.cabinet import Cabinet, Watched
from tests.interaction.counter import opened
from tests.interaction.desk import WORDS
from tests.interaction.kill_shop import Fate, MortalStore
from tests.interaction.papers import ADA, STATES

Tool = Literal["send", "ask", "book", "begin"]
"""Moves the session's own paper: one of which nobody can find out more, one that can be asked about, one that writes in a transaction. And
one that begins a deed with a handle."""
TABLE = "CREATE TABLE IF NOT EXISTS booked (key text NOT NULL)"


@dataclass(frozen=True, slots=True)
class Desk:
    """Who works there: what is done adds a line to `done` in the folder `world`."""

    world: Path
    fate: Fate = field(default_factory=Fate)
    answer: Result[None] | Refusal | None = None
    """What `reconcile` says."""

    @property
    def done(self) -> list[str]:
        """What happened in the world."""
        path = self.world / "done"
        return path.read_text().splitlines() if path.exists() else []

    def work(self, name: str) -> Result[None]:
        """What handlers do."""
        self.fate.pass_by("handler")
        with (self.world / "done").open("a") as done:
            done.write(f"{name}\n")
        self.fate.pass_by("worked")
        return Result(f"{name} was done.")

    def assistant(self, **places: Any) -> Assistant:
        """Four tools that fire or start, and two that show where it is."""
        paper, deed = Machine("paper", *STATES), Machine("deed", *STATES, instance="handle")
        box = Toolbox("desk")

        @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
        def send() -> Result[None]:
            return self.work("send")

        @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
        def ask() -> Result[None]:
            return self.work("ask")

        @box.tool(effect="write", transaction=True, description=WORDS, at=paper.at("draft"), fires="SUBMIT")
        async def book(call: Call) -> Result[None]:
            self.fate.pass_by("handler")
            async with call.transaction() as connection:
                assert isinstance(connection, sqlite3.Connection)
                connection.execute("INSERT INTO booked VALUES (?)", (call.id,))
                self.fate.pass_by("worked")
            return Result("It was booked.")

        @box.tool(effect="write", description=WORDS, starts=deed)
        def begin() -> Result[None]:
            return self.work("begin")

        @box.tool(effect="read", description=WORDS, at=paper.at("review"))
        def read_paper() -> Result[None]:
            return Result("It is in review.")

        @box.tool(effect="read", description=WORDS, at=deed.at("draft"))
        def read_deed() -> Result[None]:
            return Result("It is a draft.")

        @ask.reconcile
        async def asked(args: Any, call: Call) -> Result[None] | Refusal | None:
            return self.answer

        @begin.reconcile
        async def begun(args: Any, call: Call) -> Result[None] | Refusal | None:
            return self.answer

        return Assistant("desk", instructions="Keep papers in order.", toolboxes=[box], **places)


def run(store: str, world: Path, session: str, tool: Tool, at: str, cabinet: Path | None) -> None:
    """What the killed process runs. It is over at once where nothing kills it."""
    anyio.run(_call, store, world, session, tool, at, cabinet)
    os._exit(0)


async def _call(store: str, world: Path, session: str, tool: Tool, at: str, cabinet: Path | None) -> None:
    fate, inner = Fate(at), await open_store(store)
    snapshots: SnapshotStore | None = None if cabinet is None else Watched(Cabinet(cabinet), fate.pass_by)
    async with opened(Desk(world, fate).assistant(), MortalStore(inner, fate), snapshots=snapshots, clock=StillClock(START)) as host:
        await host.call(ADA, tool, {}, session=session)
    await inner.close()
    with (world / "places").open("w") as places:
        places.write("\n".join(fate.places))


KILLED = -signal.SIGKILL
