"""What a tool begins is computed before its handler runs: a machine that can't begin refuses the call, and settling asks no guard again."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from handgriff import Assistant, Caller, Machine, Refusal, Result, Toolbox
from handgriff.core.batch import ClaimEffect
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Fired
from handgriff.stores.memory import MemoryStore
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, everybody

pytestmark = pytest.mark.anyio
WHERE = ("store", "elsewhere")


def broken() -> bool:
    raise ZeroDivisionError("the rules are broken")


class World:
    """A paper whose way to begin asks a guard that is not pure: it answers as a test says, with each question the next."""

    def __init__(self, how: str = "always", answers: list[Any] | None = None) -> None:
        self.answers, self.ran, self.store = answers or [], list[str](), MemoryStore()
        self.instead: Any = None
        leads = {"target": "quick", "guard": "is quick"}
        draft = {"on": {"SUBMIT": "sent"}, **({"always": leads} if how == "always" else {"after": {"0": leads}})}
        self.paper = Machine.from_config(
            {
                "id": "paper",
                "initial": "draft",
                "states": {"draft": draft, "quick": {"on": {"SUBMIT": "sent"}}, "sent": {"type": "final"}},
            },
            guards={"is quick": self.is_quick},
            instance="handle",
        )

    def is_quick(self, context: Any, event: Any, params: Any) -> bool:
        """As the test says; no once it has said all."""
        answer = self.answers.pop(0) if self.answers else False
        return bool(answer()) if callable(answer) else answer

    def assistant(self) -> Assistant:
        """One tool that begins, one that submits."""
        box, paper = Toolbox("desk"), self.paper

        @box.tool(effect="write", description=WORDS, starts=paper)
        def begin() -> Result[None]:
            self.ran.append("begin")
            if self.instead is not None:
                raise self.instead
            return Result("Begun.")

        @box.tool(effect="write", description=WORDS, at=paper.at("draft", "quick"), fires="SUBMIT")
        def submit() -> Result[None]:
            return Result("Submitted.")

        return Assistant("desk", instructions="You test.", toolboxes=[box])

    @asynccontextmanager
    async def opened(self, where: str = "store") -> AsyncIterator[Harness]:
        """A conversation of Ada's."""
        assistant, snapshots = self.assistant(), MemorySnapshots() if where == "elsewhere" else None
        async with harness(assistant, ADA, callers=everybody, store=self.store, snapshots=snapshots) as chat:
            yield chat


async def call(chat: Harness, tool: str, caller: Caller = ADA, **arguments: Any) -> Outcome:
    return await chat.host.call(caller, tool, arguments, session=chat.session.id)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("how", ["always", "after"])
@pytest.mark.parametrize("answer", [broken, "yes"], ids=["raises", "no boolean"])
async def test_a_machine_that_can_not_begin_refuses_before_the_handler_and_loudly(
    how: str, where: str, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(how)
    async with world.opened(where) as chat:
        world.answers.append(answer)
        with caplog.at_level(logging.ERROR):
            outcome = await call(chat, "begin")

        assert (outcome.code, world.ran, outcome.incident is None) == ("permanent", [], False)
        assert "guard 'is quick'" in caplog.text
        assert (await chat.host.effects.list("acme"), await chat.host.workflows.list("acme")) == ((), ())
        assert (await call(chat, "begin")).code is None


@pytest.mark.parametrize("where", WHERE)
async def test_no_guard_is_asked_behind_the_handler(where: str) -> None:
    world = World()
    async with world.opened(where) as chat:
        world.answers += [True, broken, broken, broken]
        begun = await call(chat, "begin")

        assert begun.moved is not None
        assert (begun.code, begun.moved.after, len(world.answers)) == (None, "quick", 3)
        found = await chat.host.workflows.get(ADA, "paper", begun.moved.handle)
        assert (found.state, found.row.hash) == ("quick", world.paper.hash)
        assert (await call(chat, "submit", paper=begun.moved.handle)).code is None


@pytest.mark.parametrize("where", WHERE)
async def test_what_is_resolved_as_done_begins_as_it_would_have(where: str) -> None:
    world = World()
    async with world.opened(where) as chat:
        world.answers, world.instead = [True, broken, broken, broken], ConnectionError("lost")
        assert (await call(chat, "begin")).code == "indeterminate"
        [effect] = await chat.host.effects.list("acme")
        resolved = await chat.host.effects.resolve("acme", "begin", effect.key, "done", by="ops")

        assert resolved.fires is not None
        assert (resolved.state, len(world.answers)) == ("done", 3)
        assert (await chat.host.workflows.get(ADA, "paper", resolved.fires.handle)).state == "quick"


async def test_a_record_that_carries_no_beginning_is_settled_although_its_machine_can_not_begin(caplog: pytest.LogCaptureFixture) -> None:
    """Versions before this one claimed it so."""
    world = World()
    async with world.opened() as chat:
        world.instead = ConnectionError("lost")
        await call(chat, "begin")
        [effect] = await chat.host.effects.list("acme")
        fires = Fired("paper", "w_" + "1" * 32, "")
        await world.store.commit((ClaimEffect(replace(effect, key="before", claim="before", call="c_before", fires=fires)),))
        world.answers += [broken, broken, broken]
        with caplog.at_level(logging.ERROR):
            resolved = await chat.host.effects.resolve("acme", "begin", "before", "done", by="ops")

        assert (resolved.state, "paper can't begin" in caplog.text) == ("done", True)
        with pytest.raises(Refusal, match="not_found"):
            await chat.host.workflows.get(ADA, "paper", fires.handle)


async def test_a_record_that_carries_no_beginning_begins_as_its_machine_does_now() -> None:
    world = World()
    async with world.opened() as chat:
        world.instead = ConnectionError("lost")
        await call(chat, "begin")
        [effect] = await chat.host.effects.list("acme")
        fires = Fired("paper", "w_" + "1" * 32, "")
        await world.store.commit((ClaimEffect(replace(effect, key="before", claim="before", call="c_before", fires=fires)),))
        await chat.host.effects.resolve("acme", "begin", "before", "done", by="ops")

        assert (await chat.host.workflows.get(ADA, "paper", fires.handle)).state == "draft"
