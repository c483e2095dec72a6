"""`handgriff.testing.loopback.rules`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.testing.loopback.rules import violations
from tests.unit.testing.loopback.requests import LONG, MARK, assistant, call, request, result, system, text, thinking, tool, user

UNANSWERED = (
    "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}."
    " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
STRAY = (
    "messages.{}: unexpected `tool_use_id` found in `tool_result` blocks: {}."
    " Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
EMPTY = "messages.{}: all messages must have non-empty content except for the optional final assistant message"
PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(request({"role": "user", "content": "q"}), id="string"),
        pytest.param(request(user("q"), assistant("a"), user("r")), id="three-messages"),
        pytest.param(request(user("q"), assistant(call("c1"), call("c2")), user(result("c2"), result("c1"), "and now?")), id="calls"),
        pytest.param(request(user("a"), user("b"), assistant("c"), assistant("d"), user("e")), id="joined"),
        pytest.param(
            request(user("q"), assistant(call("c1")), assistant(call("c2")), user(result("c1")), user(result("c2"))), id="joined-calls"
        ),
        pytest.param(request(user("q"), system("s"), assistant("a"), user("r"), system("t")), id="system-messages"),
        pytest.param(
            request(user("q"), assistant(call("c1")), user(result("c1")), system("now without"), assistant("a"), user("r")),
            id="system-behind-results",
        ),
        pytest.param(request(user("q"), assistant(thinking("t"), "a"), user("r")), id="thinking"),
        pytest.param(request(user("q"), tools=[tool("t"), tool("u", defer_loading=True)], tool_choice={"type": "any"}), id="tools"),
        pytest.param(
            request(user(text("q", cache_control=MARK)), tools=[tool("t", cache_control=LONG)], system=[text("s", cache_control=LONG)]),
            id="marks",
        ),
        pytest.param(request(user("q"), thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=1025), id="budget"),
        pytest.param(request(user("q"), thinking={"type": "disabled"}, tools=[tool("t")], tool_choice={"type": "any"}), id="disabled"),
        pytest.param(request(user("q"), system=""), id="empty-system"),
        pytest.param(request(user("q"), {"role": "system", "output_config": {"effort": "low"}}), id="settings-only"),
    ],
)
def test_what_the_real_api_accepts_is_accepted(body: dict[str, Any]) -> None:
    assert violations(body) == ()


@pytest.mark.parametrize(
    ("messages", "problems"),
    [
        pytest.param([user("q"), assistant(call("c1"), call("c2")), user("stop")], (UNANSWERED.format(1, "c1, c2"),), id="no-results"),
        pytest.param(
            [user("q"), assistant(call("c1"), call("c2")), user(result("c2"))], (UNANSWERED.format(1, "c1"),), id="one-result-missing"
        ),
        pytest.param(
            [user("q"), assistant(call("c1")), user("first", result("c1"))], (UNANSWERED.format(1, "c1"),), id="result-behind-text"
        ),
        pytest.param(
            [user("q"), assistant(call("c1")), user("wait"), user(result("c1"))],
            (UNANSWERED.format(1, "c1"),),
            id="behind-text-when-joined",
        ),
        pytest.param(
            [user("q"), assistant(call("c1")), user(result("c1"), result("c1"))],
            ("messages.2: each tool_use must have a single result. Found multiple `tool_result` blocks with id: c1",),
            id="result-twice",
        ),
        pytest.param([user(result("c1"))], (STRAY.format("0.content.0", "c1"),), id="result-first"),
        pytest.param(
            [user("q"), assistant(call("c1")), user(result("c1")), assistant("a"), user(result("c1"))],
            (STRAY.format("4.content.0", "c1"),),
            id="result-too-late",
        ),
        pytest.param(
            [user("q"), assistant(call("c1")), user(result("c1")), assistant(call("c1")), user(result("c1"))],
            ("messages.3.content.0: `tool_use` ids must be unique",),
            id="id-again",
        ),
        pytest.param([user("q"), assistant(call("c1"))], (PREFILL, UNANSWERED.format(1, "c1")), id="open-at-the-end"),
        pytest.param([user("q"), assistant("Sure,")], (PREFILL,), id="prefill"),
        pytest.param([user("q"), assistant()], (PREFILL,), id="empty-prefill"),
        pytest.param([assistant("a"), user("q")], ('messages: first message must use the "user" role',), id="assistant-first"),
        pytest.param([user()], (EMPTY.format(0),), id="empty-list"),
        pytest.param([{"role": "user", "content": ""}], (EMPTY.format(0),), id="empty-string"),
        pytest.param([user("q"), assistant(), user("r")], (EMPTY.format(1),), id="empty-answer"),
        pytest.param([user("")], ("messages.0.content.0: text content blocks must be non-empty",), id="empty-text"),
        pytest.param([user("q", " \n")], ("messages.0.content.1: text content blocks must contain non-whitespace text",), id="blank-text"),
        pytest.param(
            [{"role": "user", "content": " "}],
            ("messages.0.content: text content blocks must contain non-whitespace text",),
            id="blank-string",
        ),
        pytest.param(
            [user("q"), assistant(call("c1")), user(result("c1", content=[text("")]))],
            ("messages.2.content.0.tool_result.content.0: text content blocks must be non-empty",),
            id="empty-text-in-a-result",
        ),
        pytest.param(
            [user("q"), assistant(call("c1", "a b")), user(result("c1"))],
            ("messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",),
            id="call-name",
        ),
        pytest.param(
            [user("q"), assistant({**thinking("t"), "thinking": "T"}), user("r")],
            ("messages.1.content.0: Invalid `signature` in `thinking` block",),
            id="altered-thinking",
        ),
        pytest.param(
            [user("q"), assistant({**thinking("t"), "signature": "c2ln"}), user("r")],
            ("messages.1.content.0: Invalid `signature` in `thinking` block",),
            id="altered-signature",
        ),
        pytest.param(
            [user("q"), assistant("a"), system("s"), user("r")],
            (
                "messages.2: a `system` message must immediately follow a `user` message",
                "messages.2: a `system` message must be followed by an `assistant` message or be the last one",
            ),
            id="system-misplaced",
        ),
        pytest.param(
            [user("q"), system("s"), system("t")],
            (
                "messages.1: a `system` message must be followed by an `assistant` message or be the last one",
                "messages.2: a `system` message must immediately follow a `user` message",
            ),
            id="system-twice",
        ),
    ],
)
def test_a_history_the_real_api_refuses_is_refused_in_its_words(messages: list[dict[str, Any]], problems: tuple[str, ...]) -> None:
    """B059, B069: the histories that brick a conversation."""
    assert violations(request(*messages)) == problems


@pytest.mark.parametrize(
    ("parameters", "problems"),
    [
        pytest.param({"tools": [tool("a"), tool("a")]}, ("tools: Tool names must be unique.",), id="same-name"),
        pytest.param(
            {"tools": [tool("мой"), tool("a b"), tool("x" * 129), tool("")]},
            tuple(f"tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'" for at in range(4)),
            id="names",
        ),
        pytest.param(
            {"tools": [tool("a", input_schema={"type": "object", "anyOf": []})]},
            ("tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",),
            id="combinator",
        ),
        pytest.param(
            {"tools": [tool("a", input_schema={"type": "array"}), tool("b", input_schema={})]},
            ("tools.0.custom.input_schema.type: Input should be 'object'", "tools.1.custom.input_schema.type: Field required"),
            id="schema-type",
        ),
        pytest.param(
            {"tools": [tool("a", defer_loading=True)]}, ("At least one tool must have defer_loading=false.",), id="everything-deferred"
        ),
        pytest.param(
            {"tools": [tool("a"), tool("b", defer_loading=True, cache_control=MARK)]},
            (
                (
                    "tools.1: Tool 'b' cannot have both defer_loading=true and cache_control set."
                    " Tools with defer_loading cannot use prompt caching."
                ),
            ),
            id="deferred-and-marked",
        ),
        pytest.param(
            {"tool_choice": {"type": "any"}},
            ("tool_choice: tool_choice may only be specified while providing tools",),
            id="choice-without-tools",
        ),
        pytest.param(
            {"tools": [tool("a")], "tool_choice": {"type": "tool", "name": "b"}},
            ("tool_choice: Tool 'b' not found in provided tools",),
            id="choice-of-nothing",
        ),
        pytest.param(
            {"tools": [tool("a")], "tool_choice": {"type": "any"}, "thinking": {"type": "adaptive"}},
            ("Thinking may not be enabled when tool_choice forces tool use.",),
            id="forced-while-thinking",
        ),
        pytest.param(
            {"thinking": {"type": "enabled", "budget_tokens": 1000}},
            (
                "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
                "`max_tokens` must be greater than `thinking.budget_tokens`",
            ),
            id="budget",
        ),
        pytest.param(
            {"system": [text("s")], "tools": [tool("a"), {"type": "web_search_20260101", "name": "web search"}]},
            ("tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",),
            id="provider-tool",
        ),
        pytest.param({"system": [text(" ")]}, ("system.0: text content blocks must contain non-whitespace text",), id="blank-system"),
    ],
)
def test_parameters_the_real_api_refuses_are_refused_in_its_words(parameters: dict[str, Any], problems: tuple[str, ...]) -> None:
    """B045, B121, B122."""
    assert violations(request(user("q"), **parameters)) == problems


def test_a_fifth_mark_is_refused_wherever_it_is() -> None:
    """B074."""
    body = request(
        user("q"),
        assistant(call("c1")),
        user(result("c1", content=[text("r", cache_control=MARK)], cache_control=MARK)),
        tools=[tool("t", cache_control=MARK)],
        system=[text("s", cache_control=MARK)],
    )

    assert violations(body) == ()
    assert violations({**body, "cache_control": MARK}) == ("A maximum of 4 blocks with cache_control may be provided. Found 5.",)


@pytest.mark.parametrize(
    ("block", "problems"),
    [
        pytest.param(
            thinking("t", cache_control=MARK),
            ("messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",),
            id="thinking",
        ),
        pytest.param(
            text("", cache_control=MARK),
            (
                "messages.1.content.0: text content blocks must be non-empty",
                "messages.1.content.0.text: cache_control cannot be set for empty text blocks",
            ),
            id="empty-text",
        ),
    ],
)
def test_some_blocks_may_not_carry_a_mark(block: dict[str, Any], problems: tuple[str, ...]) -> None:
    """B075."""
    assert violations(request(user("q"), assistant(block), user("r"))) == problems


def test_a_long_mark_may_not_come_behind_a_short_one() -> None:
    """B076."""
    explicit = request(user(text("q", cache_control=LONG)), tools=[tool("t", cache_control=MARK)], system=[text("s", cache_control=LONG)])
    automatic = request(user(text("q", cache_control=MARK)), cache_control=LONG)
    words = (
        "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
        " Note that blocks are processed in the following order: `tools`, `system`, `messages`."
    )

    assert violations(explicit) == (f"system.0.{words}", f"messages.0.content.0.{words}")
    assert violations(automatic) == (words,)


def test_a_misshapen_request_is_judged_by_its_shape_alone() -> None:
    assert violations({"model": "m", "messages": [assistant("a")]}) == ("max_tokens: Field required",)
    assert violations({"model": "m", "messages": [user("q")]}, counting=True) == ()


WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "custom",
        "ephemeral",
        "1h",
        "object",
        "any",
        "",
        " ",
        "c1",
    ]
)
KEYS = st.sampled_from(
    [
        *("role", "content", "type", "text", "id", "name", "input", "tool_use_id", "thinking", "signature", "cache_control", "ttl"),
        *("input_schema", "defer_loading", "anyOf", "budget_tokens", "is_error"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2000) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=30,
)
BLOCKS = st.one_of(
    JSON,
    st.builds(text, WORDS),
    st.builds(call, WORDS),
    st.builds(result, WORDS, content=JSON),
    st.fixed_dictionaries({"type": WORDS}, optional={"text": WORDS, "cache_control": JSON, "content": JSON}),
)
MESSAGES = st.lists(JSON | st.fixed_dictionaries({"role": WORDS, "content": WORDS | st.lists(BLOCKS, max_size=4)}), min_size=0, max_size=5)
FIELDS = st.sampled_from(["model", "max_tokens", "messages", "tools", "system", "tool_choice", "thinking", "cache_control", "stream"])


@given(MESSAGES, st.dictionaries(FIELDS, JSON | st.lists(BLOCKS, max_size=3)))
def test_whatever_the_body_says_the_rules_answer(messages: list[Any], parameters: dict[str, Any]) -> None:
    problems = violations({"model": "m", "max_tokens": 2000, "messages": messages, **parameters})

    assert all(problems)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.integers(1, 3)), min_size=1, max_size=6), st.data())
def test_joining_neighbours_changes_no_verdict(shape: list[tuple[str, int]], data: st.DataObject) -> None:
    """Consecutive messages of one role are one message to the API, so how a client splits them must not matter."""
    blocks = {
        "user": st.builds(user, st.sampled_from([text("q"), result("c1"), result("c2")])),
        "assistant": st.builds(assistant, st.sampled_from([text("a"), call("c1"), call("c2")])),
    }
    split = [data.draw(blocks[role]) for role, size in shape for _ in range(size)]
    whole: list[dict[str, Any]] = []
    for message in split:
        if whole and whole[-1]["role"] == message["role"]:
            whole[-1] = {**message, "content": [*whole[-1]["content"], *message["content"]]}
        else:
            whole.append(message)

    assert len(violations(request(*split))) == len(violations(request(*whole)))
