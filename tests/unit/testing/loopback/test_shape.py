"""`handgriff.testing.loopback.shape`."""

from typing import Any

import pytest

from handgriff.testing.loopback.shape import misshapen
from tests.unit.testing.loopback.requests import LONG, MARK, assistant, call, request, result, system, text, thinking, tool, user


def test_a_request_with_everything_in_it_is_well_shaped() -> None:
    body = request(
        user("q", {"type": "image", "source": {}}),
        assistant(thinking("t"), "a", call("c1"), {"type": "new_2027"}),
        user(result("c1", is_error=True), {**result("c1"), "content": [text("x", cache_control=MARK), {"type": "image"}]}),
        {**system("s", {"type": "tool_addition", "tool": {}}), "clear_at": "never"},
        {"role": "system", "output_config": {"effort": "low"}},
        stream=True,
        system=[text("s", cache_control=LONG)],
        tools=[tool("t"), {"type": "web_search_20260101", "name": "web_search"}, tool("u", type="custom", cache_control=None)],
        tool_choice={"type": "tool", "name": "t"},
        thinking={"type": "enabled", "budget_tokens": 1024, "block_binding": {}},
        cache_control=MARK,
    )

    assert tuple(misshapen(body)) == ()


def with_block(block: object, role: str = "user") -> dict[str, Any]:
    return request({"role": role, "content": [block]})


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        pytest.param({"max_tokens": 1, "messages": [user("q")]}, "model: Field required", id="no-model"),
        pytest.param(request(user("q"), model=1), "model: Input should be a valid string", id="model-type"),
        pytest.param(request(user("q"), model=""), "model: String should have at least 1 character", id="empty-model"),
        pytest.param({"model": "m", "messages": [user("q")]}, "max_tokens: Field required", id="no-max-tokens"),
        pytest.param(request(user("q"), max_tokens=True), "max_tokens: Input should be a valid integer", id="max-tokens-type"),
        pytest.param(request(user("q"), max_tokens=0), "max_tokens: Input should be greater than or equal to 1", id="max-tokens-zero"),
        pytest.param(request(user("q"), stream="yes"), "stream: Input should be a valid boolean", id="stream"),
        pytest.param({"model": "m", "max_tokens": 1}, "messages: Field required", id="no-messages"),
        pytest.param(request(user("q"), messages={}), "messages: Input should be a valid list", id="messages-type"),
        pytest.param(request(), "messages: at least one message is required", id="empty-messages"),
        pytest.param(request(user("q"), messages=["q"]), "messages.0: Input should be a valid dictionary", id="message-type"),
        pytest.param(
            request({"role": "tool", "content": "x"}), "messages.0.role: Input should be 'user', 'assistant' or 'system'", id="role"
        ),
        pytest.param(request({**user("q"), "cache_control": MARK}), "messages.0.cache_control: Extra inputs are not permitted", id="extra"),
        pytest.param(request({"role": "user"}), "messages.0.content: Field required", id="no-content"),
        pytest.param(request({"role": "user", "content": 1}), "messages.0.content: Input should be a valid string or list", id="content"),
        pytest.param(with_block("x"), "messages.0.content.0: Input should be a valid dictionary", id="block"),
        pytest.param(with_block({"text": "x"}), "messages.0.content.0.type: Field required", id="block-type"),
        pytest.param(with_block({"type": "text"}), "messages.0.content.0.text.text: Field required", id="text"),
        pytest.param(
            with_block({"type": "text", "text": 1}), "messages.0.content.0.text.text: Input should be a valid string", id="text-type"
        ),
        pytest.param(
            with_block(call("c1")), "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages", id="call-of-a-user"
        ),
        pytest.param(
            with_block(result("c1"), "assistant"),
            "messages.0.content.0: `tool_result` blocks can only be in `user` messages",
            id="result-of-an-assistant",
        ),
        pytest.param(
            with_block({"type": "image"}, "system"),
            "messages.0.content.0: `image` blocks cannot be in `system` messages",
            id="system-image",
        ),
        pytest.param(
            with_block({"type": "thinking", "thinking": "t"}, "assistant"),
            "messages.0.content.0.thinking.signature: Field required",
            id="unsigned",
        ),
        pytest.param(
            with_block({**call("c1"), "input": []}, "assistant"),
            "messages.0.content.0.tool_use.input: Input should be a valid dictionary",
            id="input-list",
        ),
        pytest.param(
            with_block({"type": "tool_use", "id": "c1", "name": "n"}, "assistant"),
            "messages.0.content.0.tool_use.input: Field required",
            id="no-input",
        ),
        pytest.param(
            with_block(call("c 1"), "assistant"),
            "messages.0.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            id="call-id",
        ),
        pytest.param(
            with_block(result("c1", is_error="no")),
            "messages.0.content.0.tool_result.is_error: Input should be a valid boolean",
            id="is-error",
        ),
        pytest.param(
            with_block(result("c1", content={})),
            "messages.0.content.0.tool_result.content: Input should be a valid string or list",
            id="result-content",
        ),
        pytest.param(
            with_block(result("c1", content=["x"])), "messages.0.content.0.tool_result.content.0.type: Field required", id="result-block"
        ),
        pytest.param(
            with_block(text("x", cache_control={})), "messages.0.content.0.text.cache_control.type: Input should be 'ephemeral'", id="mark"
        ),
        pytest.param(
            with_block(text("x", cache_control={"type": "ephemeral", "ttl": "2h"})),
            "messages.0.content.0.text.cache_control.ttl: Input should be '5m' or '1h'",
            id="ttl",
        ),
        pytest.param(request(user("q"), cache_control=1), "cache_control.type: Input should be 'ephemeral'", id="own-mark"),
        pytest.param(request(user("q"), system={}), "system: Input should be a valid list", id="system"),
        pytest.param(request(user("q"), system=[{"type": "image"}]), "system.0.type: Input should be 'text'", id="system-block"),
        pytest.param(request(user("q"), tools={}), "tools: Input should be a valid list", id="tools"),
        pytest.param(request(user("q"), tools=["t"]), "tools.0: Input should be a valid dictionary", id="tool"),
        pytest.param(request(user("q"), tools=[{"name": "t"}]), "tools.0.custom.input_schema: Field required", id="no-schema"),
        pytest.param(
            request(user("q"), tools=[{"name": "t", "input_schema": 1}]),
            "tools.0.custom.input_schema: Input should be a valid dictionary",
            id="schema",
        ),
        pytest.param(request(user("q"), tools=[tool("t", type=[])]), "tools.0.type: Input should be a valid string", id="tool-type"),
        pytest.param(
            request(user("q"), tool_choice="auto"),
            "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
            id="choice",
        ),
        pytest.param(request(user("q"), tool_choice={"type": "tool"}), "tool_choice.tool.name: Field required", id="choice-name"),
        pytest.param(
            request(user("q"), thinking={"type": "on"}),
            "thinking: Input tag does not match any of the expected tags: 'enabled', 'adaptive', 'disabled'",
            id="thinking",
        ),
        pytest.param(
            request(user("q"), thinking={"type": "enabled"}), "thinking.enabled.budget_tokens: Input should be a valid integer", id="budget"
        ),
        pytest.param(
            request(user("q"), thinking={"type": "adaptive", "block_binding": 1}),
            "thinking.block_binding: Input should be a valid dictionary",
            id="binding",
        ),
    ],
)
def test_a_misshape_is_named_by_its_path(body: dict[str, Any], problem: str) -> None:
    assert tuple(misshapen(body)) == (problem,)


def test_counting_tokens_needs_no_limit_but_a_valid_one_if_given() -> None:
    assert tuple(misshapen({"model": "m", "messages": [user("q")]}, counting=True)) == ()
    assert tuple(misshapen(request(user("q"), max_tokens="1"), counting=True)) == ("max_tokens: Input should be a valid integer",)
