"""Calls as people type them: `/cancel_order order=o_17 note="two words" lines=[1,2]`, one on a line.

Below is JSON; above, the scripted model looks for commands in what was said. A value goes on to the next key; it is JSON if it reads as
JSON, else a string. This knows no tool and no schema: whatever was typed goes to the boundary, which judges it.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonError
from handgriff.models.scripted.script import Use

_COMMAND: Final = re.compile(r"^[ \t]*/(?P<tool>[A-Za-z][\w-]*)(?P<rest>(?:[ \t].*)?)$", re.MULTILINE)
_NAME: Final = re.compile(r"\s*(?P<tool>[A-Za-z][\w-]*)(?=\s|$)")
_KEY: Final = re.compile(r"\s*(?P<key>[\w-]+)=")
_NEXT: Final = re.compile(r"\s+[\w-]+=|\s*\Z")

_PLACEHOLDER: Final = "tool"
"""Typed literally, it is followed by the name: `/tool list_orders`."""

_ENVELOPE: Final = "<untrusted-"


def commands(texts: Sequence[str]) -> tuple[Use, ...]:
    """The calls typed in *texts*; what others wrote comes enveloped and is not searched."""
    return tuple(
        _use(match["tool"], match["rest"]) for text in texts if not text.startswith(_ENVELOPE) for match in _COMMAND.finditer(text)
    )


def _use(tool: str, rest: str) -> Use:
    if tool == _PLACEHOLDER and (name := _NAME.match(rest)):
        tool, rest = name["tool"], rest[name.end() :]
    return Use(tool, _arguments(rest))


def _arguments(rest: str) -> dict[str, Json]:
    arguments: dict[str, Json] = {}
    position = 0
    while key := _KEY.match(rest, position):
        position = _end(rest, key.end())
        arguments[key["key"]] = _read(rest[key.end() : position])
    return arguments


def _end(rest: str, start: int) -> int:
    """Where the value that begins at *start* ends. Quotes and brackets may hold what looks like a key."""
    if rest[start : start + 1] in {'"', "[", "{"}:
        try:
            _, end = json.JSONDecoder().raw_decode(rest, start)
        except (ValueError, RecursionError):
            end = start
        if end > start and not rest[end : end + 1].strip():
            return end
    following = _NEXT.search(rest, start)
    return following.start() if following else len(rest)


def _read(word: str) -> Json:
    try:
        return jsontext.loads(word)
    except JsonError:
        return word
