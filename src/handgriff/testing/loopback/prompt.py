"""What the model reads of a request, in the order it is cached: tools, system, messages; each block as the exact text that was sent.

Below is `strictjson`; above, `cache` counts and hashes the blocks, and tests ask `extends`. A block's text is a slice of the raw request
with its cache marks cut out, so that key order, escapes and spaces count, and a mark that moves does not. Two shorthands of the API are
written out: a string as `system` or `content` is one text block, and neighbours of one role are one message. Requests are taken to keep
the rules: it looks for the form that `rules` demands and refuses nothing itself.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from handgriff.testing.loopback import strictjson

Ttl: TypeAlias = Literal["5m", "1h"]
"""How long a cache mark keeps what stands before it."""

UNMARKABLE = frozenset({"thinking", "redacted_thinking"})
"""The kinds of block that may not carry a cache mark."""

_SETTINGS = ("tool_choice", "thinking", "output_config")
_DEFAULTS: tuple[object, ...] = (None, {"type": "auto"}, {"type": "disabled"})


@dataclass(frozen=True, slots=True)
class Block:
    """One cacheable piece of a prompt."""

    place: str
    """`tools`, `system`, or the role of its message."""
    text: str
    """The slice of the request, without cache marks."""
    mark: Ttl | None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request as the model reads it."""

    model: str
    """The model, and its speed if one was asked for: the root of every cache key."""
    settings: str
    """The settings that are rendered before the messages (tool choice, thinking, effort), as sent; defaults count as left out."""
    blocks: tuple[Block, ...]
    deferred: tuple[str, ...]
    """Tools with `defer_loading`: the provider keeps them out of the prompt and its cache until they are wanted."""


def read_prompt(raw: bytes) -> Prompt:
    """The prompt of the request *raw*."""
    text = raw.decode()
    body = {member.key: text[member.value : member.end] for member in strictjson.members(text, text.index("{"))}
    tools = tuple(_items(body.get("tools", "[]")))
    blocks = (
        *(_block("tools", tool) for tool in tools if not _is_deferred(tool)),
        *(_block("system", block) for block in _content(body.get("system", "[]"))),
        *(_block(role, block) for message in _items(body.get("messages", "[]")) for role, block in _message(message)),
    )
    return Prompt(
        model=body.get("model", "") + body.get("speed", ""),
        settings="".join(body[key] for key in _SETTINGS if key in body and json.loads(body[key]) not in _DEFAULTS),
        blocks=_automatically_marked(blocks, json.loads(body.get("cache_control", "null"))),
        deferred=tuple(unmarked(tool) for tool in tools if _is_deferred(tool)),
    )


def extends(previous: bytes, following: bytes) -> bool:
    """Whether *following* begins with all of *previous* byte for byte, cache marks apart: same tools and system, no message changed.

    Deferred tools may have been added behind the earlier ones. Both must be valid requests.
    """
    old, new = read_prompt(previous), read_prompt(following)
    before, after = _unmarked_blocks(old), _unmarked_blocks(new)
    return (
        after[: len(before)] == before
        and all(block[0] not in {"tools", "system"} for block in after[len(before) :])
        and new.deferred[: len(old.deferred)] == old.deferred
    )


def unmarked(text: str) -> str:
    """The JSON object *text* without its cache marks, its own and those of blocks in its `content`; every other byte stays."""
    if '"cache_control"' not in text:
        return text
    kept, at = [], 0
    for start, end in _marks(text, 0):
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _marks(text: str, at: int) -> Iterator[tuple[int, int]]:
    members = strictjson.members(text, at)
    for position, member in enumerate(members):
        if member.key == "cache_control":
            yield _span(members, position)
        elif member.key == "content" and text[member.value] == "[":
            for start, _ in strictjson.elements(text, member.value):
                if text[start] == "{":
                    yield from _marks(text, start)


def _span(members: tuple[strictjson.Member, ...], position: int) -> tuple[int, int]:
    # One comma goes with the mark: the one before it, or behind the first member the one after it.
    if position:
        return members[position - 1].end, members[position].end
    following = members[1].start if len(members) > 1 else members[0].end
    return members[0].start, following


def _items(array: str) -> Iterator[str]:
    return (array[start:end] for start, end in strictjson.elements(array)) if array.startswith("[") else iter(())


def _content(text: str) -> Iterator[str]:
    return iter((f'{{"type":"text","text":{text}}}',)) if text.startswith('"') else _items(text)


def _message(text: str) -> Iterator[tuple[str, str]]:
    body = {member.key: text[member.value : member.end] for member in strictjson.members(text)}
    content = body.pop("content", "[]")
    role = json.loads(body.pop("role"))
    # Whatever else a message says about itself is part of what its blocks mean.
    place = role + "".join(f" {key}={value}" for key, value in body.items())
    return ((place, block) for block in _content(content))


def _block(place: str, text: str) -> Block:
    return Block(place, unmarked(text), _mark(json.loads(text)))


def _mark(block: dict[str, Any]) -> Ttl | None:
    """The mark of a block; a mark on a block inside counts for the whole, because only whole blocks are positions in the cache."""
    mark = block.get("cache_control")
    if mark is not None:
        return mark.get("ttl") or "5m"
    inner = block.get("content")
    marks = [_mark(item) for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []
    return next((ttl for ttl in marks if ttl is not None), None)


def _is_deferred(tool: str) -> bool:
    return '"defer_loading"' in tool and json.loads(tool).get("defer_loading") is True


def _automatically_marked(blocks: tuple[Block, ...], mark: dict[str, Any] | None) -> tuple[Block, ...]:
    """*blocks* with the request's own mark on the last one that may carry it."""
    if mark is None:
        return blocks
    for position in range(len(blocks) - 1, -1, -1):
        block = blocks[position]
        if json.loads(block.text).get("type") not in UNMARKABLE:
            ttl = block.mark or mark.get("ttl") or "5m"
            return (*blocks[:position], Block(block.place, block.text, ttl), *blocks[position + 1 :])
    return blocks


def _unmarked_blocks(prompt: Prompt) -> tuple[tuple[str, str], ...]:
    return tuple((block.place, block.text) for block in prompt.blocks)
