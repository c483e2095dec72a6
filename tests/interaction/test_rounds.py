"""What an open host looks after by itself: one that can't be looked after stops nobody else's, and nothing is forgotten."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

import anyio
import pytest

from handgriff import BackendError, Call, Refusal, Result, Toolbox
from handgriff.core.batch import HoldLease
from handgriff.core.events import Event
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.runtime.rounds import STEP, Rounds
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio


class Damaged(MemoryStore):
    """A store that can't read the events of some sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.damaged: set[str] = set()

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        if session in self.damaged:
            raise BackendError("memory", "reading events") from OSError("damaged")
        return await super().events(tenant, session, after=after, limit=limit)


async def crashed(chat: Harness, store: MemoryStore, clock: StillClock, *, seconds: float) -> str:
    """A session whose turn died, and whose lease is over after *seconds*."""
    session, now = await chat.host.sessions.create(ADA), clock.now()
    await store.commit((HoldLease("acme", session.id, "t", "h", 0, now, now + timedelta(seconds=seconds)),))
    return session.id


async def held_by(store: MemoryStore, session: str) -> str | None:
    """The turn that holds *session*."""
    found = await store.session("acme", session)
    assert found is not None
    return found.lease.turn


async def rounds(chat: Harness) -> Rounds:
    """The rounds, to be gone by hand."""
    return Rounds(await chat.host.engine())


async def test_a_damaged_session_stops_nobody_elses_recovery() -> None:
    clock, store = StillClock(), Damaged()
    async with harness(assistant(), ADA, store=store, clock=clock) as chat:
        bad, good = await crashed(chat, store, clock, seconds=20), await crashed(chat, store, clock, seconds=30)
        store.damaged.add(bad)
        clock.move(60)
        await (await rounds(chat)).once()

        assert (await held_by(store, bad), await held_by(store, good)) == ("t", None)


async def test_many_damaged_sessions_leave_room_for_others_and_are_tried_again() -> None:
    clock, store = StillClock(), Damaged()
    async with harness(assistant(), ADA, store=store, clock=clock) as chat:
        bad = [await crashed(chat, store, clock, seconds=20) for _ in range(STEP)]
        good = await crashed(chat, store, clock, seconds=30)
        store.damaged.update(bad)
        clock.move(60)
        going = await rounds(chat)
        await going.once()
        await going.once()
        assert await held_by(store, good) is None
        store.damaged.clear()
        clock.move(3600)
        await going.once()

        assert {await held_by(store, session) for session in bad} == {None}


class Teller:
    """A tool whose outcome is lost, and the outside world that is asked about it."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), 0

    def box(self, **limits: Any) -> Toolbox:
        """The tool."""
        box = Toolbox("teller")

        @box.tool(effect="write", name="pay", description=WORDS, limits=CallLimits(**limits))
        async def pay(number: int) -> Result[None]:
            raise RuntimeError("lost")

        @pay.reconcile
        async def found_out(args: Any, call: Call) -> Result[None] | Refusal | None:
            self.asked += 1
            answer = self.answers.pop(0) if self.answers else None
            if answer == "hang":
                await anyio.sleep_forever()
            return answer

        return box


async def test_the_rounds_ask_about_what_nobody_knows_and_the_model_is_told() -> None:
    clock, teller = StillClock(), Teller(None, Result("It was paid."))
    async with harness(assistant(teller.box()), ADA, script=["Hello."], clock=clock) as chat:
        assert (await chat.host.call(ADA, "pay", {"number": 1}, session=chat.session.id)).code == "indeterminate"
        going = await rounds(chat)
        for _ in range(60):
            clock.move(10)
            await going.once()
        store = (await chat.host.engine()).store
        assert [(effect.state, effect.resolved_by) for effect in await store.effects("acme")] == [("done", "reconcile")]
        assert teller.asked == 2
        await chat.say("Hello")

        assert "It was paid." in str(chat.provider.requests[-1].body)


async def test_what_stays_unknown_is_asked_about_ever_more_seldom_and_never_given_up() -> None:
    clock, teller = StillClock(), Teller()
    async with harness(assistant(teller.box()), ADA, clock=clock) as chat:
        await chat.host.call(ADA, "pay", {"number": 1}, session=chat.session.id)
        going, asked = await rounds(chat), []
        for _ in range(6):
            for _ in range(360):
                clock.move(10)
                await going.once()
            asked.append(teller.asked)

        assert asked[0] <= 7
        assert all(later - earlier == 1 for earlier, later in pairwise(asked[1:]))


async def test_what_takes_long_to_answer_holds_up_no_other_session() -> None:
    clock, store, teller = StillClock(), MemoryStore(), Teller("hang")
    async with harness(assistant(teller.box(seconds=300)), ADA, store=store, clock=clock) as chat:
        await chat.host.call(ADA, "pay", {"number": 1}, session=chat.session.id)
        clock.move(400)
        other = await crashed(chat, store, clock, seconds=10)
        with anyio.fail_after(5):
            # The host's own rounds, which began when it was opened.
            while teller.asked == 0 or await held_by(store, other) is not None:
                clock.move(10)
                await anyio.lowlevel.checkpoint()

        assert teller.asked == 1


async def test_the_rounds_deliver_what_was_left_behind() -> None:
    clock, box, heard, failing = StillClock(), Toolbox("desk"), [], [RuntimeError("1"), RuntimeError("2"), RuntimeError("3")]

    @box.tool(effect="write", name="file", description=WORDS)
    async def file() -> Result[None]:
        return Result("Filed.")

    @file.after_call
    async def mail(told: AfterCall) -> None:
        if failing:
            raise failing.pop()
        heard.append(told.call)

    async with harness(assistant(box), ADA, clock=clock) as chat:
        await chat.host.call(ADA, "file", {})
        going = await rounds(chat)
        await going.once()
        assert (heard, len(failing)) == ([], 2)
        for _ in range(20):
            clock.move(10)
            await going.once()

        assert len(heard) == 1
        assert await (await chat.host.engine()).store.hooks("acme") == ()


async def test_one_look_at_a_session_waits_for_the_slowest_question_and_not_for_their_sum() -> None:
    clock, teller = StillClock(), Teller()
    together = anyio.Event()
    box = Toolbox("teller")

    @box.tool(effect="write", name="pay", description=WORDS)
    async def pay(number: int) -> Result[None]:
        raise RuntimeError("lost")

    @pay.reconcile
    async def found_out(args: Any, call: Call) -> None:
        teller.asked += 1
        if teller.asked == 3:
            together.set()
        await together.wait()

    async with harness(assistant(box), ADA, clock=clock) as chat:
        for number in range(3):
            await chat.host.call(ADA, "pay", {"number": number}, session=chat.session.id)
        clock.move(100)
        with anyio.fail_after(5):
            await chat.host.sessions.get(ADA, chat.session.id)

        assert teller.asked == 3


async def test_an_answer_is_forgotten_when_it_counts_no_longer_whoever_settled_the_effect() -> None:
    clock, teller = StillClock(), Teller()
    async with harness(assistant(teller.box()), ADA, clock=clock) as chat:
        for number in range(3):
            await chat.host.call(ADA, "pay", {"number": number}, session=chat.session.id)
        clock.move(100)
        for effect in await chat.host.effects.list("acme"):
            await chat.host.effects.resolve("acme", "pay", effect.key, "done", by="ops")
        truths = (await chat.host.engine()).boundary.truths
        assert len(truths._asked) == 3
        clock.move(61)
        await (await rounds(chat)).once()

        assert len(truths._asked) == 0
