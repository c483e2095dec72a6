"""Whoever is erased while nobody knows whether their call has moved what stays: they are not, until somebody has said what became of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from handgriff import BackendError, Refusal, Result
from handgriff.core.batch import Erase
from handgriff.core.caller import Caller
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.meanwhile import Meanwhile, settles
from tests.interaction.papers import ADA, BEN, Office, everybody
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio
KINDS: Final[dict[str, dict[str, Any]]] = {
    "session": {},
    "own_handle": {"instance": "handle"},
    "tenant_handle": {"instance": "handle", "owner": "tenant"},
    "process": {"instance": "process"},
}


async def _fail() -> None:
    raise BackendError("store", "committing")


def lost() -> Result[None]:
    raise ConnectionError("lost")


class World:
    """A paper, and the wish of Ada's to submit it, of which nobody knows what became."""

    def __init__(self, kind: str = "tenant_handle", store: Any = "memory://", snapshots: Any = None) -> None:
        self.office, self.clock, self.begins = Office(), StillClock(), "handle" in kind
        self.machine = self.office.machine(**KINDS[kind])
        self.options: dict[str, Any] = {"store": store, "snapshots": snapshots, "clock": self.clock}
        self.arguments: dict[str, str] = {}
        self.chat: Harness

    @asynccontextmanager
    async def opened(self, *, submits: bool = True) -> AsyncIterator["World"]:
        """Its host."""
        async with harness(self.office.assistant(self.machine), ADA, callers=everybody, **self.options) as self.chat:
            if self.begins:
                begun = await self.call(ADA, "begin")
                assert begun.moved is not None
                self.arguments = {"paper": begun.moved.handle}
            if submits:
                await self.lose()
            yield self

    async def lose(self) -> None:
        """Her call, and what it was connected to breaks."""
        self.office.instead["submit"] = lost
        assert (await self.call(ADA, "submit")).code == "indeterminate"
        self.office.instead.clear()

    async def call(self, caller: Caller, tool: str) -> Any:
        """A call in a session of theirs."""
        session = self.chat.session if caller == ADA else await self.chat.host.sessions.create(caller)
        return await self.chat.host.call(caller, tool, self.arguments, session=session.id)

    @property
    def submitted(self) -> int:
        """How many handlers have submitted it, whatever came of it."""
        return self.office.ran.count("submit")


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of this kind."""
    return store_name(kind, request, tmp_path)


@pytest.mark.parametrize("said", ["done", "failed"])
@pytest.mark.parametrize("kind", STORES)
async def test_a_step_that_may_have_been_taken_is_not_free_because_its_user_goes(store: str, said: Literal["done", "failed"]) -> None:
    async with World(store=store).opened() as world:
        effects = world.chat.host.effects
        [effect] = await effects.list("acme", state="indeterminate")

        with pytest.raises(Refusal, match="conflict: Nobody knows what became of submit") as refused:
            await world.chat.host.erase("acme", "ada")

        assert (refused.value.next or "").startswith(
            f"Say what became of it (handgriff effects resolve TARGET submit {effect.key} done|failed)"
        )
        assert ((await world.call(BEN, "submit")).code, world.submitted) == ("indeterminate", 1)
        await effects.resolve("acme", "submit", effect.key, said, by="ops")
        await world.chat.host.erase("acme", "ada")
        assert not await effects.list("acme")
        assert ((await world.call(BEN, "submit")).code, world.submitted) == (("closed", 1) if said == "done" else (None, 2))


@pytest.mark.parametrize("place", ["store", "elsewhere"])
@pytest.mark.parametrize("what", KINDS)
async def test_only_what_would_stay_is_in_the_way(what: str, place: str) -> None:
    """What is the user's alone goes with them. Elsewhere it can't be found by whose it is, and stays if it has a handle."""
    async with World(what, snapshots=MemorySnapshots() if place == "elsewhere" else None).opened() as world:
        stays = what in ("tenant_handle", "process") or (what == "own_handle" and place == "elsewhere")

        if stays:
            with pytest.raises(Refusal, match="conflict: Nobody knows"):
                await world.chat.host.erase("acme", "ada")
        else:
            await world.chat.host.erase("acme", "ada")

        assert bool(await world.chat.host.sessions.list(ADA)) is stays
        world.clock.move(3600)
        outcome = await world.chat.host.call(ADA, "submit", world.arguments)
        assert (outcome.code, world.submitted) == (
            ("indeterminate", 1) if stays else ("not_found", 1) if what == "own_handle" else (None, 2)
        )


async def test_what_was_left_running_by_a_crash_is_as_uncertain() -> None:
    """Nobody need have looked at its session before."""
    store = Meanwhile()
    async with World(store=store).opened(submits=False) as world:
        store.picks, store.then = settles("submit"), _fail
        await world.lose()
        [effect] = await store.effects("acme", state="running")
        world.clock.move(3600)

        with pytest.raises(Refusal, match=f"conflict: Nobody knows what became of submit {effect.key}"):
            await world.chat.host.erase("acme", "ada")


async def test_what_becomes_uncertain_right_before_the_commit_is_found_by_it() -> None:
    store = Meanwhile()
    async with World(store=store).opened(submits=False) as world:
        store.picks, store.then = lambda batch: any(isinstance(each, Erase) for each in batch), world.lose

        with pytest.raises(Refusal, match="conflict: Nobody knows what became of submit"):
            await world.chat.host.erase("acme", "ada")

        assert ((await world.call(BEN, "submit")).code, world.submitted) == ("indeterminate", 1)


async def test_others_of_the_tenant_are_erased_and_so_is_the_tenant_as_a_whole() -> None:
    async with World().opened() as world:
        await world.chat.host.erase("acme", "ben")
        assert (await world.call(BEN, "submit")).code == "indeterminate"

        await world.chat.host.erase("acme")

        assert (await world.chat.host.effects.list("acme"), await world.chat.host.workflows.list("acme")) == ((), ())
