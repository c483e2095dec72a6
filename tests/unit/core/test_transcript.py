"""History is rendered, never repaired in place. Cases B031, B059, B069, B072, B073."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.events import Body, CallOutcome, Decision, Event, ParkedCall, RequestedCall, TurnEnded, decode, encode
from handgriff.core.lane import Lane
from handgriff.core.message import Message, ToolFace
from handgriff.core.transcript import awaits_answer, news, open_calls, transcript
from handgriff.testing.loopback.rules import violations
from handgriff.testing.samples import START
from tests.unit.core.histories import WIRE, History, assistant, call, histories, inner, outcome, partial, user

PREFIX = WIRE.prefix(tools=(ToolFace("find", "Use when: …", '{"type":"object","properties":{}}'),), hosted=(), instructions="You help.")
ONE, TWO, THREE = call(1), call(2), call(3)
PARKED = ParkedCall("p1", "c1", "find", "Find?", START)


def stored(*bodies: Body) -> list[Event]:
    return [Event(number, f"e{number}", "t1", START, body) for number, body in enumerate(bodies, start=1)]


def request(messages: Sequence[Message]) -> bytes:
    return WIRE.request(lane=Lane("anthropic:x"), prefix=PREFIX, context="Ada.", messages=messages, parallel=True, final=False)


def without_marks(body: bytes) -> bytes:
    """The bytes as far as the next request must repeat them: cache marks move, and the conversation stays open."""
    return re.sub(rb',"cache_control":\{[^}]*\}', b"", body).removesuffix(b"]}")


@given(histories())
def test_whatever_was_stored_every_request_is_valid(history: History) -> None:
    """B031, B059, B069: no call without its result behind it, no result without its call, none twice."""
    for events in history.prefixes():
        assert violations(json.loads(request(transcript(events)))) == ()


@given(histories())
def test_every_request_extends_the_one_before_byte_for_byte(history: History) -> None:
    """B072, B073: nothing that was sent is written anew, also after it has been in a store."""
    before = b""
    for events in history.prefixes():
        kept = [replace(event, body=decode(*encode(event.body))) for event in events]
        body = without_marks(request(transcript(kept)))

        assert transcript(kept) == transcript(events)
        assert body.startswith(before)
        before = body


@given(histories())
def test_a_history_can_be_rendered_exactly_where_no_call_is_open(history: History) -> None:
    for count in range(len(history.events) + 1):
        events = history.events[:count]
        if opened := open_calls(events):
            with pytest.raises(ValueError, match=f"calls without an outcome: {', '.join(asked.id for asked in opened)}"):
                transcript(events)
        else:
            transcript(events)


@pytest.mark.parametrize("order", [*permutations((ONE, TWO, THREE))])
def test_results_stand_in_the_order_of_their_calls_whatever_order_they_came_in(order: tuple[RequestedCall, ...]) -> None:
    """B031: a refused call has its result among the others."""
    texts = {ONE.id: "ok", TWO.id: "no", THREE.id: "ok"}
    outcomes = [outcome(asked, texts[asked.id]) for asked in (ONE, TWO, THREE)]
    arrived = sorted(outcomes, key=lambda found: [asked.id for asked in order].index(found.call))

    assert transcript(stored(user("go"), assistant(ONE, TWO, THREE), *arrived)) == (
        Message("user", user("go").wire),
        Message("assistant", assistant(ONE, TWO, THREE).wire),
        Message("user", tuple(found.wire for found in outcomes)),
    )


def test_the_first_outcome_of_a_call_is_its_result_for_good() -> None:
    events = stored(user("go"), assistant(ONE), outcome(ONE, "unknown"), outcome(ONE, "it was done", late=True), user("and?"))

    assert transcript(events)[2:] == (Message("user", (outcome(ONE, "unknown").wire,)), Message("user", user("and?").wire))


def test_a_late_outcome_of_an_earlier_round_does_not_enter_this_one() -> None:
    events = stored(user("go"), assistant(ONE), outcome(ONE), assistant(TWO), outcome(ONE, "late", late=True), outcome(TWO))

    assert transcript(events)[-1] == Message("user", (outcome(TWO).wire,))


@pytest.mark.parametrize("empty", [partial(""), assistant()], ids=["partial", "message"])
def test_a_message_that_said_nothing_is_not_sent(empty: Body) -> None:
    """B075: an empty block would be refused from then on."""
    assert transcript(stored(user("go"), empty, user("go on"))) == (Message("user", user("go").wire), Message("user", user("go on").wire))


def test_a_partial_message_is_sent_as_text() -> None:
    events = stored(user("go"), assistant(ONE), outcome(ONE), partial("Half"), user("go on"))

    assert [message.role for message in transcript(events)] == ["user", "assistant", "user", "assistant", "user"]
    assert transcript(events)[3].blocks == (WIRE.text("Half"),)


def test_nothing_is_nothing() -> None:
    assert (transcript([]), open_calls([]), news([]), awaits_answer([])) == ((), (), (), False)


def test_open_calls_are_those_of_the_last_message_in_their_order() -> None:
    """B059: what a crash left is named."""
    begun: list[Body] = [user("go"), assistant(ONE), outcome(ONE), assistant(TWO, THREE, ONE)]

    assert open_calls(stored(*begun)) == (TWO, THREE, ONE)
    assert open_calls(stored(*begun, outcome(THREE), inner(TWO))) == (TWO, ONE)
    assert open_calls(stored(*begun, outcome(THREE), outcome(TWO), outcome(ONE))) == ()


def test_an_outcome_no_model_can_read_closes_nothing() -> None:
    silent = CallOutcome(ONE.id, "find", "effect", outcome(ONE).shown, "d")

    assert open_calls(stored(user("go"), assistant(ONE), silent)) == (ONE,)


def test_news_are_late_outcomes_behind_the_last_user_message() -> None:
    late = outcome(ONE, "done", late=True)
    begun: list[Body] = [user("go"), assistant(ONE), outcome(ONE, "unknown")]

    assert news(stored(*begun)) == ()
    assert news(stored(*begun, late, TurnEnded("done"))) == (late,)
    assert news(stored(*begun, late, user("and?", "It was done."))) == ()
    assert news(stored(*begun, late, user("and?"), outcome(TWO, "x", late=True))) == (outcome(TWO, "x", late=True),)


WAITED = TurnEnded("waiting", parked=(PARKED,))


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([assistant(ONE)], False),
        ([assistant(ONE), WAITED], False),
        ([assistant(ONE), WAITED, Decision("p1", "c1", "done"), outcome(ONE)], True),
        ([assistant(ONE, TWO), outcome(TWO), WAITED, outcome(ONE, "no")], True),
        ([assistant(ONE, TWO), WAITED, outcome(ONE)], False),
        ([assistant(ONE), TurnEnded("interrupted", parked=(PARKED,)), outcome(ONE)], True),
        ([assistant(ONE), WAITED, outcome(ONE), user("something else")], False),
        ([assistant(ONE), WAITED, outcome(ONE), assistant(text="Done.")], False),
        ([assistant(ONE), WAITED, outcome(ONE), assistant()], False),
        ([assistant(ONE), WAITED, outcome(ONE), partial("Ha")], False),
        ([assistant(ONE), WAITED, outcome(ONE), TurnEnded("failed")], False),
        ([assistant(ONE), outcome(ONE), TurnEnded("aborted")], False),
        ([assistant(text="Done."), TurnEnded("done")], False),
    ],
)
def test_a_turn_goes_on_when_it_ended_to_wait_and_all_its_calls_are_decided(bodies: list[Body], expected: bool) -> None:
    """B149: and not a second time, nor after a stop."""
    assert awaits_answer(stored(user("go"), *bodies)) is expected


@given(histories(), st.data())
def test_events_without_a_place_in_the_history_change_nothing(history: History, data: st.DataObject) -> None:
    events = history.events[: data.draw(st.sampled_from(history.requests))]
    plain = [event for event in events if not isinstance(event.body, (Decision, TurnEnded)) and not getattr(event.body, "parent", None)]

    assert transcript(plain) == transcript(events)
