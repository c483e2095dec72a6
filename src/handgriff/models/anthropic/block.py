"""One block of a streamed message: how it began, what its deltas added, and the text it is kept and sent back as.

Below are argument texts and strict JSON; above, `assemble` opens and closes blocks. Kinds and deltas it has never heard of are kept: what
the provider sent is what it gets back.
"""

from collections.abc import Mapping
from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonLimits
from handgriff.core.message import AskedCall
from handgriff.models.anthropic import arguments

_NOTHING_LOST: Final = JsonLimits(depth=400)
"""The provider's own blocks may nest deeper than anything of ours; it is the reader of them, not we."""

_LAST_HIGH, _FIRST_HIGH = "\udbff", "\ud800"


class Block:
    """A block that is being received."""

    __slots__ = ("_held", "_json", "_members", "_texts", "is_closed", "kind")

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.kind: str = start["type"]
        self.is_closed = False
        self._members = {"type": self.kind, **{name: value for name, value in start.items() if name != "cache_control"}}
        self._texts: list[str] = []
        self._json: list[str] = []
        self._held = ""

    def add_text(self, piece: str) -> str:
        """Take more text, and return what may be shown by now: half a character waits for its other half."""
        if self._held or not jsontext.is_clean(piece):
            piece = self._held + piece
            has_half = _FIRST_HIGH <= piece[-1:] <= _LAST_HIGH
            self._held = piece[-1] if has_half else ""
            piece = jsontext.clean(piece[:-1] if has_half else piece)
        self._texts.append(piece)
        return piece

    def add(self, delta: Mapping[str, Any]) -> None:
        """Take a delta of another kind than text."""
        match delta["type"]:
            case "input_json_delta":
                self._json.append(delta["partial_json"])
            case "signature_delta":
                self._members["signature"] = delta["signature"]
            case "citations_delta":
                self._members["citations"] = [*(self._members.get("citations") or []), delta["citation"]]
            case _:
                for name, value in delta.items():
                    if name != "type":
                        self._merge(name, value)

    def close(self) -> str:
        """End the block, and return the text that was still held back."""
        self.is_closed = True
        if not self._held:
            return ""
        self._held = ""
        return self.add_text("\ufffd")

    @property
    def text(self) -> str:
        """What a text block says."""
        return "".join(self._texts)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the API would take it back: no blank text, and no thinking that was cut before it was signed."""
        if self.kind == "text":
            return bool(self.text.strip())
        return self.kind != "thinking" or bool(self._members.get("signature"))

    @property
    def call(self) -> AskedCall:
        """The call that a block of kind "tool_use" is."""
        return AskedCall(
            wire_id=jsontext.clean(self._members["id"]),
            tool=jsontext.clean(self._members["name"]),
            arguments=self._arguments(),
            is_closed=self.is_closed,
        )

    def member(self, name: str) -> object:
        """A member as the block began with it, such as the id another block refers to."""
        return self._members.get(name)

    @property
    def wire(self) -> str:
        """The block as JSON text, its type first and its members in the order they came."""
        members = dict(self._members)
        if self.kind == "text":
            members["text"] = self.text
        if self.kind == "thinking" and self._texts:
            members["thinking"] = "".join(self._texts)
        if self._json or self.kind == "tool_use":
            members.setdefault("input", {})
        return f"{{{','.join(f'{_json(name)}:{self._value(name, value)}' for name, value in members.items())}}}"

    def _value(self, name: str, value: object) -> str:
        if name == "input" and (self._json or self.kind == "tool_use"):
            return arguments.as_history(self._arguments())
        return _json(value)

    def _arguments(self) -> str:
        if self._json:
            return arguments.as_came(self._json)
        given = self._members.get("input")
        return _json(given) if given else ""

    def _merge(self, name: str, value: object) -> None:
        """What a delta of an unknown kind most likely means: text and lists go on, anything else is the latest word."""
        before = self._members.get(name)
        if isinstance(before, str) and isinstance(value, str):
            self._members[name] = before + value
        elif isinstance(before, list) and isinstance(value, list):
            self._members[name] = [*before, *value]
        else:
            self._members[name] = value


def _json(value: object) -> str:
    return jsontext.dumps(value, limits=_NOTHING_LOST)
