"""What became of an uncertain effect is asked of the outside world, and only what is returned counts. Case B106."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import anyio
import pytest

from handgriff import Call, DefinitionError, Refusal, Result
from handgriff.core.claim import read_outcome
from handgriff.core.events import CallOutcome
from handgriff.core.rows import Effect
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.agency import NOT_BOOKED, Agency, answering, book, booked
from tests.interaction.desk import ADA, outcomes

pytestmark = pytest.mark.anyio
LEASE = 61
"""Thirty seconds of the tool's, thirty of margin, and one."""


def talk(agency: Agency, clock: StillClock, script: list[Any], **options: Any) -> Any:
    return harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=clock, **options)


@asynccontextmanager
async def two_processes(agency: Agency, clock: StillClock) -> AsyncIterator[tuple[Harness, Harness]]:
    """A call that runs in the first runs for the second only as long as its record says so."""
    store = MemoryStore()
    async with talk(agency, clock, [], store=store) as one, talk(agency, clock, [], store=store) as other:
        yield one, other


async def uncertain(agency: Agency, chat: Harness) -> Effect:
    """A booking whose answer got lost."""
    agency.going_wrong.append(TimeoutError("no answer"))
    await chat.say("Book Rome.")
    [effect] = await chat.host.effects.list("acme")
    assert effect.state == "indeterminate"
    return effect


def news(chat: Harness, n: int) -> str:
    """What the newest message of request *n* begins with."""
    return str(chat.provider.requests[n].body["messages"][-1]["content"][0]["text"])


async def test_a_result_says_that_it_happened() -> None:
    """The model is told with the next message, the key gives it again, hooks follow and its values are seen."""
    agency, clock = Agency(), StillClock()
    async with talk(
        agency, clock, [book(), "Unclear.", ToolUse("ticket", {"number": "t-Rome"}), "It is booked.", book(), "Again."]
    ) as chat:
        await uncertain(agency, chat)
        agency.answering = booked()
        clock.move(LEASE)
        after = await chat.say("And?")

        assert "Booked Rome, as the provider says." in news(chat, 2)
        assert [ended.code for ended in after.outcomes if not ended.late] == [None]
        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, effect.resolved_by) == ("done", "reconcile")
        assert [(told.call, told.shown.summary, told.arguments) for told in agency.told] == [
            (effect.call, "Booked Rome, as the provider says.", '{"place":"Rome"}')
        ]
        again = await chat.say("Again.")
        assert [ended.replayed for ended in again.outcomes] == [True]
        assert (agency.began, len(agency.asked)) == (1, 1)


async def test_a_refusal_says_that_it_did_not_happen_and_it_may_be_done_again() -> None:
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "It is not booked.", book(), "Now it is."]) as chat:
        effect = await uncertain(agency, chat)
        agency.answering = answering(NOT_BOOKED)
        clock.move(LEASE)
        await chat.say("And?")

        assert "The provider has not booked it." in news(chat, 2)
        found = await chat.host.effects.get("acme", "book", effect.key)
        assert (found.state, found.resolved_by, agency.told) == ("failed", "reconcile", [])
        again = await chat.say("Then book it.")
        assert ([ended.code for ended in again.outcomes], agency.began) == ([None], 2)
        assert (await chat.host.effects.get("acme", "book", effect.key)).resolved_by is None


SAYS_NOTHING: list[object] = [
    None,
    Refusal("indeterminate", "Who knows."),
    ConnectionError("the provider is away"),
    Refusal,
    "booked",
    True,
    False,
    0,
    {"done": True},
    NotImplementedError(),
]


@pytest.mark.parametrize("answer", SAYS_NOTHING, ids=repr)
async def test_anything_else_leaves_it_as_it_is(answer: object) -> None:
    """Also an exception that the tool's errors map: it does not say what happened."""
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "Still unclear."]) as chat:
        before = await uncertain(agency, chat)
        agency.answering = answering(answer)
        clock.move(LEASE)
        after = await chat.say("And?")

        [effect] = await chat.host.effects.list("acme")
        assert (effect, agency.booked, after.ended.status) == (before, ["Rome"], "done")
        assert news(chat, 2) == "And?"


@pytest.mark.parametrize("refusal", [NOT_BOOKED, Refusal("indeterminate", "Hm."), Refusal("permanent", "No.")], ids=lambda it: str(it.code))
async def test_a_refusal_that_is_raised_is_no_answer(refusal: Refusal) -> None:
    """Only a returned one is: what is raised may come from anywhere."""
    agency, clock = Agency(), StillClock()

    async def raises(args: Any, call: Call) -> object:
        raise refusal

    async with talk(agency, clock, [book(), "Unclear."]) as chat:
        await uncertain(agency, chat)
        agency.answering = raises
        clock.move(LEASE)

        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, len(agency.asked)) == ("indeterminate", 1)


async def test_a_question_that_hangs_is_given_up_within_the_tool_s_time() -> None:
    agency, clock = Agency(seconds=0.05), StillClock()

    async def hangs(args: Any, call: Call) -> object:
        await anyio.sleep_forever()
        return None

    async with talk(agency, clock, [book(), "Unclear.", "Still."]) as chat:
        await uncertain(agency, chat)
        agency.answering = hangs
        clock.move(LEASE)

        with anyio.fail_after(5):
            after = await chat.say("And?")
        assert (after.text, len(agency.asked)) == ("Still.", 1)


async def test_before_the_lease_is_over_nobody_is_asked() -> None:
    """Its holder may still be at it."""
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "Still.", "Ah."]) as chat:
        await uncertain(agency, chat)
        agency.answering = booked()
        clock.move(59)
        await chat.say("And?")
        assert await chat.host.effects.list("acme", state="done") == ()
        assert agency.asked == []

        clock.move(1)
        await chat.say("And now?")
        assert len(agency.asked) == 1
        assert "as the provider says" in news(chat, 3)


async def test_it_is_asked_once_a_minute_at_most() -> None:
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", *["Still."] * 6]) as chat:
        effect = await uncertain(agency, chat)
        clock.move(LEASE)

        for n in range(3):
            await chat.say(f"{n}?")
            await chat.host.effects.list("acme")
            await chat.host.effects.get("acme", "book", effect.key)
        assert len(agency.asked) == 1
        clock.move(59)
        await chat.say("Now?")
        assert len(agency.asked) == 1
        clock.move(1)
        await chat.say("Now?")
        assert len(agency.asked) == 2


async def list_effects(chat: Harness) -> None:
    await chat.host.effects.list("acme")


async def get_effect(chat: Harness) -> None:
    await chat.host.effects.get("acme", "book", "key-Rome")


async def speak(chat: Harness) -> None:
    await chat.say("And?")


async def follow(chat: Harness) -> None:
    async for _ in chat.host.follow(ADA, chat.session.id):
        pass


async def same_wish(chat: Harness) -> None:
    await chat.host.call(ADA, "book", {"place": "Rome"})


@pytest.mark.parametrize("look", [list_effects, get_effect, speak, follow, same_wish], ids=lambda it: str(it.__name__))
async def test_every_access_asks(look: Callable[[Harness], Awaitable[None]]) -> None:
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "Ah."]) as chat:
        await uncertain(agency, chat)
        agency.answering = booked()
        clock.move(LEASE)

        await look(chat)

        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        assert (len(agency.asked), agency.began) == (1, 1)


async def test_it_is_given_arguments_key_steps_and_caller_as_they_were_and_may_only_read() -> None:
    agency, clock, seen = Agency(), StillClock(), list[Any]()

    async def look(args: Any, call: Call) -> object:
        seen.append((args.place, call.idempotency_key, call.caller.user, call.session == chat.session.id, call.proposal))
        for attempt in (
            lambda: call.state.set("k", 1),
            lambda: call.scratch("n").set("k", 1),
            lambda: call.tool("book", {"place": "Oslo"}),
            lambda: call.transaction().__aenter__(),
        ):
            try:
                await attempt()
            except (DefinitionError, Refusal) as error:
                seen.append(type(error))
        return None

    async with talk(agency, clock, [book(), "Unclear."]) as chat:
        await uncertain(agency, chat)
        agency.answering = look
        clock.move(LEASE)
        await chat.host.effects.list("acme")

        assert seen == [("Rome", "key-Rome", "ada", True, None), DefinitionError, DefinitionError, Refusal, DefinitionError]
        assert agency.booked == ["Rome"]
        assert await chat.host.sessions.state(ADA, chat.session.id) == {}


@pytest.mark.parametrize("gone", ["caller", "tool", "question", "arguments"])
async def test_where_nobody_can_be_asked_it_stays_uncertain(gone: str) -> None:
    """Its caller is deleted, its tool removed, its question too, or its arguments are none any more: an operator decides."""
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear."]) as chat:
        await uncertain(agency, chat)
        agency.answering = booked()
        match gone:
            case "caller":
                agency.exists = False
            case "tool":
                agency.is_offered = False
            case "question":
                agency.is_asked = False
            case _:
                agency.places = int
        store = (await chat.host.engine()).store
        later_clock = StillClock(START + timedelta(seconds=LEASE))
        async with harness(agency.assistant(), ADA, callers=agency.callers, clock=later_clock, store=store) as later:
            [effect] = await later.host.effects.list("acme")
            assert (effect.state, agency.asked) == ("indeterminate", [])
            resolved = await later.host.effects.resolve("acme", "book", effect.key, "failed", by="ops")
            assert (resolved.state, resolved.resolved_by) == ("failed", "ops")


async def test_rights_that_were_lost_keep_nobody_from_asking() -> None:
    """It is not done again, only looked at."""
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear."]) as chat:
        await uncertain(agency, chat)
        agency.owns, agency.answering = False, booked()
        clock.move(LEASE)

        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]


async def test_two_who_look_at_once_ask_and_settle_once() -> None:
    agency, clock, go = Agency(), StillClock(), anyio.Event()

    async def slowly(args: Any, call: Call) -> object:
        await go.wait()
        return Result("Booked.", {"ticket": "t-1"})

    async with talk(agency, clock, [book(), "Unclear.", "Ah."]) as chat:
        await uncertain(agency, chat)
        agency.answering = slowly
        clock.move(LEASE)
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(chat.host.effects.list, "acme")
            await anyio.wait_all_tasks_blocked()
            go.set()

        late = [ended for ended in await outcomes(chat) if ended.late]
        assert (len(agency.asked), len(late)) == (1, 1)


async def test_two_servers_that_ask_at_once_settle_once() -> None:
    """Also where they hear different answers: the first one stands, in the record and for the model."""
    agency, clock, both = Agency(), StillClock(), anyio.Event()
    answers = iter([Result("Booked.", {"ticket": "t-1"}), NOT_BOOKED])

    async def slowly(args: Any, call: Call) -> object:
        answer = next(answers)
        if len(agency.asked) == 2:
            both.set()
        await both.wait()
        return answer

    async with talk(agency, clock, [book(), "Unclear."]) as chat:
        await uncertain(agency, chat)
        agency.answering = slowly
        clock.move(LEASE)
        store = (await chat.host.engine()).store
        async with harness(agency.assistant(), ADA, callers=agency.callers, clock=clock, store=store) as other:
            async with anyio.create_task_group() as tasks:
                for host in (chat.host, other.host):
                    tasks.start_soon(host.effects.list, "acme")

            [effect] = await chat.host.effects.list("acme")
            [late] = [ended for ended in await outcomes(chat) if ended.late]
            assert effect.result is not None
            assert read_outcome(effect.result).shown == late.shown
            assert (effect.state == "done", len(agency.told)) == (late.code is None, 0)


async def test_a_holder_that_comes_back_is_not_believed_over_the_answer() -> None:
    """A server that hung: its turn was taken over, the provider asked; what it says then does not count."""
    agency, clock, go = Agency(), StillClock(), anyio.Event()
    agency.booking = go.wait
    async with two_processes(agency, clock) as (chat, other):
        answers: list[Any] = []

        async def call() -> None:
            answers.append(await chat.host.call(ADA, "book", {"place": "Rome"}, session=chat.session.id))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            while not agency.began:
                await anyio.wait_all_tasks_blocked()
            clock.move(LEASE)
            agency.answering = answering(NOT_BOOKED)
            assert [effect.state for effect in await other.host.effects.list("acme")] == ["failed"]
            go.set()

        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, effect.resolved_by, agency.told) == ("failed", "reconcile", [])
        said = [event.body for event in await chat.events() if isinstance(event.body, CallOutcome)]
        assert [ended.late for ended in said][-1]


async def test_the_same_wish_of_somebody_who_crashed_is_found_out_before_it_is_answered() -> None:
    """An abandoned record, met by its key in another session."""
    agency, clock, never = Agency(), StillClock(), anyio.Event()
    agency.booking = never.wait
    async with two_processes(agency, clock) as (chat, other), anyio.create_task_group() as tasks:
        tasks.start_soon(chat.host.call, ADA, "book", {"place": "Rome"})
        while not agency.began:
            await anyio.wait_all_tasks_blocked()
        clock.move(LEASE)
        agency.answering = booked()

        again = await other.host.call(ADA, "book", {"place": "Rome"}, session=other.session.id)
        assert (again.code, again.replayed, again.shown.summary, agency.began) == (
            None,
            True,
            "Booked Rome, as the provider says.",
            1,
        )
        never.set()


async def test_the_same_wish_is_done_where_the_outside_world_says_that_it_was_not() -> None:
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear."]) as chat:
        await uncertain(agency, chat)
        agency.answering = answering(NOT_BOOKED)
        clock.move(LEASE)

        again = await chat.host.call(ADA, "book", {"place": "Rome"})
        assert (again.code, again.replayed, agency.began) == (None, False, 2)


async def test_a_result_whose_data_is_not_the_tool_s_says_still_that_it_happened() -> None:
    """The truth is not lost over its form."""
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "Ah."]) as chat:
        await uncertain(agency, chat)
        agency.answering = answering(Result("Booked.", {"ticket": object()}))
        clock.move(LEASE)
        after = await chat.say("And?")

        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        assert after.ended.status == "done"


@pytest.mark.parametrize(
    "answer",
    [Result("Booked.", {"ticket": float("nan")}), Result("\ud800"), Result("Booked.", {"ticket": "x" * 10**6}), Result("x" * 10**5)],
    ids=["nan", "surrogate", "too large", "too long"],
)
async def test_a_careless_result_breaks_no_conversation(answer: Result[Any]) -> None:
    """Whether it counts or not: the session can still be opened, and spoken to."""
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "Well."]) as chat:
        await uncertain(agency, chat)
        agency.answering = answering(answer)
        clock.move(LEASE)

        after = await chat.say("And?")
        assert after.text == "Well."
        assert [effect.state in ("done", "indeterminate") for effect in await chat.host.effects.list("acme")] == [True]


async def test_a_refusal_with_careless_facts_counts_and_breaks_nothing() -> None:
    agency, clock = Agency(), StillClock()
    async with talk(agency, clock, [book(), "Unclear.", "Well."]) as chat:
        await uncertain(agency, chat)
        agency.answering = answering(Refusal("permanent", object(), why=object(), many=[object()] * 9999))  # type: ignore[arg-type, list-item]  # what a careless author gives
        clock.move(LEASE)

        after = await chat.say("And?")
        assert (after.text, [effect.state for effect in await chat.host.effects.list("acme")]) == ("Well.", ["failed"])
