import json
from datetime import UTC, datetime
from typing import get_args

import pytest

from handgriff.cli.export import delta_record, event_line, scratch_line, session_line, state_line
from handgriff.core.delta import KINDS, Append, Change, Clear, Delete, Expect, Increment, Merge, Operation, Renew, Set, Value
from handgriff.core.events import CallOutcome, Event, OperatorChange, Shown, TextPart, UserMessage
from handgriff.core.rows import Pinned, Record, Session

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_the_first_line_is_the_whole_row_of_the_session() -> None:
    pinned = Pinned("standard", "anthropic", "hash", "a context", "a nonce", told=(("topic", "shoes"),))
    line = session_line(Session("acme", "ada", "s_1", NOON, 4, "Title", "thread", pinned))

    assert line["type"] == "session"
    assert (line["tenant"], line["user"], line["id"], line["head"], line["alias"]) == ("acme", "ada", "s_1", 4, "thread")
    assert line["pinned"] == {
        "lane": "standard",
        "provider": "anthropic",
        "prefix": "hash",
        "context": "a context",
        "nonce": "a nonce",
        "told": [["topic", "shoes"]],
    }


def test_an_event_is_complete_with_what_only_its_provider_reads_and_its_delta() -> None:
    """Unlike on screens."""
    body = CallOutcome("c_1", "find", "effect", Shown("Found."), "digest", wire="WIRE")
    line = event_line(Event(3, "e_1", "t_1", NOON, body, (Set("user", "name", '"Ada"'), Increment("session", "n", 2))))

    assert line == {
        "type": "call_outcome",
        "seq": 3,
        "id": "e_1",
        "turn": "t_1",
        "at": "2026-07-01T12:00:00+00:00",
        "call": "c_1",
        "tool": "find",
        "step": "effect",
        "shown": {"summary": "Found."},
        "digest": "digest",
        "wire": "WIRE",
        "delta": [
            {"op": "set", "scope": "user", "key": "name", "value": "Ada"},
            {"op": "increment", "scope": "session", "key": "n", "by": 2},
        ],
    }


def test_an_event_without_a_delta_says_so() -> None:
    assert event_line(Event(1, "e_1", None, NOON, OperatorChange("state k set", "ops")))["delta"] == []
    assert event_line(Event(1, "e_1", None, NOON, UserMessage((TextPart("Hi"),), ("w",))))["wire"] == ["w"]


@pytest.mark.parametrize(
    ("operation", "record"),
    [
        (Set("session", "k", "null"), {"op": "set", "scope": "session", "key": "k", "value": None}),
        (Delete("app", "k"), {"op": "delete", "scope": "app", "key": "k"}),
        (Append("scratch", "k", "[1]", "n"), {"op": "append", "scope": "scratch", "key": "k", "value": [1], "namespace": "n"}),
        (Merge("session", "k", '{"a":null}'), {"op": "merge", "scope": "session", "key": "k", "value": {"a": None}}),
        (Expect("session", "k", None), {"op": "expect", "scope": "session", "key": "k", "version": None}),
        (Renew("n", NOON, NOON), {"op": "renew", "namespace": "n", "at": NOON.isoformat(), "until": NOON.isoformat()}),
        (Clear("n"), {"op": "clear", "namespace": "n"}),
    ],
    ids=lambda case: case["op"] if isinstance(case, dict) else type(case).__name__,
)
def test_an_operation_is_named_and_its_value_is_a_value(operation: Operation, record: object) -> None:
    assert delta_record((operation,)) == [record]


def test_every_operation_has_a_name() -> None:
    assert set(KINDS.values()) >= {*get_args(Change), Expect, Renew, Clear}
    assert set(KINDS.values()) == {*get_args(Operation)}


def test_state_and_scratch_close_an_export() -> None:
    record = Record("acme", "s_1", "cart", NOON, {"items": Value("[1,2]", 7)})

    assert state_line({"user:name": "Ada", "k": None}) == {"type": "state", "values": {"user:name": "Ada", "k": None}}
    assert json.loads(json.dumps(scratch_line(record))) == {
        "type": "scratch",
        "session": "s_1",
        "namespace": "cart",
        "expires_at": "2026-07-01T12:00:00+00:00",
        "data": {"items": [1, 2]},
    }
