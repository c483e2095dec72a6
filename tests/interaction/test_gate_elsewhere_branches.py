"""Sessions whose instances are kept elsewhere, copied, cut back, deleted and erased: the instances follow, or nothing is done."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from handgriff import BackendError, Refusal, Result
from handgriff.core.batch import DeleteSession
from handgriff.core.events import CallOutcome
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.harness import Harness, harness
from tests.interaction.cabinet import Fault, Watched
from tests.interaction.meanwhile import Meanwhile
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio


class World:
    """An office whose papers are kept in memory, which may fail."""

    def __init__(self) -> None:
        self.office, self.store, self.fault, self.inner = Office(), Meanwhile(), Fault(), MemorySnapshots()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Harness]:
        """A conversation of Ada's."""
        snapshots = Watched(self.inner, self.fault)
        async with harness(self.office.assistant(), ADA, callers=everybody, store=self.store, snapshots=snapshots) as chat:
            yield chat

    def break_next(self, step: str) -> None:
        """Let the next such step fail."""
        self.fault.at = f"{step} {sum(place.startswith(step) for place in self.fault.places) + 1}"

    @property
    def kept(self) -> int:
        """How many instances are kept."""
        return len(self.inner._records)


async def call(chat: Harness, tool: str, session: str | None = None) -> str | None:
    return (await chat.host.call(ADA, tool, {}, session=session or chat.session.id)).code


async def state(chat: Harness, session: str | None = None) -> str:
    return (await chat.host.workflows.states(ADA, session or chat.session.id))["paper"]


async def moved(chat: Harness, after: str) -> int:
    """The event that moved it there."""
    events = [(each.seq, each.body.moved) for each in await chat.events() if isinstance(each.body, CallOutcome)]
    [found] = [seq for seq, it in events if it is not None and it.after == after]
    return found


async def test_a_fork_has_the_state_of_then_and_the_two_go_their_own_ways() -> None:
    async with World().opened() as chat:
        await call(chat, "submit")
        await call(chat, "approve")
        then = await chat.host.sessions.fork(ADA, chat.session.id, at=await moved(chat, "review"))
        first = await chat.host.sessions.fork(ADA, chat.session.id, at=1)

        assert [await state(chat, each) for each in (chat.session.id, then.id, first.id)] == ["approved", "review", "draft"]
        assert (await call(chat, "reject", then.id), await call(chat, "discharge")) == (None, None)
        assert [await state(chat, each) for each in (chat.session.id, then.id)] == ["discharged", "draft"]


async def test_a_fork_whose_instance_cannot_be_kept_is_not_made() -> None:
    world = World()
    async with world.opened() as chat:
        await call(chat, "submit")
        world.break_next("before set")
        with pytest.raises(BackendError):
            await chat.host.sessions.fork(ADA, chat.session.id)

        assert [each.id for each in await chat.host.sessions.list(ADA)] == [chat.session.id]


async def test_a_fork_that_is_refused_leaves_no_instance() -> None:
    world = World()
    async with world.opened() as chat:
        await call(chat, "submit")
        await chat.host.sessions.create(ADA, alias="taken")
        with pytest.raises(Refusal, match="conflict"):
            await chat.host.sessions.fork(ADA, chat.session.id, alias="taken")

        assert world.kept == 1


async def test_a_rewind_restores_the_state_of_then_and_done_again_where_it_failed() -> None:
    world = World()
    async with world.opened() as chat:
        await call(chat, "submit")
        review = await moved(chat, "review")
        await call(chat, "approve")
        world.break_next("before set")
        with pytest.raises(BackendError):
            await chat.host.sessions.rewind(ADA, chat.session.id, review)
        await chat.host.sessions.rewind(ADA, chat.session.id, review)

        assert (await state(chat), await call(chat, "approve")) == ("review", None)
        await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        assert (await state(chat), await call(chat, "submit")) == ("draft", None)


async def test_a_rewind_is_refused_while_an_uncertain_call_holds_an_instance() -> None:
    def fail() -> Result[None]:
        raise RuntimeError("broken")

    world = World()
    world.office.instead["approve"] = fail
    async with world.opened() as chat:
        await call(chat, "submit")
        assert await call(chat, "approve") == "indeterminate"
        with pytest.raises(Refusal, match="conflict"):
            await chat.host.sessions.rewind(ADA, chat.session.id, 1)

        assert await state(chat) == "review"
        [effect] = await chat.host.effects.list("acme", state="indeterminate")
        await chat.host.effects.resolve("acme", "approve", effect.key, "done", by="ops")
        await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        assert await state(chat) == "draft"


async def test_deleting_or_erasing_forgets_the_instances_too() -> None:
    world = World()
    async with world.opened() as chat:
        others = [await chat.host.sessions.create(ADA) for _ in range(2)]
        for session in (chat.session.id, *[each.id for each in others]):
            await call(chat, "submit", session)
        assert world.kept == 3

        await chat.host.sessions.delete(ADA, chat.session.id)
        assert world.kept == 2
        await chat.host.erase("acme")
        assert world.kept == 0


async def test_a_delete_that_is_refused_leaves_the_instance_as_it_is() -> None:
    """A write begins in the moment before it is deleted."""
    began, go, ended = anyio.Event(), anyio.Event(), anyio.Event()

    async def wait() -> Result[None]:
        began.set()
        await go.wait()
        return Result("Approved.")

    world, codes = World(), list[str | None]()
    world.office.instead["approve"] = wait
    async with world.opened() as chat, anyio.create_task_group() as tasks:
        await call(chat, "submit")

        async def approve() -> None:
            codes.append(await call(chat, "approve"))
            ended.set()

        async def begin() -> None:
            tasks.start_soon(approve)
            with anyio.fail_after(5):
                await began.wait()

        world.store.picks, world.store.then = (lambda batch: any(isinstance(each, DeleteSession) for each in batch)), begin
        with pytest.raises(Refusal, match="conversation_busy"):
            await chat.host.sessions.delete(ADA, chat.session.id)
        go.set()
        with anyio.fail_after(5):
            await ended.wait()

        assert (codes, await state(chat)) == ([None], "approved")


async def test_what_a_call_left_uncertain_moves_nothing_once_its_session_is_gone() -> None:
    def fail() -> Any:
        raise RuntimeError("broken")

    world = World()
    world.office.instead["submit"] = fail
    async with world.opened() as chat:
        await call(chat, "submit")
        [effect] = await chat.host.effects.list("acme")
        await chat.host.sessions.delete(ADA, chat.session.id)
        await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="ops")

        assert world.kept == 0
