"""The same wish again, although its success has closed its own way: it is answered from its record, and moves nothing twice."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from handgriff import Assistant, Call, Machine, Refusal, Result, Toolbox
from handgriff.core.events import CallOutcome
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, BEN, STATES, everybody

pytestmark = pytest.mark.anyio


class Registry:
    """`submit` under a key of the caller's choice."""

    def __init__(self, **kept: Any) -> None:
        self.paper, self.ran, self.raises = Machine("paper", *STATES, **kept), list[str](), list[Exception]()

    def assistant(self) -> Assistant:
        """Two steps there, one step back."""
        box, paper = Toolbox("registry"), self.paper

        @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
        def submit(key: str, text: str = "") -> Result[str]:
            self.ran.append(key)
            if self.raises:
                raise self.raises.pop()
            return Result("Not yet.", text, fires=None) if text == "vetoed" else Result("Submitted.", text)

        @submit.idempotency_key
        async def key_of(args: Any, call: Call) -> str:
            return str(args.key)

        @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="REJECT")
        def reject() -> Result[None]:
            return Result("Rejected.")

        @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="APPROVE")
        def approve() -> Result[None]:
            return Result("Approved.")

        @box.tool(effect="write", description=WORDS, at=paper.at("approved"), fires="DISCHARGE")
        def discharge() -> Result[None]:
            return Result("Discharged.")

        if paper.has_handle:

            @box.tool(effect="write", description=WORDS, starts=paper)
            def begin(key: str) -> Result[None]:
                self.ran.append(f"begin {key}")
                return Result("Begun.")

            @begin.idempotency_key
            async def begun(args: Any, call: Call) -> str:
                return str(args.key)

        return Assistant("registry", instructions="You test.", toolboxes=[box])

    @asynccontextmanager
    async def opened(self, **options: Any) -> AsyncIterator[Harness]:
        """A conversation of Ada's."""
        async with harness(self.assistant(), ADA, callers=everybody, **options) as chat:
            yield chat


async def call(chat: Harness, tool: str, **arguments: Any) -> Any:
    return await chat.host.call(ADA, tool, arguments, session=chat.session.id)


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_wish_repeated_after_its_success_is_answered_from_its_record_and_not_closed(where: str) -> None:
    world = Registry()
    async with world.opened(snapshots=MemorySnapshots() if where == "elsewhere" else None) as chat:
        first = await call(chat, "submit", key="k", text="a")
        again = await call(chat, "submit", key="k", text="a")

        assert (again.code, again.replayed, again.data) == (None, True, first.data)
        assert (again.moved, world.ran, await state(chat)) == (None, ["k"], "review")
        await call(chat, "approve")
        assert (await call(chat, "submit", key="k", text="a")).replayed
        assert len([event for event in await chat.events() if isinstance(event.body, CallOutcome) and event.body.moved]) == 2


async def test_the_same_key_with_other_arguments_or_another_key_is_refused() -> None:
    world = Registry()
    async with world.opened() as chat:
        await call(chat, "submit", key="k", text="a")

        assert (await call(chat, "submit", key="k", text="b")).code == "conflict"
        assert (await call(chat, "submit", key="l", text="a")).code == "closed"
        assert world.ran == ["k"]


async def test_what_another_user_was_answered_is_not_told() -> None:
    world = Registry()
    async with world.opened() as chat:
        await call(chat, "submit", key="k", text="secret")
        other = await chat.host.sessions.create(BEN)
        outcome = await chat.host.call(BEN, "submit", {"key": "k", "text": "secret"}, session=other.id)

        assert (outcome.code, "secret" in outcome.text) == ("conflict", False)
        assert (await chat.host.workflows.states(BEN, other.id))["paper"] == "draft"


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_wish_repeated_where_its_way_is_open_again_moves_nothing(where: str) -> None:
    """It came back to where it was: the wish was carried out, which is said, and its instance is let go."""
    world = Registry()
    async with world.opened(snapshots=MemorySnapshots() if where == "elsewhere" else None) as chat:
        await call(chat, "submit", key="k")
        await call(chat, "reject")
        again = await call(chat, "submit", key="k")

        assert (again.code, world.ran, await state(chat)) == ("conflict", ["k"], "draft")
        assert (await call(chat, "submit", key="l")).code is None


@pytest.mark.parametrize("error", [Refusal("denied", "Not today."), RuntimeError("broken")], ids=["refused", "uncertain"])
async def test_a_wish_repeated_after_it_failed_is_tried_again_and_an_uncertain_one_is_not(error: Exception) -> None:
    world = Registry()
    world.raises.append(error)
    async with world.opened() as chat:
        first = await call(chat, "submit", key="k")
        again = await call(chat, "submit", key="k")

        if isinstance(error, Refusal):
            assert (first.code, again.code, again.replayed, await state(chat)) == ("denied", None, False, "review")
        else:
            assert (first.code, again.code, await state(chat)) == ("indeterminate", "indeterminate", "draft")
            assert world.ran == ["k"]


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_vetoed_success_is_answered_again_for_it_has_moved_nothing_anywhere(where: str) -> None:
    """The state that the call was made in is open as before, here and in every other session."""
    world = Registry()
    async with world.opened(snapshots=MemorySnapshots() if where == "elsewhere" else None) as chat:
        first = await call(chat, "submit", key="k", text="vetoed")
        again = await call(chat, "submit", key="k", text="vetoed")
        other = await chat.host.sessions.create(ADA)
        elsewhere = await chat.host.call(ADA, "submit", {"key": "k", "text": "vetoed"}, session=other.id)

        assert (first.code, first.vetoed, first.replayed) == (None, True, False)
        for each in (again, elsewhere):
            assert (each.code, each.replayed, each.data, each.moved) == (None, True, first.data, None)
        assert (world.ran, await state(chat)) == (["k"], "draft")
        assert (await call(chat, "submit", key="k", text="another")).code == "conflict"
        assert (await call(chat, "submit", key="l")).code is None


async def test_a_hundred_of_the_same_wish_are_one_transition() -> None:
    world, ended = Registry(), list[Any]()
    async with world.opened() as chat:

        async def one() -> None:
            ended.append(await call(chat, "submit", key="k"))

        async with anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(one)

        assert [outcome.code for outcome in ended if outcome.code not in (None, "conflict")] == []
        assert len([outcome for outcome in ended if outcome.code is None and not outcome.replayed]) == 1
        assert (world.ran, await state(chat)) == (["k"], "review")


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_beginning_that_is_tried_again_keeps_the_handle_of_its_first_try(where: str) -> None:
    """A step of the first one may have kept it with a row of the application's."""
    machine, box, rows, tries = Machine("paper", *STATES, instance="handle"), Toolbox("registry"), list[str](), list[str]()

    @box.tool(effect="write", description=WORDS, starts=machine)
    async def begin(key: str, paper: str, call: Call) -> Result[None]:
        async def insert() -> str:
            rows.append(paper)
            return paper

        await call.step("insert", insert)
        tries.append(paper)
        if len(tries) < 3:
            raise Refusal("transient", "Not now.")
        return Result("Begun.")

    @begin.idempotency_key
    async def key_of(args: Any, call: Call) -> str:
        return str(args.key)

    @box.tool(effect="write", description=WORDS, at=machine.at("draft"), fires="SUBMIT")
    async def submit() -> Result[None]:
        return Result("Submitted.")

    assistant = Assistant("registry", instructions="You test.", toolboxes=[box])
    snapshots = MemorySnapshots() if where == "elsewhere" else None
    async with harness(assistant, ADA, callers=everybody, snapshots=snapshots) as chat:
        assert [(await call(chat, "begin", key="k")).code for _ in range(2)] == ["transient", "transient"]
        begun = await call(chat, "begin", key="k")

        assert {begun.moved.handle, *tries} == set(rows)
        assert (len(rows), len(tries)) == (1, 3)
        assert (await call(chat, "submit", paper=rows[0])).code is None
        other = await call(chat, "begin", key="another")
        assert other.moved.handle not in rows[:1]


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_beginning_repeated_answers_the_same_handle_and_begins_nothing(where: str) -> None:
    world = Registry(instance="handle")
    async with world.opened(snapshots=MemorySnapshots() if where == "elsewhere" else None) as chat:
        first = json.loads((await call(chat, "begin", key="k")).text)["workflow"]
        again = json.loads((await call(chat, "begin", key="k")).text)["workflow"]

        assert (first["paper"], world.ran) == (again["paper"], ["begin k"])
        assert (await call(chat, "submit", key="s", paper=first["paper"])).code is None
