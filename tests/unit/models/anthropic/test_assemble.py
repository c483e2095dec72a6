"""`handgriff.models.anthropic.assemble`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.message import Answer, AskedCall
from handgriff.core.usage import Usage
from handgriff.models.anthropic.assemble import Assembler
from handgriff.ports.model import Ended, ModelFault, Started, Text, Working
from tests.unit.models.anthropic.streams import Event, block, call, end, ended, read, start, text

USAGE = {"input_tokens": 25, "cache_read_input_tokens": 0, "output_tokens": 1}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def test_a_stream_is_told_as_it_comes() -> None:
    events = read(start(USAGE), {"type": "ping"}, text(0, "Hel", "", "lo"), call(1, "{}"), end("tool_use", {"output_tokens": 7}))

    alive, busy, opened = Working(is_content=False), Working(is_content=True), Usage.of(input=25, cache_read=0)
    assert events[0] == Started("claude-x", Usage(input=25, output=1, reported=opened.reported))
    assert events[1:-1] == [alive, alive, Text("Hel"), alive, Text("lo"), alive, busy, busy, busy, busy]
    assert events[-1] == Ended(
        Answer(
            ('{"type":"text","text":"Hello"}', '{"type":"tool_use","id":"toolu_1","name":"find","input":{}}'),
            "Hello",
            (AskedCall("toolu_1", "find", "{}"),),
            "tools",
        ),
        Usage.of(input=25, cache_read=0, output=7),
    )


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("tool_use", "tools"),
        ("max_tokens", "length"),
        ("pause_turn", "pause"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "context_full"),
        ("new_reason_2027", "other"),
        (None, "other"),
    ],
)
def test_every_stop_reason_has_its_word(word: str | None, stop: str) -> None:
    assert ended(text(0, "x"), end(word)).answer.stop == stop


def test_text_that_opens_with_its_block_is_text() -> None:
    events = read(start(), block(0, {"type": "text", "text": "Hi"}), end())

    assert events[1] == Text("Hi")


def test_what_is_said_before_and_after_a_call_are_two_paragraphs() -> None:
    done = ended(text(0, "Let me see."), call(1), text(2, "One", " more."), text(3, " Cited."), end())

    assert done.answer.text == "Let me see.\n\nOne more. Cited."
    assert '{"type":"text","text":"One more."}' in done.answer.blocks


def test_thinking_is_work_and_never_text() -> None:
    events = read(
        start(),
        block(
            0,
            {"type": "thinking", "thinking": "a", "signature": ""},
            {"type": "thinking_delta", "thinking": "b\ud83d"},
            {"type": "signature_delta", "signature": "s"},
        ),
        end(),
    )

    assert set(events[1:-1]) == {Working(is_content=True)}
    assert isinstance(events[-1], Ended)
    assert events[-1].answer == Answer(('{"type":"thinking","thinking":"ab\ufffd","signature":"s"}',), "", (), "end")


def test_a_delta_that_belongs_to_another_kind_of_block_is_kept_and_not_shown() -> None:
    done = ended(
        block(0, {"type": "new", "text": "a"}, {"type": "text_delta", "text": "b"}, {"type": "thinking_delta", "thinking": "c"}), end()
    )

    assert done.answer == Answer(('{"type":"new","text":"ab","thinking":"c"}',), "", (), "end")


def test_half_a_character_is_shown_when_it_is_whole_or_when_its_block_ends() -> None:
    """B056."""
    events = read(start(), text(0, "a\ud83d", "\ude00", "\ud83d"), end())

    assert [event.text for event in events if isinstance(event, Text)] == ["a", "😀", "\ufffd"]
    "".join(event.text for event in events if isinstance(event, Text)).encode()


def test_blocks_stand_in_the_order_of_their_indexes() -> None:
    assert [asked.wire_id for asked in ended(call(3), call(1), call(2), end("tool_use")).answer.calls] == ["toolu_1", "toolu_2", "toolu_3"]


def test_blank_text_is_not_sent_back() -> None:
    """B075."""
    assert ended(text(0, "\n\n"), call(1), text(2), end("tool_use")).answer.blocks == (
        '{"type":"tool_use","id":"toolu_1","name":"find","input":{}}',
    )


def test_a_call_that_was_never_finished_is_not_closed() -> None:
    """B059 (d), B061: a reader of `is_closed` runs nothing of it, and the history stays valid."""
    answer = ended(call(0, "{}"), call(1, '{"a":1', closed=False), end("max_tokens")).answer

    assert answer.calls == (AskedCall("toolu_0", "find", "{}"), AskedCall("toolu_1", "find", '{"a":1', is_closed=False))
    assert answer.blocks[1] == '{"type":"tool_use","id":"toolu_1","name":"find","input":{}}'


@pytest.mark.parametrize("arguments", ['{"target": "orders"', '{"target":"orders"}'])
def test_a_message_cut_by_the_output_limit_says_so_whatever_its_calls_look_like(arguments: str) -> None:
    """B061."""
    assert ended(call(0, arguments), end("max_tokens")).answer.stop == "length"


def test_arguments_cut_under_a_normal_stop_are_told_as_they_came_and_kept_as_an_object() -> None:
    """B062."""
    answer = ended(call(0, '{"text": "abc'), end("tool_use", {"output_tokens": 300})).answer

    assert (answer.stop, answer.calls[0].arguments) == ("tools", '{"text": "abc')
    assert answer.blocks == ('{"type":"tool_use","id":"toolu_0","name":"find","input":{}}',)


@pytest.mark.parametrize(("stop", "is_kept"), [("max_tokens", False), ("refusal", False), ("pause_turn", True), ("tool_use", True)])
def test_a_tool_of_the_providers_own_without_a_result_is_kept_only_while_its_turn_goes_on(stop: str, *, is_kept: bool) -> None:
    assert len(ended(text(0, "x"), block(1, SEARCH), end(stop)).answer.blocks) == 1 + is_kept


def test_a_tool_of_the_providers_own_with_its_result_is_kept() -> None:
    assert len(ended(block(0, SEARCH), block(1, FOUND), text(2, "x"), end()).answer.blocks) == 3


def test_the_last_totals_count_and_nothing_is_added_up() -> None:
    first: dict[str, Any] = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 5, "input_tokens": 30}}
    done = read(start(USAGE), first, end("end_turn", {"output_tokens": 9, "input_tokens": 40}))[-1]

    assert isinstance(done, Ended)
    assert (done.usage.input, done.usage.output) == (40, 9)


@pytest.mark.parametrize("where", ["start", "delta"])
def test_the_reason_of_a_cache_miss_is_passed_on(where: str) -> None:
    reason = {"diagnostics": {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 9}}}
    delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn", **(reason if where == "delta" else {})}}
    done = read(start(**(reason if where == "start" else {})), delta, {"type": "message_stop"})[-1]

    assert isinstance(done, Ended)
    assert done.miss_reason == "tools_changed"


@pytest.mark.parametrize("none", [{}, {"diagnostics": None}, {"diagnostics": {"cache_miss_reason": None}}])
def test_without_a_miss_there_is_no_reason(none: dict[str, Any]) -> None:
    done = read(start(**none), end())[-1]

    assert isinstance(done, Ended)
    assert done.miss_reason is None


def test_events_of_unknown_kinds_are_signs_of_life() -> None:
    assert read(start(), {"type": "new_event_2027", "x": 1})[-1] == Working(is_content=False)


def test_an_error_event_ends_it_with_what_was_used() -> None:
    assembler = Assembler()
    assembler.feed(start(USAGE))

    with pytest.raises(ModelFault) as raised:
        assembler.feed({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert (raised.value.kind, raised.value.usage.input) == ("overloaded", 25)


@pytest.mark.parametrize(
    "event",
    [
        {},
        [],
        "text",
        5,
        None,
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}},
        {"type": "content_block_delta", "index": [], "delta": None},
        {"type": "content_block_start", "index": 1, "content_block": {"text": ""}},
        {"type": "message_start", "message": {"usage": {}}},
        {"type": "message_start", "message": {"model": "m", "usage": {"output_tokens_details": 5}}},
        {"type": "message_delta", "delta": None},
        {"type": "message_stop", "from": "a stream that never began"},
    ],
)
def test_an_event_of_another_form_is_a_broken_stream(event: Event) -> None:
    assembler = Assembler()
    assembler.feed({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})

    with pytest.raises(ModelFault, match="broken_stream"):
        assembler.feed(event)
    assert not assembler.has_ended


@given(st.lists(st.text(max_size=5)), st.lists(st.text(st.characters(exclude_categories=()), max_size=4)))
def test_what_was_shown_is_what_is_kept(first: list[str], second: list[str]) -> None:
    events = read(start(), text(0, *first), call(1), text(2, *second), end())
    done = events[-1]

    assert isinstance(done, Ended)
    assert done.answer.text == "".join(event.text for event in events if isinstance(event, Text))
    "".join(done.answer.blocks).encode()
