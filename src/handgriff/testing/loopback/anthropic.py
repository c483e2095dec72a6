"""An answer on the Messages API's wire: its events, its whole message, its errors.

Below are `script` and `cache`; above, the responder chooses the answer and the application sends it. It is pure: ids are given. It does not
know whether a request deserved the answer.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never

from handgriff.testing.loopback.cache import InputUsage, count_tokens
from handgriff.testing.loopback.script import (
    Answer,
    Block,
    Drop,
    EarlyEnd,
    ErrorEvent,
    Fault,
    HttpError,
    Raw,
    Text,
    Thinking,
    ToolUse,
)

Json: TypeAlias = dict[str, Any]
Ending: TypeAlias = Literal["complete", "early", "dropped", "reset"]
"""How a stream ends: with its last event, cleanly before it, or with the connection cut."""

ERROR_STATUS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status that goes with an error type."""

_TYPES = {status: kind for kind, status in ERROR_STATUS.items()}


@dataclass(frozen=True, slots=True)
class Head:
    """What a message needs beside the answer."""

    id: str
    model: str
    usage: InputUsage


@dataclass(frozen=True, slots=True)
class Stream:
    """Events ready to send, in order, and how they end."""

    events: tuple[bytes, ...]
    ending: Ending


def sign(thinking: str) -> str:
    """The signature of a thinking block's text."""
    return base64.b64encode(hashlib.sha256(f"signed {thinking}".encode(errors="surrogatepass")).digest()).decode()


def numbered(answer: Answer, ids: Iterator[str]) -> Answer:
    """*answer* with an id for every call that has none."""
    return replace(
        answer,
        blocks=tuple(replace(block, id=next(ids)) if isinstance(block, ToolUse) and block.id is None else block for block in answer.blocks),
    )


def content(answer: Answer) -> tuple[Json, ...]:
    """The blocks of the finished message, as they must come back; arguments that are no JSON object become an empty one."""
    return tuple(_finished(block) for block in answer.blocks)


def message(answer: Answer, head: Head) -> Json:
    """The whole message, for a request without `stream`."""
    usage = {**_start_usage(answer, head.usage), **_end_usage(answer, head.usage)}
    return _without_empty_usage({**_envelope(answer, head), "usage": usage})


def stream(answer: Answer, head: Head) -> Stream:
    """All events of *answer*, inserted ones and its fault included.

    Raises:
        ValueError: a fault, a hold or an inserted event stands where the stream never comes.
    """
    plain = tuple(_events(answer, head))
    for insert in answer.inserts:
        _require(insert, position=insert.before, last=len(plain) - 1)
    made = _faulty(answer.fault, tuple(_event(name, data) for name, data in _with_inserts(answer, plain)))
    for hold in answer.holds:
        _require(hold, position=hold.before, last=len(made.events))
    return made


def error(kind: str, text: str, *, request_id: str | None) -> Json:
    """An error's body."""
    return {"type": "error", "error": {"type": kind, "message": text}} | ({} if request_id is None else {"request_id": request_id})


def http_error_type(reply: HttpError) -> str:
    """The error type of an HTTP error."""
    return reply.type or _TYPES.get(reply.status) or ("invalid_request_error" if reply.status < 500 else "api_error")  # noqa: PLR2004


def dump(value: object) -> bytes:
    """*value* as compact UTF-8. Half a surrogate pair has no UTF-8 form and goes as an escape, as a careless provider would send it."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def _faulty(fault: Fault | None, events: tuple[bytes, ...]) -> Stream:
    if fault is None:
        return Stream(events, "complete")
    _require(fault, position=fault.after, last=len(events) - 1)
    before = events[: fault.after]
    match fault:
        case ErrorEvent(_, kind, text):
            return Stream((*before, _event("error", error(kind, text, request_id=None))), "early")
        case EarlyEnd():
            return Stream(before, "early")
        case Drop(reset=reset):
            return Stream(before, "reset" if reset else "dropped")
        case _ as never:
            assert_never(never)


def _require(scripted: object, *, position: int, last: int) -> None:
    if not 0 <= position <= last:
        raise ValueError(f"{scripted!r} is never reached: the last position is {last}")


def _events(answer: Answer, head: Head) -> Iterator[tuple[str, Json]]:
    blank = {**_envelope(answer, head), "content": [], "stop_reason": None, "usage": _start_usage(answer, head.usage)}
    yield "message_start", {"type": "message_start", "message": _without_empty_usage(blank)}
    for index, block in enumerate(answer.blocks):
        begun, deltas = _begun(block), _deltas(block)
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": begun}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": _stop_reason(answer), "stop_sequence": None}
    yield "message_delta", _without_empty_usage({"type": "message_delta", "delta": delta, "usage": _end_usage(answer, head.usage)})
    yield "message_stop", {"type": "message_stop"}


def _with_inserts(answer: Answer, plain: tuple[tuple[str, Mapping[str, Any]], ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for position, event in enumerate(plain):
        yield from ((insert.event, insert.data) for insert in answer.inserts if insert.before == position)
        yield event


def _event(name: str, data: Mapping[str, Any]) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + dump(data) + b"\n\n"


def _envelope(answer: Answer, head: Head) -> Json:
    return {
        "id": head.id,
        "type": "message",
        "role": "assistant",
        "model": head.model,
        "content": list(content(answer)),
        "stop_reason": _stop_reason(answer),
        "stop_sequence": None,
    }


def _begun(block: Block) -> Json:
    match block:
        case Text():
            return {"type": "text", "text": ""}
        case Thinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolUse():
            return {**_finished(block), "input": {}}
        case Raw(whole):
            return dict(whole)
        case _ as never:
            assert_never(never)


def _finished(block: Block) -> Json:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text, "signature": sign(text)}
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": _input(block), **(block.extra or {})}
        case Raw(whole):
            return dict(whole)
        case _ as never:
            assert_never(never)


def _deltas(block: Block) -> Iterator[Json]:
    match block:
        case Text(text):
            yield from ({"type": "text_delta", "text": piece} for piece in _pieces(text, block.chunk))
        case Thinking(text):
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in _pieces(text, block.chunk))
            yield {"type": "signature_delta", "signature": sign(text)}
        case ToolUse():
            # The real stream opens the arguments with an empty piece.
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(_arguments(block), block.chunk)))
        case Raw():
            return
        case _ as never:
            assert_never(never)


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _arguments(call: ToolUse) -> str:
    return json.dumps(call.input or {}, ensure_ascii=False) if call.raw is None else call.raw


def _input(call: ToolUse) -> Json:
    try:
        value = json.loads(_arguments(call))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _stop_reason(answer: Answer) -> str:
    return answer.stop_reason or ("tool_use" if any(isinstance(block, ToolUse) for block in answer.blocks) else "end_turn")


def _start_usage(answer: Answer, usage: InputUsage) -> Mapping[str, Any]:
    if answer.start_usage is not None:
        return answer.start_usage
    # Output is a stub until the end, and only this event tells lifetimes apart: so it is in the real stream.
    split = {"ephemeral_5m_input_tokens": usage.written_5m, "ephemeral_1h_input_tokens": usage.written_1h}
    return {**_input_usage(usage), "cache_creation": split, "output_tokens": 1, "service_tier": "standard"}


def _end_usage(answer: Answer, usage: InputUsage) -> Mapping[str, Any]:
    if answer.end_usage is not None:
        return answer.end_usage
    return {**_input_usage(usage), "output_tokens": max(1, sum(_output_tokens(block) for block in answer.blocks))}


def _input_usage(usage: InputUsage) -> Json:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.written_5m + usage.written_1h,
        "cache_read_input_tokens": usage.read,
    }


def _output_tokens(block: Block) -> int:
    match block:
        case Text(text) | Thinking(text):
            return count_tokens(text)
        case ToolUse():
            return count_tokens(block.name) + count_tokens(_arguments(block))
        case Raw(whole):
            return count_tokens(json.dumps(dict(whole), ensure_ascii=False))
        case _ as never:
            assert_never(never)


def _without_empty_usage(value: Json) -> Json:
    return value if value["usage"] else {key: item for key, item in value.items() if key != "usage"}
