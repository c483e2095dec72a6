"""The rules of the Messages API for a whole request: history, tools, cache marks. A request that breaks one is refused with status 400.

Below are `shape` and `anthropic` (for signatures); above, the responder refuses. It is pure: the same body always gets the same answer.
Neighbouring messages of one role are joined first, as the API does, and positions are those of the request as sent. Where the real API
differs between models, the stricter model is taken: no prefilled answer, no forced tool beside thinking.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any, TypeAlias

from handgriff.testing.loopback.anthropic import sign
from handgriff.testing.loopback.prompt import UNMARKABLE
from handgriff.testing.loopback.shape import misshapen

Json: TypeAlias = Mapping[str, Any]

MAX_MARKS = 4
"""Cache marks one request may carry."""

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_COMBINATORS = ("oneOf", "allOf", "anyOf")
_MIN_BUDGET = 1024


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and where it stands in the request."""

    path: str
    block: Json

    @property
    def kind(self) -> str:
        """Its type."""
        kind: str = self.block["type"]
        return kind


@dataclass(frozen=True, slots=True)
class Turn:
    """Neighbouring messages of one role, joined."""

    role: str
    path: str
    """Its last message, which is the one complaints name."""
    blocks: tuple[Placed, ...]


def violations(body: Json, *, counting: bool = False) -> tuple[str, ...]:
    """Every rule *body* breaks, in the words of the real API; empty if it would be accepted. *counting* is for token counting.

    A body of the wrong form is judged by its form only.
    """
    misshapes = tuple(misshapen(body, counting=counting))
    if misshapes:
        return misshapes
    turns = joined(body["messages"])
    return (
        *_parameters(body),
        *_tools(body.get("tools", [])),
        *_order(body["messages"]),
        *_contents(body),
        *_calls(turns),
        *_signatures(turns),
        *_marks(body),
    )


def joined(messages: list[Json]) -> tuple[Turn, ...]:
    """The turns of the conversation; `system` messages, which stand outside of it, are left out."""
    spoken = ((index, message) for index, message in enumerate(messages) if message["role"] != "system")
    return tuple(
        Turn(role, f"messages.{group[-1][0]}", tuple(placed for index, message in group for placed in _placed(index, message)))
        for role, members in groupby(spoken, key=lambda item: str(item[1]["role"]))
        if (group := list(members))
    )


def _placed(index: int, message: Json) -> Iterator[Placed]:
    content = message.get("content", [])
    if isinstance(content, str):
        yield Placed(f"messages.{index}.content", {"type": "text", "text": content})
    else:
        yield from (Placed(f"messages.{index}.content.{position}", block) for position, block in enumerate(content))


def _parameters(body: Json) -> Iterator[str]:
    choice, thinking = body.get("tool_choice") or {}, body.get("thinking") or {}
    names = {tool["name"] for tool in body.get("tools", [])}
    is_forced = choice.get("type") in {"any", "tool"}
    if is_forced and not names:
        yield "tool_choice: tool_choice may only be specified while providing tools"
    elif choice.get("type") == "tool" and choice["name"] not in names:
        yield f"tool_choice: Tool '{choice['name']}' not found in provided tools"
    if is_forced and thinking.get("type", "disabled") != "disabled":
        yield "Thinking may not be enabled when tool_choice forces tool use."
    if thinking.get("type") == "enabled":
        budget = thinking["budget_tokens"]
        if budget < _MIN_BUDGET:
            yield f"thinking.enabled.budget_tokens: Input should be greater than or equal to {_MIN_BUDGET}"
        if budget >= body.get("max_tokens", budget + 1):
            yield "`max_tokens` must be greater than `thinking.budget_tokens`"


def _tools(tools: list[Json]) -> Iterator[str]:
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."
    if tools and all(tool.get("defer_loading") is True for tool in tools):
        yield "At least one tool must have defer_loading=false."
    for index, tool in enumerate(tools):
        yield from _tool(f"tools.{index}", tool)


def _tool(path: str, tool: Json) -> Iterator[str]:
    if not _TOOL_NAME.fullmatch(tool["name"]):
        yield f"{path}.custom.name: String should match pattern '^{_TOOL_NAME.pattern}$'"
    if tool.get("defer_loading") is True and tool.get("cache_control") is not None:
        yield (
            f"{path}: Tool '{tool['name']}' cannot have both defer_loading=true and cache_control set."
            " Tools with defer_loading cannot use prompt caching."
        )
    schema = tool.get("input_schema")
    if schema is None:
        return
    if schema.get("type") != "object":
        yield f"{path}.custom.input_schema.type: {'Input should be ' + repr('object') if 'type' in schema else 'Field required'}"
    if any(word in schema for word in _COMBINATORS):
        yield f"{path}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"


def _order(messages: list[Json]) -> Iterator[str]:
    roles = [message["role"] for message in messages]
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    for index, role in enumerate(roles):
        if role != "system":
            continue
        if index == 0 or roles[index - 1] != "user":
            yield f"messages.{index}: a `system` message must immediately follow a `user` message"
        if index + 1 < len(roles) and roles[index + 1] != "assistant":
            yield f"messages.{index}: a `system` message must be followed by an `assistant` message or be the last one"
    last = next((message for message in reversed(messages) if message["role"] != "system"), None)
    if last is not None and last["role"] == "assistant" and not _is_paused(last):
        yield "This model does not support assistant message prefill. The conversation must end with a user message."


def _is_paused(message: Json) -> bool:
    """Whether the message ends in the provider's own work, which goes on when it is sent back after `pause_turn`."""
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(block, dict) and block.get("type") == "server_tool_use" for block in content)


def _contents(body: Json) -> Iterator[str]:
    messages = body["messages"]
    for index, message in enumerate(messages):
        is_final_answer = index == len(messages) - 1 and message["role"] == "assistant"
        if not message.get("content") and not is_final_answer and "output_config" not in message:
            yield f"messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        elif message.get("content"):
            yield from (problem for placed in _placed(index, message) for problem in _texts(placed))
    system = body.get("system", "")
    if not isinstance(system, str):
        yield from (problem for index, block in enumerate(system) for problem in _text(f"system.{index}", block))


def _texts(placed: Placed) -> Iterator[str]:
    if placed.kind == "text":
        yield from _text(placed.path, placed.block)
    inner = placed.block.get("content")
    if placed.kind == "tool_result" and isinstance(inner, list):
        for index, block in enumerate(inner):
            if block["type"] == "text":
                yield from _text(f"{placed.path}.tool_result.content.{index}", block)


def _text(path: str, block: Json) -> Iterator[str]:
    if not block["text"]:
        yield f"{path}: text content blocks must be non-empty"
    elif not block["text"].strip():
        yield f"{path}: text content blocks must contain non-whitespace text"


def _calls(turns: tuple[Turn, ...]) -> Iterator[str]:
    seen: set[str] = set()
    open_calls: list[str] = []
    for position, turn in enumerate(turns):
        if turn.role == "user":
            yield from _results(turn, open_calls, asked_in=turns[position - 1].path if position else "")
            open_calls = []
            continue
        calls = [placed for placed in turn.blocks if placed.kind == "tool_use"]
        for placed in calls:
            if placed.block["id"] in seen:
                yield f"{placed.path}: `tool_use` ids must be unique"
            if not _TOOL_NAME.fullmatch(placed.block["name"]):
                yield f"{placed.path}.tool_use.name: String should match pattern '^{_TOOL_NAME.pattern}$'"
            seen.add(placed.block["id"])
        open_calls = [placed.block["id"] for placed in calls]
    if open_calls:
        yield _unanswered(turns[-1].path, open_calls)


def _results(turn: Turn, asked: list[str], *, asked_in: str) -> Iterator[str]:
    leading = [placed.block["tool_use_id"] for placed in takewhile(lambda placed: placed.kind == "tool_result", turn.blocks)]
    missing = [wanted for wanted in asked if wanted not in leading]
    if missing:
        yield _unanswered(asked_in, missing)
    for repeated in dict.fromkeys(given for given in leading if leading.count(given) > 1):
        yield f"{turn.path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {repeated}"
    for placed in turn.blocks:
        if placed.kind == "tool_result" and placed.block["tool_use_id"] not in asked:
            yield (
                f"{placed.path}: unexpected `tool_use_id` found in `tool_result` blocks: {placed.block['tool_use_id']}."
                " Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )


def _unanswered(path: str, ids: list[str]) -> str:
    return (
        f"{path}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(ids)}."
        " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _signatures(turns: tuple[Turn, ...]) -> Iterator[str]:
    for turn in turns:
        for placed in turn.blocks:
            if placed.kind == "thinking" and placed.block["signature"] != sign(placed.block["thinking"]):
                yield f"{placed.path}: Invalid `signature` in `thinking` block"


def _marks(body: Json) -> Iterator[str]:
    marked = [(path, block) for path, block in _markable(body) if block.get("cache_control") is not None]
    for path, block in marked:
        if block.get("type") in UNMARKABLE:
            yield f"{path}.{block['type']}.cache_control: Extra inputs are not permitted"
        elif block.get("type") == "text" and not block["text"].strip():
            yield f"{path}.text: cache_control cannot be set for empty text blocks"
    own = [("", body)] if body.get("cache_control") is not None else []
    if len(marked) + len(own) > MAX_MARKS:
        yield f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {len(marked) + len(own)}."
    short_seen = False
    for path, block in [*marked, *own]:
        is_long = block["cache_control"].get("ttl") == "1h"
        if is_long and short_seen:
            yield (
                f"{path + '.' if path else ''}cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'"
                " cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."
            )
        short_seen = short_seen or not is_long


def _markable(body: Json) -> Iterator[tuple[str, Json]]:
    yield from ((f"tools.{index}", tool) for index, tool in enumerate(body.get("tools", [])))
    system = body.get("system", "")
    if not isinstance(system, str):
        yield from ((f"system.{index}", block) for index, block in enumerate(system))
    for index, message in enumerate(body["messages"]):
        for placed in _placed(index, message):
            inner = placed.block.get("content")
            if placed.kind == "tool_result" and isinstance(inner, list):
                yield from ((f"{placed.path}.tool_result.content.{position}", block) for position, block in enumerate(inner))
            yield placed.path, placed.block
