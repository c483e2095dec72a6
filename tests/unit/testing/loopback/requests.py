"""Requests to bend: small valid ones, and the parts they are made of."""

from typing import Any

from handgriff.testing.loopback.anthropic import sign

Json = dict[str, Any]

SCHEMA: Json = {"type": "object", "properties": {}}
MARK: Json = {"type": "ephemeral"}
LONG: Json = {"type": "ephemeral", "ttl": "1h"}


def request(*messages: Json, **more: object) -> Json:
    return {"model": "m", "max_tokens": 10, "messages": list(messages), **more}


def user(*content: Json | str) -> Json:
    return {"role": "user", "content": [text(block) if isinstance(block, str) else block for block in content]}


def assistant(*content: Json | str) -> Json:
    return {"role": "assistant", "content": [text(block) if isinstance(block, str) else block for block in content]}


def system(*content: Json | str) -> Json:
    return {"role": "system", "content": [text(block) if isinstance(block, str) else block for block in content]}


def text(words: str, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def thinking(words: str, **more: object) -> Json:
    return {"type": "thinking", "thinking": words, "signature": sign(words), **more}


def call(call_id: str, name: str = "look", **more: object) -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}, **more}


def result(call_id: str, **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "done", **more}


def tool(name: str, **more: object) -> Json:
    return {"name": name, "input_schema": SCHEMA, **more}
