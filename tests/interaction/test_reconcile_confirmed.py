"""A confirmed call whose process died: found by its lease, asked about, settled with its proposal, and the turn goes on. Case B106."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import anyio
import pytest

from handgriff import Assistant, Call, Caller, Plan, Refusal, Result, Toolbox
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.agency import NOT_BOOKED, Agency, answering, book, booked
from tests.interaction.desk import ADA, BOB, WORDS, assistant, decisions, endings, everybody, told
from tests.interaction.safe import another, deciders, waiting

pytestmark = pytest.mark.anyio
LEASE = 61


def later(seconds: float = LEASE) -> StillClock:
    """The clock of a server that still runs: the one of the other stands still with it."""
    return StillClock(START + timedelta(seconds=seconds))


@asynccontextmanager
async def hanging(chat: Harness, decider: Caller, began: anyio.Event, go: anyio.Event) -> AsyncIterator[str]:
    """A proposal whose confirmed call hangs in a server that nobody hears of any more, to the end of the block."""
    await chat.say("Book Rome.")
    [proposal] = await waiting(chat.host, decider)

    async def confirm() -> None:
        # It comes back late: refused, or believed, where nobody has learned anything else meanwhile.
        with suppress(Refusal):
            await chat.host.proposals.decide(decider, proposal, True)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(confirm)
        await began.wait()
        try:
            yield proposal
        finally:
            go.set()


@dataclass(slots=True)
class Hangs:
    """How a booking hangs."""

    began: anyio.Event = field(default_factory=anyio.Event)
    go: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self) -> None:
        self.began.set()
        await self.go.wait()


def hung() -> tuple[Agency, Hangs, MemoryStore]:
    hangs = Hangs()
    return Agency(has_key=False, is_planned=True, booking=hangs.__call__), hangs, MemoryStore()


@pytest.mark.parametrize(
    ("answer", "state", "told_as"),
    [
        (Result("Booked, says the provider.", {"ticket": "t-1"}), "done", "Booked, says the provider."),
        (NOT_BOOKED, "failed", "The provider has not booked it."),
        (None, "indeterminate", "nobody knows"),
    ],
    ids=["done", "failed", "unknown"],
)
async def test_its_lease_is_over_and_whoever_looks_asks_settles_and_goes_on(answer: object, state: str, told_as: str) -> None:
    agency, hangs, store = hung()
    agency.answering = answering(answer)
    async with (
        harness(agency.assistant(), ADA, script=[book(), "So it is."], callers=agency.callers, clock=StillClock(), store=store) as chat,
        hanging(chat, ADA, hangs.began, hangs.go) as proposal,
        another(chat, agency.assistant(), agency.callers, store, clock=later()) as other,
    ):
        async for _ in other.follow(ADA, chat.session.id):
            pass

        found = await other.proposals.get(ADA, proposal)
        assert (found.state, found.decided_by) == (state, "ada")
        assert await decisions(chat) == ["running", state]
        assert told_as in told(chat.provider.requests[1])[0]
        assert (await endings(chat))[-1] == "done"
        assert (len(agency.asked), agency.began, chat.provider.violations) == (1, 1, ())


async def test_an_open_server_finds_it_by_itself() -> None:
    """Nobody looks; the round does."""
    agency, hangs, store = hung()
    agency.answering = booked()
    async with (
        harness(agency.assistant(), ADA, script=[book(), "So it is."], callers=agency.callers, clock=StillClock(), store=store) as chat,
        hanging(chat, ADA, hangs.began, hangs.go),
        another(chat, agency.assistant(), agency.callers, store, clock=later()),
    ):
        with anyio.fail_after(5):
            while not (effects := await store.effects("acme", state="done")):
                await anyio.wait_all_tasks_blocked()

        assert effects[0].resolved_by == "reconcile"


async def test_what_was_unknown_and_is_known_later_comes_as_news() -> None:
    agency, hangs, store = hung()
    clock, script = later(), [book(), "Unclear.", "Ah, booked."]
    async with (
        harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=StillClock(), store=store) as chat,
        hanging(chat, ADA, hangs.began, hangs.go) as proposal,
        another(chat, agency.assistant(), agency.callers, store, clock=clock) as other,
    ):
        async for _ in other.follow(ADA, chat.session.id):
            pass
        assert (await other.proposals.get(ADA, proposal)).state == "indeterminate"
        agency.answering = booked()
        clock.move(60)
        async for _ in other.turn(ADA, chat.session.id, "And now?"):
            pass

        found = await other.proposals.get(ADA, proposal)
        assert (found.state, found.decided_by) == ("done", "ada")
        assert await decisions(chat) == ["running", "indeterminate", "done"]
        assert "as the provider says" in chat.provider.requests[2].body["messages"][-1]["content"][0]["text"]


async def test_who_confirmed_is_known_to_the_question_and_stays_on_the_record() -> None:
    """The second person, also after the crash."""
    seen, hangs, store, clock = list[Any](), Hangs(), MemoryStore(), later()
    made = four_eyes(seen, hangs)
    async with (
        harness(made, ADA, script=[book(), "So it is."], callers=everybody, clock=StillClock(), store=store) as chat,
        hanging(chat, BOB, hangs.began, hangs.go) as proposal,
        another(chat, made, everybody, store, clock=clock) as other,
    ):
        for state in ("indeterminate", "done"):
            await anyio.wait_all_tasks_blocked()  # the server's own round looks too
            await other.effects.list("acme")
            found = await other.proposals.get(ADA, proposal)
            assert (found.state, found.decided_by) == (state, "bob")
            clock.move(60)

        assert seen == [("bob", "ada", {"version": "7"})] * 2
        assert await deciders(chat) == [("running", "bob"), ("indeterminate", "bob"), ("done", "bob")]


def four_eyes(seen: list[Any], hangs: Hangs) -> Assistant:
    """A booking by four eyes that hangs, and whose provider knows at the second question."""
    box = Toolbox("agency")

    @box.tool(effect="irreversible", name="book", confirm="second_person", plan=plan, description=WORDS)
    async def handler(place: str) -> Result[None]:
        await hangs()
        return Result("Booked.")

    @handler.reconcile
    async def look(args: Any, call: Call) -> object:
        assert call.proposal is not None
        seen.append((call.proposal.decided_by, call.caller.user, dict(call.proposal.before)))
        return Result("Booked.") if len(seen) == 2 else None

    return assistant(box)


def plan(place: str) -> Plan:
    return Plan(f"Book {place}?", version="7")


async def uncertain_and_deleted(chat: Harness, agency: Agency) -> None:
    agency.going_wrong.append(TimeoutError("no answer"))
    await chat.say("Book Rome.")
    await chat.host.sessions.delete(ADA, chat.session.id)


@pytest.mark.parametrize(
    ("answer", "codes"), [(NOT_BOOKED, [None, None]), (None, ["indeterminate", "indeterminate"])], ids=["no", "unknown"]
)
async def test_a_deleted_session_s_effect_is_still_asked_about(answer: object, codes: list[Any]) -> None:
    """Its key protects for a day."""
    agency, clock = Agency(), StillClock()
    async with harness(agency.assistant(), ADA, script=[book(), "Unclear."], callers=agency.callers, clock=clock) as chat:
        await uncertain_and_deleted(chat, agency)
        agency.answering = answering(answer)
        clock.move(LEASE)

        assert [(await chat.host.call(ADA, "book", {"place": "Rome"})).code for _ in range(2)] == codes
        assert agency.began == (2 if answer else 1)


async def test_a_deleted_session_s_effect_that_happened_is_given_again_and_its_hooks_follow() -> None:
    """What must follow a write follows it although its session is gone."""
    agency, clock = Agency(), StillClock()
    async with harness(agency.assistant(), ADA, script=[book(), "Unclear."], callers=agency.callers, clock=clock) as chat:
        await uncertain_and_deleted(chat, agency)
        agency.answering = booked()
        clock.move(LEASE)

        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, effect.resolved_by) == ("done", "reconcile")
        again = await chat.host.call(ADA, "book", {"place": "Rome"})
        assert (again.replayed, agency.began, [told.call for told in agency.told]) == (True, 1, [effect.call])


@pytest.mark.parametrize("state", ["done", "failed"])
async def test_an_operator_can_resolve_the_effect_of_a_deleted_session(state: Any) -> None:
    agency, clock = Agency(is_asked=False), StillClock()
    async with harness(agency.assistant(), ADA, script=[book(), "Unclear."], callers=agency.callers, clock=clock) as chat:
        await uncertain_and_deleted(chat, agency)

        resolved = await chat.host.effects.resolve("acme", "book", "key-Rome", state, by="ops")

        assert (resolved.state, resolved.resolved_by) == (state, "ops")
        again = await chat.host.call(ADA, "book", {"place": "Rome"})
        assert (again.code, agency.began) == (None, 1 if state == "done" else 2)


async def test_an_operator_can_resolve_a_confirmed_effect_of_a_deleted_session() -> None:
    """Its proposal is gone with the session."""
    agency, clock = Agency(is_asked=False, is_planned=True), StillClock()
    async with harness(agency.assistant(), ADA, script=[book(), "Unclear."], callers=agency.callers, clock=clock) as chat:
        agency.going_wrong.append(TimeoutError("no answer"))
        await chat.say("Book Rome.")
        await chat.confirm()
        await chat.host.sessions.delete(ADA, chat.session.id)

        assert (await chat.host.effects.resolve("acme", "book", "key-Rome", "done", by="ops")).state == "done"


async def test_a_deleted_owner_s_effect_is_left_to_the_operator() -> None:
    agency, clock = Agency(has_key=False, is_planned=True), StillClock()
    async with harness(agency.assistant(), ADA, script=[book(), "Unclear."], callers=agency.callers, clock=clock) as chat:
        agency.going_wrong.append(TimeoutError("no answer"))
        await chat.say("Book Rome.")
        await chat.confirm()
        agency.exists, agency.answering = False, booked()
        clock.move(LEASE)

        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, agency.asked) == ("indeterminate", [])
        assert (await chat.host.effects.resolve("acme", "book", effect.key, "done", by="ops")).state == "done"
        assert (await decisions(chat))[-1] == "done"
