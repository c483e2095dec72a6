"""The form of a Messages request: which fields there must be, and of what type. What they say to each other is for `rules`.

It is pure and imports nothing of ours. Complaints are worded like the real API's, the path of the field first.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]

_TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_ONLY_IN: Mapping[str, str] = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "tool_result": "user",
    "image": "user",
    "document": "user",
}
_IN_SYSTEM = frozenset({"text", "tool_addition", "tool_removal"})
_MESSAGE_FIELDS: Mapping[str, frozenset[str]] = {
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content"}),
    "system": frozenset({"role", "content", "clear_at", "output_config"}),
}


def misshapen(body: Json, *, counting: bool = False) -> Iterator[str]:
    """What is missing or of the wrong type in *body*; when only *counting* tokens, `max_tokens` may be missing."""
    yield from _model(body)
    if "max_tokens" in body or not counting:
        yield from _max_tokens(body)
    if not isinstance(body.get("stream", False), bool):
        yield "stream: Input should be a valid boolean"
    yield from _mark("", body)
    yield from _tools(body.get("tools", []))
    yield from _system(body.get("system", ""))
    yield from _choice(body.get("tool_choice"))
    yield from _thinking(body.get("thinking"))
    yield from _messages(body)


def _model(body: Json) -> Iterator[str]:
    model = body.get("model")
    if "model" not in body:
        yield "model: Field required"
    elif not isinstance(model, str):
        yield "model: Input should be a valid string"
    elif not model:
        yield "model: String should have at least 1 character"


def _max_tokens(body: Json) -> Iterator[str]:
    if "max_tokens" not in body:
        yield "max_tokens: Field required"
    elif type(body["max_tokens"]) is not int:
        yield "max_tokens: Input should be a valid integer"
    elif body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"


def _tools(tools: object) -> Iterator[str]:
    if not isinstance(tools, list):
        yield "tools: Input should be a valid list"
        return
    for index, tool in enumerate(tools):
        path = f"tools.{index}"
        if not isinstance(tool, dict):
            yield f"{path}: Input should be a valid dictionary"
            continue
        yield from _string(f"{path}.name", tool, "name")
        yield from _mark(f"{path}.", tool)
        if not isinstance(tool.get("type", "custom"), str | None):
            yield f"{path}.type: Input should be a valid string"
        # A type other than `custom` is a tool of the provider's own, which has no schema.
        elif tool.get("type", "custom") in {"custom", None} and not isinstance(tool.get("input_schema"), dict):
            yield f"{path}.custom.input_schema: {'Input should be a valid dictionary' if 'input_schema' in tool else 'Field required'}"


def _system(system: object) -> Iterator[str]:
    if isinstance(system, str):
        return
    if not isinstance(system, list):
        yield "system: Input should be a valid list"
        return
    for index, block in enumerate(system):
        path = f"system.{index}"
        if not isinstance(block, dict) or block.get("type") != "text":
            yield f"{path}.type: Input should be 'text'"
            continue
        yield from _string(f"{path}.text", block, "text")
        yield from _mark(f"{path}.", block)


def _choice(choice: object) -> Iterator[str]:
    if choice is None:
        return
    if not isinstance(choice, dict) or choice.get("type") not in ("auto", "any", "tool", "none"):
        yield "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"
    elif choice["type"] == "tool":
        yield from _string("tool_choice.tool.name", choice, "name")


def _thinking(thinking: object) -> Iterator[str]:
    if thinking is None:
        return
    if not isinstance(thinking, dict) or thinking.get("type") not in ("enabled", "adaptive", "disabled"):
        yield "thinking: Input tag does not match any of the expected tags: 'enabled', 'adaptive', 'disabled'"
    elif thinking["type"] == "enabled" and type(thinking.get("budget_tokens")) is not int:
        yield "thinking.enabled.budget_tokens: Input should be a valid integer"
    elif not isinstance(thinking.get("block_binding", {}), dict):
        yield "thinking.block_binding: Input should be a valid dictionary"


def _messages(body: Json) -> Iterator[str]:
    messages = body.get("messages")
    if "messages" not in body:
        yield "messages: Field required"
    elif not isinstance(messages, list):
        yield "messages: Input should be a valid list"
    elif not messages:
        yield "messages: at least one message is required"
    else:
        for index, message in enumerate(messages):
            yield from _message(f"messages.{index}", message)


def _message(path: str, message: object) -> Iterator[str]:
    if not isinstance(message, dict):
        yield f"{path}: Input should be a valid dictionary"
        return
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _MESSAGE_FIELDS:
        yield f"{path}.role: Input should be 'user', 'assistant' or 'system'"
        return
    for extra in sorted(message.keys() - _MESSAGE_FIELDS[role]):
        yield f"{path}.{extra}: Extra inputs are not permitted"
    if "content" not in message and role == "system" and "output_config" in message:
        return
    if "content" not in message:
        yield f"{path}.content: Field required"
    elif isinstance(content, list):
        for index, block in enumerate(content):
            yield from _block(f"{path}.content.{index}", role, block)
    elif not isinstance(content, str):
        yield f"{path}.content: Input should be a valid string or list"


def _block(path: str, role: str, block: object) -> Iterator[str]:
    if not isinstance(block, dict):
        yield f"{path}: Input should be a valid dictionary"
        return
    kind = block.get("type")
    if not isinstance(kind, str):
        yield f"{path}.type: Field required"
        return
    if role == "system":
        if kind not in _IN_SYSTEM:
            yield f"{path}: `{kind}` blocks cannot be in `system` messages"
    elif _ONLY_IN.get(kind, role) != role:
        yield f"{path}: `{kind}` blocks can only be in `{_ONLY_IN[kind]}` messages"
    yield from _mark(f"{path}.{kind}.", block)
    match kind:
        case "text":
            yield from _string(f"{path}.text.text", block, "text")
        case "thinking":
            yield from _string(f"{path}.thinking.thinking", block, "thinking")
            yield from _string(f"{path}.thinking.signature", block, "signature")
        case "tool_use":
            yield from _tool_use(f"{path}.tool_use", block)
        case "tool_result":
            yield from _tool_result(f"{path}.tool_result", block)
        case _:
            pass


def _tool_use(path: str, block: Json) -> Iterator[str]:
    yield from _string(f"{path}.id", block, "id", _TOOL_ID)
    yield from _string(f"{path}.name", block, "name")
    if "input" not in block:
        yield f"{path}.input: Field required"
    elif not isinstance(block["input"], dict):
        yield f"{path}.input: Input should be a valid dictionary"


def _tool_result(path: str, block: Json) -> Iterator[str]:
    yield from _string(f"{path}.tool_use_id", block, "tool_use_id", _TOOL_ID)
    if not isinstance(block.get("is_error", False), bool):
        yield f"{path}.is_error: Input should be a valid boolean"
    content = block.get("content", "")
    if isinstance(content, list):
        for index, inner in enumerate(content):
            inside = f"{path}.content.{index}"
            if not isinstance(inner, dict) or not isinstance(inner.get("type"), str):
                yield f"{inside}.type: Field required"
                continue
            yield from _mark(f"{inside}.", inner)
            if inner["type"] == "text":
                yield from _string(f"{inside}.text", inner, "text")
    elif not isinstance(content, str):
        yield f"{path}.content: Input should be a valid string or list"


def _string(path: str, block: Json, field: str, pattern: re.Pattern[str] | None = None) -> Iterator[str]:
    value = block.get(field)
    if field not in block:
        yield f"{path}: Field required"
    elif not isinstance(value, str):
        yield f"{path}: Input should be a valid string"
    elif pattern is not None and not pattern.fullmatch(value):
        yield f"{path}: String should match pattern '^{pattern.pattern}$'"


def _mark(prefix: str, holder: Json) -> Iterator[str]:
    mark = holder.get("cache_control")
    if mark is None:
        return
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral":
        yield f"{prefix}cache_control.type: Input should be 'ephemeral'"
    elif mark.get("ttl", "5m") not in ("5m", "1h"):
        yield f"{prefix}cache_control.ttl: Input should be '5m' or '1h'"
