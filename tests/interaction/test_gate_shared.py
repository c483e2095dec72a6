"""An instance of the whole process, for development: every session moves the same one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from handgriff import Result
from handgriff.stores.memory import MemoryStore
from handgriff.testing.harness import Harness, harness
from tests.interaction.papers import ADA, BEN, Office, everybody

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(office: Office, store: MemoryStore | None = None) -> AsyncIterator[Harness]:
    machine = office.machine(instance="process")
    async with harness(office.assistant(machine), ADA, callers=everybody, store=store or MemoryStore()) as chat:
        yield chat


async def test_a_call_of_one_session_moves_it_for_every_other() -> None:
    async with opened(Office()) as chat:
        other = await chat.host.sessions.create(BEN)
        assert (await chat.host.call(ADA, "submit", {}, session=chat.session.id)).code is None
        assert (await chat.host.call(BEN, "submit", {}, session=other.id)).code == "closed"
        assert (await chat.host.call(BEN, "approve", {}, session=other.id)).code is None

        assert [(await chat.host.workflows.states(who, it))["paper"] for who, it in ((ADA, chat.session.id), (BEN, other.id))] == [
            "approved",
            "approved",
        ]


async def test_a_call_of_one_session_holds_it_against_every_other() -> None:
    began, go = anyio.Event(), anyio.Event()

    async def wait() -> Result[None]:
        began.set()
        await go.wait()
        return Result("Submitted.")

    async with opened(Office(instead={"submit": wait})) as chat, anyio.create_task_group() as tasks:
        other = await chat.host.sessions.create(BEN)
        tasks.start_soon(lambda: chat.host.call(ADA, "submit", {}, session=chat.session.id))
        with anyio.fail_after(5):
            await began.wait()

        assert (await chat.host.call(BEN, "submit", {}, session=other.id)).code == "conflict"
        go.set()


async def test_a_copy_or_a_rewind_of_one_session_leaves_it_where_it_is() -> None:
    async with opened(Office()) as chat:
        await chat.host.call(ADA, "submit", {}, session=chat.session.id)
        fork = await chat.host.sessions.fork(ADA, chat.session.id, at=1)
        await chat.host.sessions.rewind(ADA, chat.session.id, 1)
        await chat.host.sessions.delete(ADA, chat.session.id)

        assert (await chat.host.workflows.states(ADA, fork.id))["paper"] == "review"


async def test_it_ends_with_the_process() -> None:
    store = MemoryStore()
    async with opened(Office(), store) as chat:
        await chat.host.call(ADA, "submit", {}, session=chat.session.id)
    async with opened(Office(), store) as chat:
        assert (await chat.host.workflows.states(ADA, chat.session.id))["paper"] == "draft"
