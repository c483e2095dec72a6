import json
from typing import Any, get_args

import pytest
from ag_ui_validate.pytest_plugin import validate_agui
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.events import (
    CallOutcome,
    Decision,
    Item,
    OperatorChange,
    PartialMessage,
    Progress,
    Retrying,
    SessionCreated,
    TextDelta,
    TurnEnded,
    TurnStatus,
)
from handgriff.core.jsontext import Json
from handgriff.errors import Fact
from handgriff.http.agui import Encoded, Encoder
from handgriff.http.problems import Problem
from tests.unit.http.items import asked, event, frame, parked, said, told

STATUSES: tuple[TurnStatus, ...] = get_args(TurnStatus)


def encoder(**options: Any) -> Encoder:
    return Encoder("t1", "r1", **options)


def run(*items: Item, **options: Any) -> list[Encoded]:
    made = encoder(**options)
    return [*made.begin(), *(each for item in items for each in made.encode(item)), *made.finish()]


def kinds(events: list[Encoded]) -> list[Json]:
    return [each["type"] for each in events]


def text(events: list[Encoded]) -> str:
    return "".join(str(each["delta"]) for each in events if each["type"] == "TEXT_MESSAGE_CONTENT")


def check(events: list[Encoded]) -> None:
    assert [finding.message for finding in validate_agui([*events]).diagnostics if finding.rule != "AGUI902"] == []
    assert [kind for kind in kinds(events) if kind in ("RUN_FINISHED", "RUN_ERROR")] == kinds(events)[-1:]


def deltas(request: str, *texts: str) -> list[Item]:
    return [frame(1, offset, TextDelta(request, text)) for offset, text in enumerate(texts, start=1)]


def test_a_message_is_said_as_it_comes_and_ended_by_its_event() -> None:
    events = run(*deltas("m", "One ", "two."), event(2, asked("m", "One two.")), event(3, TurnEnded("done")))

    assert kinds(events)[2:] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"]
    assert text(events) == "One two."
    check(events)


@pytest.mark.parametrize("heard", [0, 1, 2, 3])
def test_what_was_not_heard_of_a_message_comes_with_its_event(heard: int) -> None:
    events = run(*deltas("m", "One ", "two ", "three.")[:heard], event(2, asked("m", "One two three.")), event(3, TurnEnded("done")))

    assert text(events) == "One two three."
    check(events)


def test_half_a_character_waits_for_its_other_half() -> None:
    events = run(*deltas("m", "a\ud83d", "\ude00", "b\ud83d"), event(2, asked("m", "a\U0001f600b\ufffd")), event(3, TurnEnded("done")))

    assert text(events) == "a\U0001f600b\ufffd"
    assert all(str(each.get("delta", "")).isprintable() for each in events)


def test_blank_space_alone_is_no_message() -> None:
    events = run(*deltas("m", "\n", "\n"), event(2, asked("m", "\n\n", "c1")), event(3, told("c1")), event(4, TurnEnded("done")))

    assert "TEXT_MESSAGE_START" not in kinds(events)
    check(events)


def test_blank_space_before_a_text_is_kept() -> None:
    events = run(*deltas("m", "\n", " a"), event(2, asked("m", "\n a")), event(3, TurnEnded("done")))

    assert text(events) == "\n a"


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("is_one", [False, True])
def test_whatever_the_end_everything_is_closed_before_it(status: TurnStatus, is_one: bool) -> None:
    events = run(
        event(2, asked("m", "", "c1", "c2")),
        event(3, told("c1")),
        *deltas("n", "half"),
        event(4, TurnEnded(status, parked=(parked("p1", "c2"),))),
        is_one=is_one,
    )

    check(events)
    assert kinds(events).count("TEXT_MESSAGE_START") == kinds(events).count("TEXT_MESSAGE_END") == 1
    answered = {each["toolCallId"] for each in events if each["type"] == "TOOL_CALL_RESULT"}
    interrupted = events[-1].get("outcome", {})
    assert isinstance(interrupted, dict)
    assert ("c2" in answered) != (interrupted.get("type") == "interrupt")


@pytest.mark.parametrize(
    ("status", "code", "is_one", "terminal"),
    [
        ("done", None, False, {"outcome": {"type": "success"}}),
        ("limit", "time", False, {"outcome": {"type": "success"}, "result": {"stop": "time"}}),
        ("aborted", "stop", True, {"outcome": {"type": "cancelled"}}),
        ("aborted", "stop", False, {"code": "cancelled", "message": "Said."}),
        ("failed", "overloaded", True, {"code": "overloaded", "message": "Said."}),
        ("budget", None, True, {"code": "budget", "message": "Said."}),
        ("interrupted", "interrupted", True, {"code": "interrupted", "message": "Said."}),
    ],
)
def test_each_status_has_its_terminal_event(status: TurnStatus, code: str | None, is_one: bool, terminal: dict[str, Json]) -> None:
    events = run(event(2, TurnEnded(status, code=code, message="Said.")), is_one=is_one)

    assert {key: value for key, value in events[-1].items() if key not in ("type", "threadId", "runId")} == terminal


def test_at_a_limit_the_server_says_it_in_words() -> None:
    assert text(run(event(2, TurnEnded("limit", message="It became too long.")))) == "It became too long."


def test_nothing_follows_the_end_B145() -> None:
    made = encoder()
    made.begin()
    made.fail("transient", "It broke.")

    assert made.encode(event(2, asked("m", "late"))) == ()
    assert made.encode(deltas("m", "late")[0]) == ()
    assert made.finish() == ()
    assert made.fail("permanent", "again") == ()


def test_a_run_that_breaks_answers_its_calls_first_B144() -> None:
    made = encoder()
    events = [*made.begin(), *made.encode(event(2, asked("m", "", "c1"))), *made.fail("transient", "It broke.")]

    assert kinds(events)[-2:] == ["TOOL_CALL_RESULT", "RUN_ERROR"]
    assert json.loads(str(events[-2]["content"]))["error"] == {"code": "indeterminate"}
    check(events)


def test_a_call_hangs_on_its_message_only_if_that_was_said() -> None:
    silent, spoken = run(event(2, asked("m", "", "c1")), event(3, told("c1"))), run(event(2, asked("m", "Hm.", "c1")), event(3, told("c1")))

    assert [each.get("parentMessageId") for each in silent if each["type"] == "TOOL_CALL_START"] == [None]
    assert [each.get("parentMessageId") for each in spoken if each["type"] == "TOOL_CALL_START"] == ["m"]


@pytest.mark.parametrize(("written", "sent"), [("", "{}"), (" ", "{}"), ('{"a":1}', '{"a":1}'), ('{"a":', '{"unreadable":"{\\"a\\":"}')])
def test_arguments_are_json_whatever_the_model_wrote(written: str, sent: str) -> None:
    events = run(event(2, asked("m", "", "c1", arguments=written)), event(3, told("c1")), event(4, TurnEnded("done")))

    assert [each["delta"] for each in events if each["type"] == "TOOL_CALL_ARGS"] == [sent]
    check(events)


def test_outcomes_of_inner_calls_and_late_ones_are_no_results() -> None:
    events = run(
        event(2, asked("m", "", "c1")),
        event(3, told("inner", parent="c1")),
        event(4, told("c1")),
        event(5, told("c1", "It was done.", late=True)),
    )

    assert kinds(events).count("TOOL_CALL_RESULT") == 1
    assert [each["value"] for each in events if each["type"] == "CUSTOM"] == [{"toolCallId": "c1", "summary": "It was done."}]


def test_what_was_meant_for_the_model_is_in_no_event() -> None:
    events = run(event(2, asked("m", "Hm.", "c1")), event(3, told("c1")), event(4, TurnEnded("done", input_tokens=7)))

    assert "secret" not in repr(events)
    assert "wire" not in repr(events)
    assert "usage" not in events[-1]


def test_tokens_are_told_where_that_was_asked_for() -> None:
    ended = TurnEnded("done", input_tokens=7, output_tokens=2, cache_read_tokens=5, cache_write_tokens=1)

    assert run(event(2, ended), with_usage=True)[-1]["usage"] == [
        {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9, "cachedInputTokens": 5, "cacheWriteInputTokens": 1}
    ]


def test_progress_and_retries_are_custom_events_of_ours() -> None:
    events = run(frame(1, 1, Progress("c1", 1, text="half")), frame(1, 2, Retrying("m", 2, 0.5)), event(2, TurnEnded("done")))

    assert [(each["name"], each["value"]) for each in events if each["type"] == "CUSTOM"] == [
        ("handgriff.progress", {"toolCallId": "c1", "done": 1, "text": "half"}),
        ("handgriff.retrying", {"attempt": 2, "seconds": 0.5}),
    ]
    check(events)


def test_a_replay_says_the_users_messages_and_the_ends_of_turns_that_failed() -> None:
    items = (
        event(1, SessionCreated("ada")),
        event(2, said("Hi.")),
        event(3, TurnEnded("failed", message="No.")),
        event(4, said("And now?")),
    )

    replayed, live = run(*items, is_replay=True), run(*items)

    assert text(replayed) == "Hi.And now?"
    assert [each["value"] for each in replayed if each["type"] == "CUSTOM"] == [{"status": "failed", "message": "No."}]
    assert replayed[-1]["outcome"] == {"type": "success"}
    assert text(live) == ""
    check(replayed)


def test_what_waits_now_decides_how_a_replay_ends() -> None:
    made = encoder(is_replay=True)
    made.begin()
    made.encode(event(2, TurnEnded("interrupted", parked=(parked("p1", "c1"),))))

    assert made.finish([parked("p2", "c2")])[-1]["outcome"] == {"type": "interrupt", "interrupts": [_interrupt("p2", "c2")]}


def test_what_was_decided_since_is_no_interrupt_any_more() -> None:
    made = encoder()
    made.begin()
    made.encode(event(2, TurnEnded("waiting", parked=(parked("p1", "c1"),))))
    made.encode(event(3, Decision("p1", "c1", "done", "ada")))

    assert made.finish([])[-1]["outcome"] == {"type": "success"}


@pytest.mark.parametrize(
    ("message", "facts", "told"),
    [
        ("Falsch.", {"tries_left": 3}, {"message": "Falsch.", "tries_left": 3}),
        (None, {}, {"message": "Wrong."}),
        (None, {"state": "done"}, {"message": "Wrong.", "state": "done"}),
    ],
)
def test_a_decision_that_was_not_taken_leaves_its_interrupt_open_and_says_why(
    message: str | None, facts: dict[str, Fact], told: dict[str, Json]
) -> None:
    made = encoder()
    made.begin()
    made.encode(deltas("m", "half")[0])

    events = [*made.refuse("p1", Problem(403, "denied", "Denied", "Wrong.", facts=facts, message=message))]
    ended = made.finish([parked("p1", "c1"), parked("p2", "c2")])[-1]

    assert kinds(events) == ["TEXT_MESSAGE_END", "CUSTOM"]
    assert events[1]["value"] == {"proposal": "p1", "code": "denied", **told}
    assert ended["outcome"] == {
        "type": "interrupt",
        "interrupts": [{**_interrupt("p1", "c1"), "message": f"Do c1? {told['message']}"}, _interrupt("p2", "c2")],
    }


@pytest.mark.parametrize(("locale", "message"), [("en", "Done."), ("de-AT", "Erledigt."), ("fr", "Fait."), ("ar", "Done.")])
def test_a_decision_is_told_in_the_callers_language(locale: str, message: str) -> None:
    [told] = encoder(locale=locale).encode(event(2, Decision("p1", "c1", "done", "ada")))

    assert told["value"] == {"proposal": "p1", "toolCallId": "c1", "state": "done", "message": message}


def test_an_operators_change_is_not_the_users_business() -> None:
    assert encoder().encode(event(2, OperatorChange("x", "root"))) == ()


def test_a_cut_message_is_said_to_its_end_and_closed() -> None:
    events = run(*deltas("m", "One "), event(2, PartialMessage("m", "One tw")), event(3, TurnEnded("failed")))

    assert text(events) == "One tw"
    check(events)


@st.composite
def conversations(draw: st.DrawFn) -> list[Item]:
    """Items as a session yields them: every message and call once, results for some calls, cut anywhere."""
    items: list[Item] = []
    waiting: list[str] = []
    for number in range(draw(st.integers(0, 6))):
        text = draw(st.text(max_size=6))
        cut = draw(st.integers(0, len(text)))
        heard = [text[:cut], text[cut:]][: draw(st.integers(0, 2))]
        items += [frame(number, offset, TextDelta(f"m{number}", part)) for offset, part in enumerate(heard)]
        calls = [f"c{number}{index}" for index in range(draw(st.integers(0, 2)))]
        ends: list[list[Item]] = [
            [event(100 + number, asked(f"m{number}", text, *calls)), frame(number, 9, Progress("c", 1))],
            [event(100 + number, PartialMessage(f"m{number}", text))],
            [],
        ]
        chosen = draw(st.integers(0, 2))
        items += ends[chosen]
        waiting += calls if chosen == 0 else []
        items += [event(1000 + 10 * number + index, told(call)) for index, call in enumerate(waiting)][: draw(st.integers(0, 2))]
        waiting = [call for call in waiting if call not in {each.body.call for each in items if isinstance(each.body, CallOutcome)}]
        if draw(st.booleans()):
            items.append(event(2000 + number, TurnEnded(draw(st.sampled_from(STATUSES)), message="x")))
        if draw(st.booleans()):
            items.append(event(3000 + number, said("hi")))
    return items


@given(conversations(), st.booleans(), st.booleans())
def test_any_items_make_a_run_with_one_end_and_nothing_open(items: list[Item], is_one: bool, is_replay: bool) -> None:
    events = run(*items, is_one=is_one, is_replay=is_replay)

    check(events)
    assert kinds(events).count("TEXT_MESSAGE_START") == kinds(events).count("TEXT_MESSAGE_END")
    started, answered = (
        [each["toolCallId"] for each in events if each["type"] == kind] for kind in ("TOOL_CALL_START", "TOOL_CALL_RESULT")
    )
    assert sorted(map(str, started)) == sorted(map(str, answered))


def _interrupt(proposal: str, call: str) -> dict[str, Json]:
    return {
        "id": proposal,
        "reason": "tool_call",
        "message": f"Do {call}?",
        "toolCallId": call,
        "responseSchema": {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]},
        "expiresAt": "2026-03-02T09:10:00+00:00",
        "metadata": {
            "handgriff": {
                "tool": "cancel_order",
                "diff": [{"label": "Status", "before": "a", "after": "b"}],
                "confirm": "person",
                "count": None,
                "sample": [],
            }
        },
    }
