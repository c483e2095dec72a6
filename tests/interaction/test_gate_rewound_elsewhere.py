"""A session cut back whose instances are kept elsewhere: whoever looks behind the commit finds them cut back, whatever fails then."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from handgriff import Refusal
from handgriff.core.batch import Batch, RewindSession
from handgriff.core.events import CallOutcome
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.cabinet import Fault, Watched
from tests.interaction.meanwhile import Meanwhile
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio
HELD = 61


class World:
    """A paper that is approved, and is to be in review again."""

    def __init__(self) -> None:
        self.office, self.store, self.fault, self.inner, self.clock = Office(), Meanwhile(), Fault(), MemorySnapshots(), StillClock()

    async def lived(self, then: Callable[["World", Harness, int], Awaitable[None]]) -> None:
        """Do *then* with it: a conversation, and the event to go back to."""
        snapshots = Watched(self.inner, self.fault)
        options: dict[str, Any] = {"store": self.store, "snapshots": snapshots, "clock": self.clock}
        async with harness(self.office.assistant(), ADA, callers=everybody, **options) as chat:
            for tool in ("submit", "approve"):
                assert await call(chat, tool) is None
            moves = {
                body.moved.after: each.seq for each in await chat.events() if isinstance(body := each.body, CallOutcome) and body.moved
            }
            await then(self, chat, moves["review"])

    def break_set(self, number: int) -> None:
        """Let everything fail from the set so many from now on."""
        done = sum(place.startswith("before set") for place in self.fault.places)
        self.fault.at, self.fault.lasts = f"before set {done + number}", True

    def around(self, when: str, then: Callable[[], Awaitable[object]]) -> None:
        """Do *then* right before, or right after, the commit that cuts back."""
        self.store.when = "before" if when == "before" else "after"
        self.store.picks, self.store.then = _cuts, then


def _cuts(batch: Batch) -> bool:
    return any(isinstance(each, RewindSession) for each in batch)


async def call(chat: Harness, tool: str) -> str | None:
    return (await chat.host.call(ADA, tool, {}, session=chat.session.id)).code


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


async def test_a_call_right_behind_the_commit_finds_the_instance_cut_back() -> None:
    async def story(world: World, chat: Harness, review: int) -> None:
        codes: list[str | None] = []

        async def meanwhile() -> None:
            codes.extend([await call(chat, "discharge"), await call(chat, "reject")])

        world.around("after", meanwhile)
        await chat.host.sessions.rewind(ADA, chat.session.id, review)

        assert (codes, world.office.ran) == (["closed", None], ["submit", "approve", "reject"])
        assert await state(chat) == "draft"

    await World().lived(story)


async def test_a_call_right_before_the_commit_is_refused_and_runs_nothing() -> None:
    async def story(world: World, chat: Harness, review: int) -> None:
        codes: list[str | None] = []

        async def meanwhile() -> None:
            codes.append(await call(chat, "discharge"))

        world.around("before", meanwhile)
        with pytest.raises(Refusal, match="conversation_busy"):
            await chat.host.sessions.rewind(ADA, chat.session.id, review)

        assert (codes, world.office.ran, await state(chat)) == (["conflict"], ["submit", "approve"], "approved")

    await World().lived(story)


@pytest.mark.parametrize("later", [0, 10 * HELD], ids=["at once", "long after"])
async def test_where_the_process_dies_behind_the_commit_the_next_look_cuts_back(later: int) -> None:
    async def story(world: World, chat: Harness, review: int) -> None:
        # Its claim is stored, and nothing behind it.
        world.break_set(2)
        await chat.host.sessions.rewind(ADA, chat.session.id, review)
        world.fault.mend()
        world.clock.move(later)

        assert (await state(chat), await call(chat, "discharge"), await call(chat, "approve")) == ("review", "closed", None)

    await World().lived(story)


async def test_where_it_dies_before_the_commit_the_instance_is_as_it_was_and_free_after_a_while() -> None:
    async def story(world: World, chat: Harness, review: int) -> None:
        async def die() -> None:
            raise SystemExit

        world.around("before", die)
        with pytest.raises(SystemExit):
            await chat.host.sessions.rewind(ADA, chat.session.id, review)

        assert (await state(chat), await call(chat, "discharge")) == ("approved", "conflict")
        with pytest.raises(Refusal, match="conflict"):
            await chat.host.sessions.rewind(ADA, chat.session.id, review)
        world.clock.move(HELD)
        assert (await state(chat), await call(chat, "discharge")) == ("approved", None)

    await World().lived(story)


async def test_a_rewind_that_is_refused_lets_go_at_once() -> None:
    async def story(world: World, chat: Harness, review: int) -> None:
        async def speak() -> None:
            await chat.host.call(ADA, "look", {}, session=chat.session.id)

        world.around("before", speak)
        with pytest.raises(Refusal, match="conversation_busy"):
            await chat.host.sessions.rewind(ADA, chat.session.id, review)

        assert (await state(chat), await call(chat, "discharge")) == ("approved", None)

    await World().lived(story)


async def test_nothing_of_a_copied_or_a_rewound_instance_is_in_the_store() -> None:
    async def story(world: World, chat: Harness, review: int) -> None:
        await chat.host.sessions.fork(ADA, chat.session.id)
        await chat.host.sessions.rewind(ADA, chat.session.id, review)

        assert await chat.host.workflows.list("acme") == ()

    await World().lived(story)
