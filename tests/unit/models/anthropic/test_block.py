"""`handgriff.models.anthropic.block`."""

import json
from typing import Any

import pytest

from handgriff.core.message import AskedCall
from handgriff.models.anthropic.block import Block


def received(start: dict[str, Any], *deltas: dict[str, Any], pieces: tuple[str, ...] = ()) -> Block:
    block = Block(start)
    for piece in pieces:
        block.add_text(piece)
    for delta in deltas:
        block.add(delta)
    block.close()
    return block


def arguments(*pieces: str) -> list[dict[str, Any]]:
    return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def test_text_is_joined() -> None:
    block = received({"type": "text", "text": ""}, pieces=("Hel", "lo é", "😀"))

    assert block.wire == '{"type":"text","text":"Hello é😀"}'
    assert block.text == "Hello é😀"


def test_citations_are_kept_in_order() -> None:
    first, second = {"type": "char_location", "cited_text": "a"}, {"type": "page_location", "cited_text": "b"}
    start = {"type": "text", "text": "", "citations": None}
    block = received(start, *({"type": "citations_delta", "citation": item} for item in (first, second)), pieces=("x",))

    assert json.loads(block.wire) == {"type": "text", "text": "x", "citations": [first, second]}


def test_thinking_keeps_its_signature() -> None:
    start = {"type": "thinking", "thinking": "", "signature": ""}
    block = received(start, {"type": "signature_delta", "signature": "sig=="}, pieces=("hmm ", "so"))

    assert block.wire == '{"type":"thinking","thinking":"hmm so","signature":"sig=="}'
    assert block.is_worth_keeping


def test_thinking_that_was_omitted_by_the_provider_is_kept_for_its_signature() -> None:
    block = received({"type": "thinking", "thinking": "", "signature": "sig=="})

    assert block.wire == '{"type":"thinking","thinking":"","signature":"sig=="}'
    assert block.is_worth_keeping


def test_what_the_api_would_not_take_back_is_not_worth_keeping() -> None:
    """B075: blank text, and thinking that was cut before it was signed."""
    assert not received({"type": "text", "text": ""}, pieces=("\n ",)).is_worth_keeping
    assert not received({"type": "thinking", "thinking": "", "signature": ""}, pieces=("cut",)).is_worth_keeping


@pytest.mark.parametrize(
    "whole",
    [
        {"type": "redacted_thinking", "data": "EuYBCoQB"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x", "n": 1.0}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": [{"type": "web_search_result", "encrypted_content": "…"}],
        },
        {"type": "new_block_2027", "input": "not an object", "deep": {"z": [1, {"a": None}], "a": True}},
    ],
)
def test_blocks_sent_whole_come_back_as_they_were(whole: dict[str, Any]) -> None:
    block = received(whole)

    assert block.wire == json.dumps(whole, separators=(",", ":"), ensure_ascii=False)
    assert block.is_worth_keeping


def test_a_type_that_does_not_come_first_is_moved_there_and_a_mark_is_not_kept() -> None:
    assert received({"a": 1, "type": "new", "cache_control": {"type": "ephemeral"}}).wire == '{"type":"new","a":1}'


def test_a_block_may_nest_deeper_than_anything_of_ours() -> None:
    deep: Any = "end"
    for _ in range(100):
        deep = [deep]

    assert json.loads(received({"type": "new", "deep": deep}).wire)["deep"] == deep


def test_deltas_of_unknown_kinds_go_on_where_they_can() -> None:
    block = received(
        {"type": "new", "words": "a", "items": [1], "state": 1},
        {"type": "words_delta", "words": "b", "items": [2], "state": 2},
        {"type": "late_delta", "late": {"x": 1}},
    )

    assert block.wire == '{"type":"new","words":"ab","items":[1,2],"state":2,"late":{"x":1}}'


def test_a_call_keeps_its_arguments_as_they_came_and_who_made_it() -> None:
    """B046-B049, B072: no key order, space, escape or digit is changed."""
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
    start = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}, "caller": caller}
    block = received(start, *arguments("", '{"z": 1,"a":{"y":1.0,', '"b":"\\u00e9"},"id":9007199254740993}'))

    raw = '{"z": 1,"a":{"y":1.0,"b":"\\u00e9"},"id":9007199254740993}'
    assert block.call == AskedCall("toolu_1", "find", raw)
    assert block.wire == (
        f'{{"type":"tool_use","id":"toolu_1","name":"find","input":{raw},"caller":{{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}}}}'
    )


@pytest.mark.parametrize("raw", ["", "   ", "null", "[]", '{"text": "abc'])
def test_arguments_that_are_no_object_are_told_as_they_came_and_kept_as_an_empty_one(raw: str) -> None:
    """B048, B062."""
    block = received({"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}, *arguments(raw))

    assert block.call.arguments == raw
    assert block.wire == '{"type":"tool_use","id":"toolu_1","name":"find","input":{}}'


def test_arguments_given_at_once_count_when_none_were_streamed() -> None:
    block = received({"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"b": 1, "a": 2}})

    assert block.call.arguments == '{"b":1,"a":2}'
    assert block.wire.endswith('"input":{"b":1,"a":2}}')


def test_a_call_without_input_at_all_gets_an_empty_one() -> None:
    """B048."""
    block = received({"type": "tool_use", "id": "toolu_1", "name": "find"})

    assert block.call.arguments == ""
    assert block.wire == '{"type":"tool_use","id":"toolu_1","name":"find","input":{}}'


def test_the_providers_own_calls_are_streamed_too() -> None:
    start = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}

    assert received(start, *arguments('{"query":', '"x"}')).wire.endswith('"name":"web_search","input":{"query":"x"}}')


def test_half_a_character_waits_for_its_other_half() -> None:
    """B056."""
    block = Block({"type": "text", "text": ""})

    assert [block.add_text(piece) for piece in ("a\ud83d", "\ude00b", "\udc00c")] == ["a", "😀b", "\ufffdc"]
    assert (block.close(), block.text) == ("", "a😀b\ufffdc")


def test_half_a_character_that_stays_alone_is_replaced_when_the_block_ends() -> None:
    """B056."""
    block = Block({"type": "text", "text": ""})

    assert (block.add_text("a\ud83d"), block.close()) == ("a", "\ufffd")
    assert block.wire == '{"type":"text","text":"a\ufffd"}'
