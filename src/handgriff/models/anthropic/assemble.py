"""A stream's events made into one answer: text as it comes, blocks kept whole, calls, the last totals, and why it ended.

Below are blocks and counts; above, the adapter feeds parsed events and passes on what comes out. It reads no bytes and awaits nothing, and
it never takes a stream for an answer that has not ended properly.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from handgriff.core.events import Stop
from handgriff.core.message import Answer, AskedCall
from handgriff.core.usage import Usage
from handgriff.models.anthropic import counts, faults
from handgriff.models.anthropic.block import Block
from handgriff.ports.model import Ended, ModelEvent, ModelFault, Started, Text, Working

_STOPS: Final[Mapping[str, Stop]] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "pause_turn": "pause",
    "refusal": "refused",
    "model_context_window_exceeded": "context_full",
}
_GOES_ON: Final[frozenset[Stop]] = frozenset({"tools", "pause"})
"""After these the provider takes up its own unfinished work, so a tool of its own without a result is no loose end."""

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
"""What the API takes back as a tool's name."""

_BUSY: Final = Working(is_content=True)
_ALIVE: Final = Working(is_content=False)
_PARAGRAPH: Final = "\n\n"


class Assembler:
    """Reads one stream, event by event."""

    __slots__ = ("_blocks", "_ended", "_miss", "_model", "_needs_break", "_said", "_stop", "usage")

    def __init__(self) -> None:
        self.usage = Usage()
        self._blocks: dict[int, Block] = {}
        self._model: str | None = None
        self._stop: Stop = "other"
        self._miss: str | None = None
        self._said: list[str] = []
        self._needs_break = False
        self._ended = False

    @property
    def has_ended(self) -> bool:
        """Whether the stream has come to its proper end."""
        return self._ended

    def feed(self, event: Mapping[str, Any]) -> ModelEvent:
        """What *event* means.

        Raises:
            ModelFault: it is an error, or no event of such a stream.
        """
        try:
            return self._read(event)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise faults.broken(f"an event that can't be read: {error!r}", self.usage) from error

    def broken(self, detail: str) -> ModelFault:
        """The fault that the stream is over without its end."""
        return faults.broken(detail, self.usage)

    def _read(self, event: Mapping[str, Any]) -> ModelEvent:
        match event["type"]:
            case "content_block_delta":
                return self._delta(self._blocks[event["index"]], event["delta"])
            case "content_block_start":
                return self._open(event["index"], event["content_block"])
            case "content_block_stop":
                return self._close(self._blocks[event["index"]])
            case "message_start":
                return self._begin(event["message"])
            case "message_delta":
                return self._conclude(event["delta"], event.get("usage"))
            case "message_stop":
                return self._end()
            case "error":
                raise faults.interrupted(event, self.usage)
            case _:
                return _ALIVE

    def _begin(self, message: Mapping[str, Any]) -> ModelEvent:
        model = message["model"]
        if not isinstance(model, str):
            raise TypeError("the model's name is no text")
        self._model = model
        self.usage = counts.opening(message.get("usage"))
        self._miss = _miss_reason(message)
        return Started(model, self.usage)

    def _open(self, index: int, start: Mapping[str, Any]) -> ModelEvent:
        block = self._blocks[index] = Block(start)
        if block.kind == "text":
            return self._say(block.add_text(start.get("text") or ""))
        self._needs_break = bool(self._said)
        if block.kind == "thinking":
            block.add_text(start.get("thinking") or "")
        return _BUSY

    def _delta(self, block: Block, delta: Mapping[str, Any]) -> ModelEvent:
        match delta["type"]:
            case "text_delta" if block.kind == "text":
                return self._say(block.add_text(delta["text"]))
            case "thinking_delta" if block.kind == "thinking":
                block.add_text(delta["thinking"])
            case _:
                block.add(delta)
        return _BUSY

    def _close(self, block: Block) -> ModelEvent:
        rest = block.close()
        return self._say(rest) if block.kind == "text" else _BUSY

    def _say(self, text: str) -> ModelEvent:
        if not text:
            return _ALIVE
        if self._needs_break:
            # What was said before a call and after it are two paragraphs.
            self._needs_break = False
            text = _PARAGRAPH + text
        self._said.append(text)
        return Text(text)

    def _conclude(self, delta: Mapping[str, Any], usage: Mapping[str, Any] | None) -> ModelEvent:
        self._stop = _STOPS.get(delta.get("stop_reason") or "", "other")
        self._miss = _miss_reason(delta) or self._miss
        self.usage = counts.closing(self.usage, usage)
        return _BUSY

    def _end(self) -> ModelEvent:
        if self._model is None:
            raise self.broken("it ended before it began")
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        answer = Answer(
            blocks=tuple(block.wire for block in _returnable(blocks, self._stop)),
            text="".join(self._said),
            calls=tuple(block.call for block in blocks if block.kind == "tool_use"),
            stop=self._stop,
        )
        if not _is_callable(answer.calls):
            # The API refuses it in a history, so keeping it would end the conversation.
            raise self.broken("a call whose name or id can't be sent back")
        self._ended = True
        return Ended(answer, self.usage, self._miss)


def _returnable(blocks: Sequence[Block], stop: Stop) -> list[Block]:
    kept = [block for block in blocks if block.is_worth_keeping]
    if stop in _GOES_ON:
        return kept
    answered = {block.member("tool_use_id") for block in kept}
    return [block for block in kept if block.kind != "server_tool_use" or block.member("id") in answered]


def _is_callable(calls: Sequence[AskedCall]) -> bool:
    ids = {call.wire_id for call in calls}
    return len(ids) == len(calls) and all(call.wire_id and _NAME.fullmatch(call.tool) for call in calls)


def _miss_reason(holder: Mapping[str, Any]) -> str | None:
    reason = (holder.get("diagnostics") or {}).get("cache_miss_reason") or {}
    kind = reason.get("type")
    return kind if isinstance(kind, str) else None
