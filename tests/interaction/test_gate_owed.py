"""What an instance kept elsewhere has still to follow: its effect's record stays until it has, whoever wants to remove it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

import pytest

from handgriff import BackendError, DefinitionError, Refusal
from handgriff.core.batch import Erase
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.cabinet import Fault, Watched
from tests.interaction.meanwhile import Meanwhile
from tests.interaction.papers import ADA, BEN, Office, everybody

pytestmark = pytest.mark.anyio
DAY: Final = 24 * 3600


class World:
    """A paper of the whole tenant's, which Ben has begun, and Ada submitted while nothing could be stored elsewhere any more."""

    def __init__(self) -> None:
        self.store, self.fault, self.clock, self.office, self.handle = Meanwhile(), Fault(), StillClock(), Office(), ""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Harness]:
        """Her conversation."""
        machine = self.office.machine(instance="handle", owner="tenant")
        options: dict[str, Any] = {"store": self.store, "snapshots": Watched(MemorySnapshots(), self.fault), "clock": self.clock}
        async with harness(self.office.assistant(machine), ADA, callers=everybody, **options) as chat:
            session = await chat.host.sessions.create(BEN)
            begun = await chat.host.call(BEN, "begin", {}, session=session.id)
            assert begun.moved is not None
            self.handle = begun.moved.handle
            self.fault.at, self.fault.lasts = f"before set {self._sets + 2}", True
            assert (await chat.host.call(ADA, "submit", {"paper": self.handle}, session=chat.session.id)).code is None
            yield chat

    @property
    def _sets(self) -> int:
        return sum(place.startswith("before set") for place in self.fault.places)

    async def again(self, chat: Harness) -> str | None:
        """Ben tries the same step."""
        session = await chat.host.sessions.create(BEN)
        return (await chat.host.call(BEN, "submit", {"paper": self.handle}, session=session.id)).code


async def _erased(chat: Harness) -> object:
    return await chat.host.erase("acme", "ada")


async def _deleted(chat: Harness) -> None:
    await chat.host.sessions.delete(ADA, chat.session.id)


async def _collected(chat: Harness) -> object:
    return await chat.host.collect(idle=timedelta(hours=1))


REMOVALS: dict[str, Callable[[Harness], Awaitable[object]]] = {"erased": _erased, "deleted": _deleted, "collected": _collected}


@pytest.mark.parametrize("way", REMOVALS)
async def test_a_step_is_not_open_again_once_the_record_of_who_took_it_is_gone(way: str) -> None:
    world = World()
    async with world.opened() as chat:
        world.fault.mend()
        world.clock.move(2 * DAY)

        await REMOVALS[way](chat)

        assert [effect.tool for effect in await chat.host.effects.list("acme")] == ([] if way == "collected" else ["begin"])
        world.clock.move(2 * DAY)
        assert (await world.again(chat), world.office.ran.count("submit")) == ("closed", 1)


@pytest.mark.parametrize("way", REMOVALS)
async def test_while_the_other_store_is_down_the_record_stays(way: str) -> None:
    """P20. Erasing says so; collecting removes what it can."""
    world = World()
    async with world.opened() as chat:
        world.clock.move(2 * DAY)

        with pytest.raises(BackendError):
            await REMOVALS[way](chat)

        owing = [effect.tool for effect in await chat.host.effects.list("acme") if effect.owes]
        assert owing == ["submit"]
        world.fault.mend()
        await REMOVALS[way](chat)
        assert (await world.again(chat), world.office.ran.count("submit")) == ("closed", 1)


async def test_a_record_whose_session_was_deleted_in_its_day_is_swept_once_it_was_followed() -> None:
    world = World()
    async with world.opened() as chat:
        world.fault.mend()
        await chat.host.sessions.delete(ADA, chat.session.id)
        world.clock.move(2 * DAY)

        assert (await chat.host.collect()).effects == 1
        assert await world.again(chat) == "closed"


async def test_what_settles_while_a_user_is_erased_is_found_by_the_commit() -> None:
    """Between the look at what is owed and the commit that erases, another step is taken whose instance can't follow."""
    world = World()
    async with world.opened() as chat:
        world.fault.mend()

        async def meanwhile() -> None:
            world.fault.at, world.fault.lasts = f"before set {world._sets + 2}", True
            assert (await chat.host.call(ADA, "approve", {"paper": world.handle}, session=chat.session.id)).code is None

        world.store.picks, world.store.then = lambda batch: any(isinstance(each, Erase) for each in batch), meanwhile
        with pytest.raises(Refusal, match="conflict"):
            await chat.host.erase("acme", "ada")

        world.fault.mend()
        await chat.host.erase("acme", "ada")
        found = await chat.host.workflows.get(BEN, "paper", world.handle)
        assert found.state == "approved"


async def test_a_call_that_was_followed_owes_nothing_and_one_in_the_store_never_does() -> None:
    world = World()
    async with world.opened() as chat:
        world.fault.mend()
        owes = {effect.tool: effect.owes for effect in await chat.host.effects.list("acme")}
        assert owes == {"begin": False, "submit": True}

    async with harness(Office().assistant(), ADA, callers=everybody) as chat:
        await chat.host.call(ADA, "submit", {}, session=chat.session.id)
        assert [effect.owes for effect in await chat.host.effects.list("acme")] == [False]


async def test_a_host_that_keeps_nothing_elsewhere_does_not_remove_what_it_can_not_follow() -> None:
    world = World()
    async with world.opened():
        pass

    machine = world.office.machine(instance="handle", owner="tenant")
    async with harness(world.office.assistant(machine), ADA, callers=everybody, store=world.store, clock=world.clock) as chat:
        world.clock.move(2 * DAY)
        with pytest.raises(DefinitionError, match="give the snapshots="):
            await chat.host.erase("acme", "ada")
        assert [effect.tool for effect in await chat.host.effects.list("acme") if effect.owes] == ["submit"]
