"""A marked claim without outcome has not happened: whoever finds it says so, and a holder that comes back commits nothing more."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest

from handgriff import BackendError, Call
from handgriff.core.batch import Batch
from handgriff.core.state import StateLimits
from handgriff.host.adapters import open_store
from handgriff.ports.store import Committed
from handgriff.ports.transaction import Transaction
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import harness
from tests.interaction.books import Books, booking, keeping
from tests.interaction.desk import ADA, everybody, told
from tests.interaction.safe import another
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio
LATER = 61


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Books:
    return Books(store_name(str(request.param), request, tmp_path))


@dataclass(slots=True)
class Door:
    """Where a handler waits."""

    began: anyio.Event
    go: anyio.Event

    async def __call__(self, *_: object) -> None:
        self.began.set()
        await self.go.wait()


def door() -> Door:
    return Door(anyio.Event(), anyio.Event())


def waits(books: Books, where: str, at: Door) -> None:
    async def wait(*_: object) -> None:
        await at()

    setattr(books, where, wait)


def places(books: Books) -> tuple[str, ...]:
    """Where a handler can be overtaken: on SQLite nobody else writes while a transaction is open."""
    return ("before", "within", "after") if books.store.startswith("postgres") else ("before",)


async def test_what_was_declared_failed_while_it_ran_leaves_nothing(books: Books) -> None:
    """Its claim is settled by another server, whose clock is past the lease."""
    for number, where in enumerate(places(books)):
        ordinary, at = Books(books.store), door()
        books.before, books.within, books.after = ordinary.before, ordinary.within, ordinary.after
        waits(books, where, at)
        answers: list[Any] = []
        async with (
            keeping(books, clock=StillClock()) as chat,
            another(chat, ordinary.assistant(), everybody, books.store, clock=StillClock(START + timedelta(seconds=LATER))) as other,
        ):
            wish = f"wish {number}"

            async def call(chat: Any = chat, wish: str = wish, answers: list[Any] = answers) -> None:
                answers.append(await chat.host.call(ADA, "book", {"wish": wish}, session=chat.session.id))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await at.began.wait()
                found = await other.effects.get("acme", "book", wish)
                assert (found.state, found.resolved_by) == ("failed", None)
                at.go.set()

            assert (answers[0].code, await books.rows(), books.told) == ("transient", [], [])
            assert (await other.effects.get("acme", "book", wish)).state == "failed"
            assert await chat.host.sessions.state(ADA, chat.session.id) == {}


async def test_what_was_declared_failed_and_done_again_by_another_is_there_once(books: Books) -> None:
    """The new claim is not the old holder's to settle."""
    at, ordinary = door(), Books(books.store)
    waits(books, "before", at)
    async with (
        keeping(books, clock=StillClock()) as chat,
        another(chat, ordinary.assistant(), everybody, books.store, clock=StillClock(START + timedelta(seconds=LATER))) as other,
    ):
        answers: list[Any] = []

        async def call() -> None:
            answers.append(await chat.host.call(ADA, "book", {"wish": "Rome"}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await at.began.wait()
            again = await other.call(ADA, "book", {"wish": "Rome"})
            assert (again.code, again.replayed, await books.rows()) == (None, False, ["Rome"])
            at.go.set()

        assert (answers[0].code, await books.rows()) == ("transient", ["Rome"])
        [effect] = await other.effects.list("acme")
        assert (effect.state, ordinary.told, books.told) == ("done", ["Booked Rome."], [])


async def test_an_interrupted_turn_says_that_it_was_not_done_and_it_may_be_done_again(books: Books) -> None:
    """The history is told the truth, and never that nobody knows."""
    at, ordinary, clock = door(), Books(books.store), StillClock(START + timedelta(minutes=5))
    waits(books, "before", at)
    async with (
        keeping(books, [booking(), "It was taken back.", booking(), "Booked."], clock=StillClock()) as chat,
        another(chat, ordinary.assistant(), everybody, books.store, clock=clock) as other,
    ):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_ignoring, chat.say, "Book Rome.")
            await at.began.wait()
            async for _ in other.turn(ADA, chat.session.id, "Well?"):
                pass
            async for _ in other.turn(ADA, chat.session.id, "Then book it."):
                pass
            at.go.set()

        assert "It was interrupted and taken back. Nothing was done." in str(chat.provider.requests[1].body["messages"])
        assert "Booked Rome." in told(chat.provider.requests[3])[0]
        assert (await books.rows(), chat.provider.violations) == (["Rome"], ())


async def _ignoring(act: Callable[..., Awaitable[object]], *given: object) -> None:
    try:
        await act(*given)
    except Exception:  # noqa: BLE001  # its conversation was taken over, in one of several ways
        return


async def test_a_delta_that_can_not_be_applied_is_dropped_and_the_rows_stay(books: Books) -> None:
    """What happened is not taken back over what was to be remembered; the model reads it."""

    async def meanwhile(call: Call) -> None:
        await call.state.get("booked")
        await host().state.set("acme", call.session, "booked", "no number", by="ops")

    books.before = meanwhile
    async with keeping(books, [booking(), "Booked."]) as chat:

        def host() -> Any:
            return chat.host

        await chat.say("Book Rome.")

        assert (await books.rows(), await chat.host.sessions.state(ADA, chat.session.id)) == (["Rome"], {"booked": "no number"})
        assert "what it wanted to remember was not kept" in told(chat.provider.requests[1])[0]
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]


@dataclass(slots=True)
class FaultyCommit:
    """A transaction whose commit fails: before it arrives, or with its answer."""

    inner: Transaction
    when: Literal["before", "after"]

    @property
    def connection(self) -> Any:
        return self.inner.connection

    async def commit(self, batch: Batch) -> Committed:
        if self.when == "after":
            await self.inner.commit(batch)
        raise BackendError("store", "commit") from ConnectionError("the line is cut")

    async def roll_back(self) -> bool:
        return await self.inner.roll_back()


@dataclass(slots=True)
class FaultyStore:
    """A store whose next transaction's commit fails."""

    inner: Any
    when: Literal["before", "after"] | None

    async def begin(self) -> Transaction:
        when, self.when = self.when, None
        transaction: Transaction = await self.inner.begin()
        return transaction if when is None else FaultyCommit(transaction, when)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@pytest.mark.parametrize("is_planned", [False, True], ids=["at once", "confirmed"])
async def test_a_commit_that_did_not_arrive_has_failed_and_may_be_tried_again(books: Books, is_planned: bool) -> None:
    books.is_planned = is_planned
    inner = await open_store(books.store)
    async with keeping(books, [booking(), "Failed.", booking(), "Booked."], store=FaultyStore(inner, "before")) as chat:
        await chat.say("Book Rome.")
        if is_planned:
            await chat.confirm()
        assert "It could not be committed and was taken back. Nothing was done." in told(chat.provider.requests[1])[0]
        assert ([effect.state for effect in await chat.host.effects.list("acme")], await books.rows()) == (["failed"], [])

        await chat.say("Again.")
        if is_planned:
            await chat.confirm()
        assert (await books.rows(), books.told, chat.provider.violations) == (["Rome"], ["Booked Rome."], ())
    await inner.close()


@pytest.mark.parametrize("is_planned", [False, True], ids=["at once", "confirmed"])
async def test_a_commit_whose_answer_was_lost_has_happened_and_is_told_so(books: Books, is_planned: bool) -> None:
    books.is_planned = is_planned
    inner = await open_store(books.store)
    async with keeping(books, [booking(), "Booked."], store=FaultyStore(inner, "after")) as chat:
        await chat.say("Book Rome.")
        if is_planned:
            decided, _ = await chat.confirm()
            assert (decided.proposal.state, decided.outcome.code) == ("done", None)

        assert "Booked Rome." in told(chat.provider.requests[1])[0]
        assert ([effect.state for effect in await chat.host.effects.list("acme")], await books.rows()) == (["done"], ["Rome"])
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"booked": 1}
        assert chat.provider.violations == ()
    await inner.close()


async def test_a_full_session_drops_the_delta_and_keeps_the_rows(books: Books) -> None:
    """A bound that only the commit can see."""

    async def fill(call: Call) -> None:
        await call.state.set("text", "x" * 900)
        await host().state.set("acme", call.session, "other", "x" * 900, by="ops")

    books.before = fill
    await books.prepare()
    made = books.assistant()
    limited = type(made)(
        made.name, instructions="You book.", toolboxes=made.toolboxes, limits=type(made.limits)(state=StateLimits(scope_bytes=1000))
    )
    async with harness(limited, ADA, store=books.store, callers=everybody) as chat:

        def host() -> Any:
            return chat.host

        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"}, session=chat.session.id)

        assert (outcome.code, await books.rows()) == (None, ["Rome"])
        assert "was not kept" in outcome.text
