"""A session's own instances when it is copied, cut back or deleted: they follow its history, and an uncertain call keeps them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handgriff import Assistant, Call, Machine, Refusal, Result, Toolbox
from handgriff.core.events import CallOutcome
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, STATES, Office, everybody
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio
KINDS = ["memory", "sqlite"]


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of this kind."""
    return store_name(kind, request, tmp_path)


@asynccontextmanager
async def approved(store: Any, office: Office | None = None) -> AsyncIterator[Harness]:
    """A conversation whose paper is approved."""
    async with harness((office or Office()).assistant(), ADA, callers=everybody, store=store) as chat:
        for tool in ("submit", "approve"):
            await chat.host.call(ADA, tool, {}, session=chat.session.id)
        yield chat


async def call(chat: Harness, tool: str, session: str | None = None) -> str | None:
    return (await chat.host.call(ADA, tool, {}, session=session or chat.session.id)).code


async def state(chat: Harness, session: str | None = None) -> str:
    return (await chat.host.workflows.states(ADA, session or chat.session.id))["paper"]


async def moved(chat: Harness, after: str) -> int:
    """The event that moved it there."""
    events = [(each.seq, each.body.moved) for each in await chat.events() if isinstance(each.body, CallOutcome)]
    [found] = [seq for seq, it in events if it is not None and it.after == after]
    return found


@pytest.mark.parametrize("kind", KINDS)
async def test_a_fork_has_the_state_of_then_and_the_two_go_their_own_ways(store: str) -> None:
    async with approved(store) as chat:
        review = await moved(chat, "review")
        forks = [await chat.host.sessions.fork(ADA, chat.session.id, at=at) for at in (None, review, review - 1)]
        again = await chat.host.sessions.fork(ADA, forks[1].id)

        assert [await state(chat, each.id) for each in forks] == ["approved", "review", "draft"]
        assert await state(chat, again.id) == "review"
        assert (await call(chat, "reject", forks[1].id), await call(chat, "discharge", forks[0].id)) == (None, None)
        assert [await state(chat, each.id) for each in forks] == ["discharged", "draft", "draft"]
        assert (await state(chat), await state(chat, again.id)) == ("approved", "review")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_rewind_restores_the_state_of_then(store: str) -> None:
    async with approved(store) as chat:
        review = await moved(chat, "review")
        await chat.host.sessions.rewind(ADA, chat.session.id, review)
        assert (await state(chat), await call(chat, "discharge"), await call(chat, "reject")) == ("review", "closed", None)

        await chat.host.sessions.rewind(ADA, chat.session.id, review - 1)
        assert (await state(chat), await call(chat, "submit"), await state(chat)) == ("draft", None, "review")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("said", ["done", "failed"])
async def test_a_rewind_is_refused_while_an_uncertain_call_holds_an_instance(store: str, said: Any) -> None:
    def fail() -> Result[None]:
        raise RuntimeError("broken")

    async with approved(store, Office(instead={"discharge": fail})) as chat:
        assert await call(chat, "discharge") == "indeterminate"
        with pytest.raises(Refusal) as refused:
            await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        fork = await chat.host.sessions.fork(ADA, chat.session.id)

        assert refused.value.code == "conflict"
        assert "handgriff effects resolve" in str(refused.value.next)
        assert (await state(chat), await state(chat, fork.id)) == ("approved", "approved")
        [effect] = await chat.host.effects.list("acme", state="indeterminate")
        await chat.host.effects.resolve("acme", "discharge", effect.key, said, by="ops")
        assert (await state(chat), await state(chat, fork.id)) == ("discharged" if said == "done" else "approved", "approved")
        await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        assert await state(chat) == "draft"


@pytest.mark.parametrize("kind", KINDS)
async def test_deleting_a_session_removes_its_instance_and_no_other(store: str) -> None:
    async with approved(store) as chat:
        fork = await chat.host.sessions.fork(ADA, chat.session.id)
        await chat.host.sessions.delete(ADA, chat.session.id)

        assert [each.handle for each in await chat.host.workflows.list("acme")] == [fork.id]
        assert await state(chat, fork.id) == "approved"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_late_success_moves_nothing_of_a_session_that_was_deleted(store: str) -> None:
    def fail() -> Result[None]:
        raise RuntimeError("broken")

    async with approved(store, Office(instead={"discharge": fail})) as chat:
        await call(chat, "discharge")
        [effect] = await chat.host.effects.list("acme", state="indeterminate")
        await chat.host.sessions.delete(ADA, chat.session.id)
        resolved = await chat.host.effects.resolve("acme", "discharge", effect.key, "done", by="ops")

        assert (resolved.state, await chat.host.workflows.list("acme")) == ("done", ())


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_call_that_was_let_pass_before_a_rewind_is_not_claimed_behind_it(where: str) -> None:
    """Versions go on counting over a rewind: what was seen before it is never taken for what came after."""
    box, paper, ran = Toolbox("desk"), Machine("paper", *STATES), list[str]()
    meanwhile: list[Callable[[], Awaitable[object]]] = []

    @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
    def submit(refuses: bool = False) -> Result[None]:
        if refuses:
            raise Refusal("denied", "Not today.")
        ran.append("submit")
        return Result("Submitted.")

    @submit.validate
    async def check(args: Any, call: Call) -> None:
        if meanwhile:
            await meanwhile.pop()()

    @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="APPROVE")
    def approve() -> Result[None]:
        return Result("Approved.")

    async def rewound() -> None:
        await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        assert (await state(chat), await call(chat, "submit"), await state(chat)) == ("draft", None, "review")

    assistant = Assistant("desk", instructions="You test.", toolboxes=[box])
    snapshots = MemorySnapshots() if where == "elsewhere" else None
    async with harness(assistant, ADA, callers=everybody, snapshots=snapshots) as chat:
        await chat.host.call(ADA, "submit", {"refuses": True}, session=chat.session.id)
        meanwhile.append(rewound)

        assert (await call(chat, "submit"), ran, await state(chat)) == ("conflict", ["submit"], "review")
