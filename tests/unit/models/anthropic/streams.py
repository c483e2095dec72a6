"""Streams of the Messages API as parsed events, as short as a test wants them."""

from collections.abc import Mapping
from typing import Any

from handgriff.models.anthropic.assemble import Assembler
from handgriff.ports.model import Ended, ModelEvent

Event = dict[str, Any]


def start(usage: Mapping[str, Any] | None = None, **more: object) -> Event:
    return {"type": "message_start", "message": {"model": "claude-x", "content": [], "usage": usage or {}, **more}}


def block(index: int, begun: Mapping[str, Any], *deltas: Mapping[str, Any], closed: bool = True) -> list[Event]:
    events: list[Event] = [{"type": "content_block_start", "index": index, "content_block": dict(begun)}]
    events += [{"type": "content_block_delta", "index": index, "delta": dict(delta)} for delta in deltas]
    return [*events, {"type": "content_block_stop", "index": index}] if closed else events


def text(index: int, *pieces: str) -> list[Event]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def call(index: int, *pieces: str, closed: bool = True, **more: object) -> list[Event]:
    begun: Event = {"type": "tool_use", "id": f"toolu_{index}", "name": "find", "input": {}, **more}
    return block(index, begun, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces), closed=closed)


def end(stop: str | None = "end_turn", usage: Mapping[str, Any] | None = None) -> list[Event]:
    delta: Event = {"type": "message_delta", "delta": {"stop_reason": stop}}
    return [delta if usage is None else {**delta, "usage": usage}, {"type": "message_stop"}]


def read(*events: Event | list[Event]) -> list[ModelEvent]:
    assembler = Assembler()
    flat = [event for item in events for event in (item if isinstance(item, list) else [item])]
    return [assembler.feed(event) for event in flat]


def ended(*events: Event | list[Event]) -> Ended:
    last = read(start(), *events)[-1]
    assert isinstance(last, Ended)
    return last
