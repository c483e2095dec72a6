"""`handgriff.testing.loopback.anthropic`."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.testing.loopback.anthropic import Head, Stream, content, dump, error, http_error_type, message, numbered, sign, stream
from handgriff.testing.loopback.cache import InputUsage
from handgriff.testing.loopback.script import (
    Answer,
    Drop,
    EarlyEnd,
    ErrorEvent,
    Fault,
    Hold,
    HttpError,
    Insert,
    Raw,
    Text,
    Thinking,
    ToolUse,
    ping,
)

HEAD = Head("msg_1", "m", InputUsage(fresh=1, read=2, written_5m=3, written_1h=4))
INPUT = {"input_tokens": 1, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 2}
SPLIT = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}


def ids() -> Iterator[str]:
    return (f"id_{number}" for number in count(1))


def decoded(made: Stream) -> list[tuple[str, Any]]:
    lines = [event.decode().split("\n") for event in made.events]
    assert all(len(parts) == 4 and parts[2:] == ["", ""] for parts in lines)
    return [(parts[0].removeprefix("event: "), json.loads(parts[1].removeprefix("data: "))) for parts in lines]


def names(answer: Answer) -> list[str]:
    return [name for name, _ in decoded(stream(answer, HEAD))]


def test_a_text_is_streamed_as_the_messages_api_does() -> None:
    assert decoded(stream(Answer((Text("Hallo Welt", chunk=6),)), HEAD)) == [
        (
            "message_start",
            {
                "type": "message_start",
                "message": {
                    "id": "msg_1",
                    "type": "message",
                    "role": "assistant",
                    "model": "m",
                    "content": [],
                    "stop_reason": None,
                    "stop_sequence": None,
                    "usage": {**INPUT, "cache_creation": SPLIT, "output_tokens": 1, "service_tier": "standard"},
                },
            },
        ),
        ("ping", {"type": "ping"}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hallo "}}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Welt"}}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {**INPUT, "output_tokens": 3},
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]


def test_thinking_ends_with_its_signature() -> None:
    deltas = [data["delta"] for name, data in decoded(stream(Answer((Thinking("ab", chunk=1),)), HEAD)) if name == "content_block_delta"]

    assert deltas == [
        {"type": "thinking_delta", "thinking": "a"},
        {"type": "thinking_delta", "thinking": "b"},
        {"type": "signature_delta", "signature": sign("ab")},
    ]


def test_a_call_streams_its_arguments_behind_an_empty_piece() -> None:
    answer = Answer((ToolUse("look", {"a": "ü"}, id="c1", extra={"caller": {"type": "direct"}}, chunk=5),))

    assert decoded(stream(replace(answer, inserts=()), HEAD))[1:-2] == [
        (
            "content_block_start",
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": "c1", "name": "look", "input": {}, "caller": {"type": "direct"}},
            },
        ),
        *(
            (
                "content_block_delta",
                {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}},
            )
            for piece in ("", '{"a":', ' "ü"}')
        ),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
    ]


def test_a_raw_block_is_sent_whole() -> None:
    block = {"type": "new_block_2027", "z": 1, "a": [1.0]}

    assert decoded(stream(Answer((Raw(block),), inserts=()), HEAD))[1:3] == [
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
    ]


@pytest.mark.parametrize("raw", ["", '{"a": "b', "[]", "null", "{'a': 1}"])
def test_arguments_that_are_no_object_come_back_as_an_empty_one(raw: str) -> None:
    """B048, B061, B062: whatever was streamed, the history may only hold an object."""
    answer = Answer((ToolUse("look", raw=raw, id="c1"),))

    pieces = [data["delta"]["partial_json"] for name, data in decoded(stream(answer, HEAD)) if name == "content_block_delta"]

    assert "".join(pieces) == raw
    assert content(answer) == ({"type": "tool_use", "id": "c1", "name": "look", "input": {}},)


def test_calls_without_an_id_are_numbered() -> None:
    answer = Answer((ToolUse("a"), ToolUse("b", id="mine"), Text("x"), ToolUse("c")))

    assert [block["id"] for block in content(numbered(answer, ids())) if block["type"] == "tool_use"] == ["id_1", "mine", "id_2"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer((Text("x"),)), "end_turn"),
        (Answer((Text("x"), ToolUse("look"))), "tool_use"),
        (Answer((ToolUse("look"),), stop_reason="max_tokens"), "max_tokens"),
    ],
    ids=["text", "call", "override"],
)
def test_the_stop_reason_follows_the_blocks_unless_it_is_scripted(answer: Answer, reason: str) -> None:
    """B062: a cut call may even be reported as a normal one."""
    assert decoded(stream(answer, HEAD))[-2][1]["delta"]["stop_reason"] == reason
    assert message(answer, HEAD)["stop_reason"] == reason


def test_the_whole_message_says_what_the_stream_says() -> None:
    answer = Answer((Thinking("t"), Text("x"), ToolUse("look", {"a": 1}, id="c1"), Raw({"type": "new"})))

    assert message(answer, HEAD) == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content(answer)),
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {**INPUT, "cache_creation": SPLIT, "output_tokens": 9, "service_tier": "standard"},
    }


def test_usage_can_be_scripted_or_left_out() -> None:
    """B081, B083: a reported zero is not a missing count."""
    zero = {"input_tokens": 0, "output_tokens": 0}

    scripted = decoded(stream(Answer(start_usage=zero, end_usage=zero), HEAD))
    left_out = decoded(stream(Answer(start_usage={}, end_usage={}), HEAD))

    assert (scripted[0][1]["message"]["usage"], scripted[-2][1]["usage"]) == (zero, zero)
    assert "usage" not in left_out[0][1]["message"]
    assert "usage" not in left_out[-2][1]
    assert "usage" not in message(Answer(start_usage={}, end_usage={}), HEAD)


def test_events_can_be_inserted_anywhere() -> None:
    answer = Answer((Text("x"),), inserts=(ping(0), ping(2), Insert(2, "new_event_2027", {"type": "new_event_2027"}), ping(5)))

    assert names(answer) == [
        "ping",
        "message_start",
        "content_block_start",
        "ping",
        "new_event_2027",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "ping",
        "message_stop",
    ]


@pytest.mark.parametrize(
    ("fault", "ending"), [(EarlyEnd(3), "early"), (Drop(3), "dropped"), (Drop(3, reset=True), "reset")], ids=["early", "drop", "reset"]
)
def test_a_fault_cuts_the_stream_where_it_says(fault: Fault, ending: str) -> None:
    whole = stream(Answer((Text("x"),)), HEAD)

    assert stream(Answer((Text("x"),), fault=fault), HEAD) == Stream(whole.events[:3], ending)  # type: ignore[arg-type]  # a word of the table


def test_an_error_event_is_the_last_event() -> None:
    """B144, B145."""
    events = decoded(stream(Answer((Text("x"),), fault=ErrorEvent(2, "api_error", "Oops")), HEAD))

    assert events[2:] == [("error", {"type": "error", "error": {"type": "api_error", "message": "Oops"}})]


async def never() -> None:
    raise AssertionError


@pytest.mark.parametrize(
    "answer",
    [
        Answer((Text("x"),), fault=Drop(7)),
        Answer((Text("x"),), fault=ErrorEvent(-1)),
        Answer((Text("x"),), inserts=(ping(6),)),
        Answer((Text("x"),), holds=(Hold(8, never),)),
        Answer((Text("x"),), holds=(Hold(4, never),), fault=EarlyEnd(3)),
    ],
    ids=["fault", "negative", "insert", "hold", "hold-behind-fault"],
)
def test_what_would_never_happen_is_refused(answer: Answer) -> None:
    with pytest.raises(ValueError, match="is never reached: the last position is"):
        stream(answer, HEAD)


@given(st.text(), st.integers(1, 5))
def test_the_pieces_of_a_text_are_the_text(words: str, size: int) -> None:
    answer = Answer((Text(words, chunk=size),))

    assert "".join(data["delta"]["text"] for name, data in decoded(stream(answer, HEAD)) if name == "content_block_delta") == words


def test_half_a_surrogate_pair_goes_out_as_an_escape() -> None:
    """B056."""
    assert dump({"text": "ü"}) == '{"text":"ü"}'.encode()
    assert dump({"text": "ü\ud83d"}) == b'{"text":"\\u00fc\\ud83d"}'


def test_an_error_has_the_type_of_its_status_unless_it_is_scripted() -> None:
    replies = [HttpError(529), HttpError(429), HttpError(418), HttpError(503), HttpError(400, "custom_error")]

    assert [http_error_type(reply) for reply in replies] == [
        "overloaded_error",
        "rate_limit_error",
        "invalid_request_error",
        "api_error",
        "custom_error",
    ]


def test_an_error_names_its_request_if_there_is_one_to_name() -> None:
    assert error("api_error", "x", request_id="r") == {"type": "error", "error": {"type": "api_error", "message": "x"}, "request_id": "r"}
    assert error("api_error", "x", request_id=None) == {"type": "error", "error": {"type": "api_error", "message": "x"}}
