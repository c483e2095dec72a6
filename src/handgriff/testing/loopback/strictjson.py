"""JSON as a strict receiver reads it, and where in the text each value stands.

Below is only the standard library; above, `prompt` takes slices of a request and the responder refuses what does not parse. It knows no
provider. It is written apart from the product's own JSON, because it is the second opinion on what that one sends.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_VALUES = json.JSONDecoder()


class MalformedError(ValueError):
    """The bytes are not JSON that every receiver reads the same way; the message says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: where its key begins, where its value begins and ends."""

    key: str
    start: int
    value: int
    end: int


def read(raw: bytes) -> Any:  # any JSON value
    """The value of *raw*.

    Raises:
        MalformedError: no UTF-8, no JSON, a key twice in one object, NaN, an infinity, half of a surrogate pair, or too deep.
    """
    try:
        text = raw.decode()
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite)
        _refuse_halves(text, value)
    except UnicodeDecodeError as error:
        raise MalformedError(f"invalid UTF-8: {error.reason} at byte {error.start}") from error
    except RecursionError as error:
        raise MalformedError("nested too deeply") from error
    except json.JSONDecodeError as error:
        raise MalformedError(str(error)) from error
    return value


def members(text: str, at: int = 0) -> tuple[Member, ...]:
    """The members of the object that begins at *at* in *text*, which must be valid JSON."""
    found = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, after = _VALUES.raw_decode(text, at)
        value = _skip(text, _skip(text, after) + 1)
        end = _end(text, value)
        found.append(Member(key, at, value, end))
        at = _next(text, end)
    return tuple(found)


def elements(text: str, at: int = 0) -> tuple[tuple[int, int], ...]:
    """Where each element of the array that begins at *at* in *text* begins and ends; *text* must be valid JSON."""
    found = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        end = _end(text, at)
        found.append((at, end))
        at = _next(text, end)
    return tuple(found)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _end(text: str, at: int) -> int:
    return _VALUES.raw_decode(text, at)[1]


def _next(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        raise MalformedError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return value


def _refuse_constant(word: str) -> float:
    raise MalformedError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise MalformedError(f"{digits} is out of range")
    return number


def _refuse_halves(text: str, value: object) -> None:
    # Only an escape can smuggle one in: the UTF-8 decoder has refused the rest.
    if "\\ud" not in text and "\\uD" not in text:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise MalformedError("no low surrogate in string") from error
