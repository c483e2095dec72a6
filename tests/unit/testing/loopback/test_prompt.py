"""`handgriff.testing.loopback.prompt`."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.testing.loopback.prompt import Block, Prompt, extends, read_prompt, unmarked

MARK = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def dump(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def text(words: str, **more: object) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def test_blocks_come_in_cache_order_with_the_bytes_they_were_sent_with() -> None:
    raw = (
        b' {"messages":[{"role":"user","content":[{"type": "text",  "text":"\\u00e9"}]}],'
        b'"system":[{"text":"s","type":"text"}],"tools":[{"name":"b"},{ "name":"a"}],"model":"m"}'
    )

    assert read_prompt(raw) == Prompt(
        model='"m"',
        settings="",
        blocks=(
            Block("tools", '{"name":"b"}', None),
            Block("tools", '{ "name":"a"}', None),
            Block("system", '{"text":"s","type":"text"}', None),
            Block("user", '{"type": "text",  "text":"\\u00e9"}', None),
        ),
        deferred=(),
    )


def test_a_string_is_one_text_block() -> None:
    short = dump({"model": "m", "system": "s", "messages": [{"role": "user", "content": "hi"}]})
    long = dump({"model": "m", "system": [text("s")], "messages": [{"role": "user", "content": [text("hi")]}]})

    assert read_prompt(short) == read_prompt(long)


def test_neighbours_of_one_role_are_one_message() -> None:
    apart = dump({"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]})
    joined = dump({"model": "m", "messages": [{"role": "user", "content": [text("a"), text("b")]}]})

    assert read_prompt(apart) == read_prompt(joined)


def test_what_a_message_says_about_itself_belongs_to_its_blocks() -> None:
    body = {"model": "m", "messages": [{"role": "system", "clear_at": "never", "content": "x"}]}

    assert [block.place for block in read_prompt(dump(body)).blocks] == ['system clear_at="never"']


def test_marks_are_read_and_cut_out() -> None:
    body = {
        "model": "m",
        "tools": [{"name": "t", **MARK}],
        "system": [text("s", **LONG)],
        "messages": [{"role": "user", "content": [{"type": "tool_result", "content": [text("r", **MARK)]}, text("q", cache_control=None)]}],
    }

    assert read_prompt(dump(body)).blocks == (
        Block("tools", '{"name":"t"}', "5m"),
        Block("system", '{"type":"text","text":"s"}', "1h"),
        Block("user", '{"type":"tool_result","content":[{"type":"text","text":"r"}]}', "5m"),
        Block("user", '{"type":"text","text":"q"}', None),
    )


def test_the_requests_own_mark_falls_on_the_last_block_that_may_carry_one() -> None:
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    body = {"model": "m", **LONG, "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [text("a"), thinking]}]}

    assert [block.mark for block in read_prompt(dump(body)).blocks] == [None, "1h", None]


def test_a_request_without_a_block_for_its_own_mark_stays_unmarked() -> None:
    assert read_prompt(dump({"model": "m", **MARK, "messages": []})).blocks == ()


def test_deferred_tools_stand_outside_of_the_prompt() -> None:
    body = {"model": "m", "tools": [{"name": "a"}, {"name": "b", "defer_loading": True}], "messages": [{"role": "user", "content": "q"}]}

    assert read_prompt(dump(body)).deferred == ('{"name":"b","defer_loading":true}',)
    assert [block.place for block in read_prompt(dump(body)).blocks] == ["tools", "user"]


@pytest.mark.parametrize("settings", [{}, {"tool_choice": {"type": "auto"}}, {"thinking": {"type": "disabled"}}, {"output_config": None}])
def test_a_setting_at_its_default_counts_as_left_out(settings: dict[str, Any]) -> None:
    assert read_prompt(dump({"model": "m", "messages": [], **settings})).settings == ""


def test_settings_and_speed_are_kept_as_sent() -> None:
    prompt = read_prompt(dump({"model": "m", "speed": "fast", "messages": [], "tool_choice": {"type": "none"}}))

    assert (prompt.model, prompt.settings) == ('"m""fast"', '{"type":"none"}')


@given(
    st.dictionaries(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"))),
    st.integers(0, 5),
    st.sampled_from([None, 2]),
)
def test_cutting_a_mark_out_gives_back_the_bytes_of_the_unmarked_block(block: dict[str, str], position: int, indent: int | None) -> None:
    """B072: a mark that moves changes no other byte."""
    block.pop("cache_control", None)
    items = list(block.items())
    marked = dict([*items[:position], *LONG.items(), *items[position:]])

    assert json.loads(unmarked(json.dumps(marked, indent=indent))) == block
    if indent is None:
        assert unmarked(json.dumps(marked)) == json.dumps(block)


def conversation(*contents: list[dict[str, Any]], **more: object) -> bytes:
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": content} for index, content in enumerate(contents)]
    return dump({"model": "m", "tools": [{"name": "t"}], "system": [text("s", **LONG)], "messages": messages, **more})


def test_a_request_that_only_adds_messages_and_moves_marks_extends_the_one_before() -> None:
    first = conversation([text("q", **MARK)])
    second = conversation([text("q")], [text("a")], [text("r", **MARK)])

    assert extends(first, second)
    assert extends(first, first)
    assert not extends(second, first)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(conversation([text("Q")], [text("a")], [text("r")]), id="message"),
        pytest.param(conversation([{"text": "q", "type": "text"}], [text("a")], [text("r")]), id="key-order"),
        pytest.param(conversation([text("q")], tools=[{"name": "t"}, {"name": "u"}]), id="tools"),
        pytest.param(conversation([text("q")], system=[text("s"), text("more")]), id="system"),
        pytest.param(conversation([text("q")]).replace(b'"q"', b'"\\u0071"'), id="escape"),
    ],
)
def test_a_request_that_changed_anything_earlier_does_not_extend(second: bytes) -> None:
    """B071, B072, B073."""
    assert not extends(conversation([text("q")]), second)


def test_a_deferred_tool_may_come_behind_but_not_change() -> None:
    def offering(*names: str) -> bytes:
        return conversation([text("q")], tools=[{"name": "t"}, *({"name": name, "defer_loading": True} for name in names)])

    assert extends(offering("a"), offering("a", "b"))
    assert not extends(offering("a"), offering("b", "a"))
