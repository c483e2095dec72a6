"""Scratch beside the store that can't be reached for a while: what is queued keeps its order, and nothing outlives its session."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from handgriff import BackendError, Call
from handgriff.core.delta import Delta
from handgriff.core.events import CallOutcome
from handgriff.core.rows import QueuedHook
from handgriff.core.state import StateLimits
from handgriff.stores.files.scratch import FileScratch
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA
from tests.interaction.slate import Slate, Work

pytestmark = pytest.mark.anyio


class Flaky:
    """A scratch in files that is away while `is_away`."""

    def __init__(self, folder: Path) -> None:
        self._files = FileScratch(str(folder))
        self.is_away = False

    async def write(self, tenant: str, session: str, delta: Delta, *, now: datetime, limits: StateLimits) -> None:
        self.check()
        await self._files.write(tenant, session, delta, now=now, limits=limits)

    async def forget(self, tenant: str, session: str | None = None) -> None:
        self.check()
        await self._files.forget(tenant, session)

    async def sweep(self, tenant: str, *, now: datetime, limit: int) -> int:
        self.check()
        return await self._files.sweep(tenant, now=now, limit=limit)

    def check(self) -> None:
        if self.is_away:
            raise BackendError("files", "test", hint="It is away.")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)


@asynccontextmanager
async def beside(tmp_path: Path) -> AsyncIterator[tuple[Slate, Harness, Flaky, StillClock]]:
    slate, flaky, clock = Slate(), Flaky(tmp_path), StillClock()
    async with harness(slate.assistant(), ADA, scratch=flaky, clock=clock) as chat:
        yield slate, chat, flaky, clock


def put(value: str) -> Work:
    return lambda call: call.scratch("s").set("x", value)


async def read(call: Call) -> object:
    return await call.scratch("s").get("x", "absent")


async def test_a_later_write_is_never_undone_by_an_earlier_one_that_was_queued(tmp_path: Path) -> None:
    async with beside(tmp_path) as (slate, chat, flaky, clock):
        flaky.is_away = True
        assert (await slate.call(chat, "keep", put("old"))).is_ok
        flaky.is_away = False
        clock.move(6)
        await slate.call(chat, "keep", put("new"))

        assert await slate.read(chat, read) == "new"
        assert await slate.read(chat, read) == "new"


class NoHooks(MemoryStore):
    """A store that can't be asked for its queued hooks while `is_failing`."""

    is_failing = False

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        if self.is_failing:
            raise BackendError("memory", "read", hint="It is away.")
        return await super().hooks(tenant)


async def test_an_outcome_that_stands_is_not_said_to_be_unknown_because_what_follows_fails(tmp_path: Path) -> None:
    slate, store = Slate(), NoHooks()
    async with harness(
        slate.assistant(), ADA, store=store, scratch=FileScratch(str(tmp_path)), script=[ToolUse("write", {}), "Done."]
    ) as chat:

        async def work(call: Call) -> None:
            await call.scratch("s").set("x", "kept")
            store.is_failing = True

        slate.works.append(work)
        with pytest.raises(BackendError):
            await chat.say("Write.")  # the turn's own look at the hooks fails too, and is told so
        store.is_failing = False

        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        assert [event.body.code for event in await chat.events() if isinstance(event.body, CallOutcome)] == [None]
        await slate.read(chat, read)
        assert await slate.read(chat, read) == "kept"


async def test_what_was_queued_for_a_session_goes_with_it(tmp_path: Path) -> None:
    async with beside(tmp_path) as (slate, chat, flaky, clock):
        gone = chat.session.id
        flaky.is_away = True
        await slate.call(chat, "keep", put("pii"))
        flaky.is_away = False
        clock.move(6)
        chat.session = await chat.host.sessions.create(ADA)
        await chat.host.sessions.delete(ADA, gone)
        await slate.call(chat, "keep", put("other"))

        assert [record.session for record in await chat.host.scratch.list("acme")] == [chat.session.id]
        assert await (await chat.host.engine()).store.hooks("acme") == ()


@pytest.mark.parametrize("way", ["erase", "delete"])
async def test_an_erasure_that_could_not_reach_it_can_be_made_again(way: str, tmp_path: Path) -> None:
    async with beside(tmp_path) as (slate, chat, flaky, _):
        await slate.call(chat, "keep", put("pii"))

        async def remove() -> None:
            if way == "erase":
                await chat.host.erase("acme", "ada")
            else:
                await chat.host.sessions.delete(ADA, chat.session.id)

        flaky.is_away = True
        with pytest.raises(BackendError):
            await remove()
        flaky.is_away = False
        await remove()

        assert await chat.host.scratch.list("acme") == ()


async def test_a_record_that_can_not_be_cleared_is_not_said_to_be(tmp_path: Path) -> None:
    async with beside(tmp_path) as (slate, chat, flaky, _):
        await slate.call(chat, "keep", put("kept"))
        before = len(await chat.events())
        flaky.is_away = True
        with pytest.raises(BackendError):
            await chat.host.scratch.clear("acme", chat.session.id, "s", by="olga")

        assert len(await chat.events()) == before


async def test_a_sweep_that_fails_is_nobodys_failing_call(tmp_path: Path) -> None:
    async with beside(tmp_path) as (slate, chat, flaky, _):
        flaky.is_away = True

        assert await slate.read(chat, read) == "absent"
        with pytest.raises(BackendError):
            await chat.host.collect()
