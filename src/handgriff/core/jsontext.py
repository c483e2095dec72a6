"""JSON text, read strictly and written canonically.

Below it lies the standard library alone; above it everything that stores, sends or compares JSON. It refuses to know
what the values mean: schemas, events and results are other people's business.

The C scanner and encoder do the work. What they let through (NaN, duplicate keys, lone halves of characters, numbers
and nesting without bound) is looked for afterwards, in Python, and only where a cheap count says that it may be there.
"""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What a JSON text reads as."""

MAX_DIGITS = 100
"""The longest integer read or written: far past every id, far below what makes int() slow."""


@dataclass(frozen=True, slots=True)
class JsonLimits:
    """How much one text may hold."""

    depth: int = 64
    """Levels of objects and arrays inside each other."""
    size: int = 16 * 2**20
    """Bytes of UTF-8."""
    members: int = 100_000
    """Properties and items, counted over the whole text."""


LIMITS = JsonLimits()


class JsonError(ValueError):
    """A text or value that isn't JSON as we mean it; says what and where, and never repeats a value."""

    problem: str
    where: str

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(f"{problem} at {where}" if where else problem)
        self.problem = problem
        self.where = where


class Exact(float):
    """A number with a fraction or an exponent that remembers how it was written."""

    __slots__ = ("literal",)
    literal: str

    def __new__(cls, literal: str) -> Self:  # noqa: D102  # said by the class
        number = super().__new__(cls, literal)
        if math.isinf(number):
            raise _beyond_range()
        number.literal = literal
        return number


def loads(text: str | bytes, *, limits: JsonLimits = LIMITS, exact: bool = False) -> Json:
    """Read *text*; with *exact*, numbers that aren't whole come as `Exact`.

    Raises:
        JsonError: the text is malformed, cut off, too much, or says something JSON can't.
    """
    source = _decoded(text, limits)
    try:
        value: Json = _decoder(source, exact=exact).decode(source)
    except RecursionError:
        raise _too_deep(limits) from None
    except json.JSONDecodeError as error:
        raise _malformed(source, error) from None
    _bound(source, value, limits)
    if _ESCAPED_SURROGATE.search(source):
        _refuse_surrogates(value)
    return value


def dumps(value: object, *, limits: JsonLimits = LIMITS) -> str:
    """Write *value*: compact, in the order it has, always encodable; lone surrogates become U+FFFD.

    Raises:
        JsonError: something in it isn't JSON; the path and its type are named.
    """
    text = _written(value, limits)
    cleaned = clean(text)
    if cleaned != text:
        # Two keys that differed only in their broken half would now be one, and no strict reader takes that.
        loads(cleaned, limits=JsonLimits(limits.depth, size=4 * len(cleaned), members=len(cleaned)))
    return cleaned


def admit(value: object, *, limits: JsonLimits = LIMITS) -> str:
    """Write a value that came from outside already read, refusing what `loads` would have refused in its text."""
    text = _written(value, limits)
    loads(text, limits=limits)
    return text


def clean(text: str) -> str:
    """Join halves of one character that stand together and replace halves that stand alone by U+FFFD."""
    if is_clean(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_clean(text: str) -> bool:
    """Say whether *text* can be encoded as UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def digest(text: str) -> str:
    """Name a canonical text by its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


def spell(path: Sequence[str | int]) -> str:
    """Write a path as people read it: `kids/0/v`, long keys shortened, because a stranger may have chosen them."""
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return clean("/".join(part if len(part) <= _LONGEST_KEY else part[:_LONGEST_KEY] + "…" for part in parts))


_LONGEST_KEY = 64
_LONG_NUMBER = re.compile(rf"[0-9]{{{MAX_DIGITS + 1}}}")
_DIGIT = re.compile(r"[0-9]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _finite(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _beyond_range()
    return number


def _short_integer(literal: str) -> int:
    if len(literal.lstrip("-")) > MAX_DIGITS:
        raise _too_many_digits()
    return int(literal)


def _no_constant(word: str) -> float:
    raise JsonError(f"{word} isn't JSON")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise JsonError("a key is given twice", f"key {spell([twice])!r}")
    return members


_DECODERS = {
    exact: json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant, parse_float=Exact if exact else _finite)
    for exact in (False, True)
}
# A hook for integers costs a Python call for each of them, so it is used where a long run of digits was seen.
_GUARDED_DECODERS = {
    exact: json.JSONDecoder(
        object_pairs_hook=_object, parse_constant=_no_constant, parse_float=Exact if exact else _finite, parse_int=_short_integer
    )
    for exact in (False, True)
}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _decoder(source: str, *, exact: bool) -> json.JSONDecoder:
    return (_GUARDED_DECODERS if _has_long_number(source) else _DECODERS)[exact]


def _has_long_number(text: str) -> bool:
    # A run of so many digits covers one of these places, and most texts have no digit there.
    return len(text) > MAX_DIGITS and _DIGIT.search(text[:: MAX_DIGITS + 1]) is not None and _LONG_NUMBER.search(text) is not None


def _decoded(text: str | bytes, limits: JsonLimits) -> str:
    try:
        raw, source = (text, text.decode()) if isinstance(text, bytes) else (text.encode(), text)
    except UnicodeDecodeError as error:
        raise JsonError("not UTF-8", f"byte {error.start + 1}") from None
    except UnicodeEncodeError as error:
        raise _lone_surrogate(f"character {error.start + 1}") from None
    if len(raw) > limits.size:
        raise JsonError(f"more than {limits.size} bytes")
    return source


def _bound(source: str, value: Json, limits: JsonLimits) -> None:
    openings = source.count("{") + source.count("[")
    if openings <= limits.depth and openings + source.count(",") <= limits.members:
        return
    members = 0
    for depth, layer in enumerate(_layers(value), start=1):
        if depth > limits.depth:
            raise _too_deep(limits)
        members += sum(map(len, layer))
        if members > limits.members:
            raise JsonError(f"more than {limits.members} properties and items")


def _layers(value: object) -> Iterator[list[Any]]:
    layer = [value] if isinstance(value, (list, tuple, dict)) else []
    while layer:
        yield layer
        layer = [
            item
            for holder in layer
            for item in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(item, (list, tuple, dict))
        ]


def _refuse_surrogates(value: Json) -> None:
    for path, item in _walk(value):
        keys = item if isinstance(item, dict) else ()
        if (isinstance(item, str) and not is_clean(item)) or not all(map(is_clean, keys)):
            raise _lone_surrogate(spell(path))


def _walk(value: object) -> Iterator[tuple[tuple[str | int, ...], object]]:
    stack: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while stack:
        path, item = stack.pop()
        yield path, item
        if isinstance(item, dict):
            stack.extend(((*path, key), member) for key, member in reversed(item.items()))
        elif isinstance(item, (list, tuple)):
            stack.extend(((*path, index), item[index]) for index in reversed(range(len(item))))


def _written(value: object, limits: JsonLimits) -> str:
    try:
        text = _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        # Without a fault it is the caller's own stack that had no room left.
        raise _fault(value, limits) or _too_deep(limits) from error
    suspect = _has_long_number(text) or not _is_plain(value, limits)
    if suspect and (fault := _fault(value, limits)):
        raise fault
    return text


def _is_plain(value: object, limits: JsonLimits) -> bool:
    # Everything that is written passes here, so it is spelled out instead of asking `_layers`.
    layer: list[Any] = [value] if isinstance(value, _HOLDERS) else []
    depth = 0
    while layer:
        depth += 1
        if depth > limits.depth:
            return False
        below: list[Any] = []
        for holder in layer:
            items = holder
            if isinstance(holder, dict):
                if not (_TEXT.issuperset(map(type, holder)) or all(isinstance(key, str) for key in holder)):
                    return False
                items = holder.values()
            if not _SCALARS.issuperset(map(type, items)):
                below += [item for item in items if isinstance(item, _HOLDERS)]
        layer = below
    return True


_HOLDERS = (list, tuple, dict)
_TEXT = frozenset({str})
_SCALARS = frozenset({str, int, float, bool, type(None)})


def _fault(value: object, limits: JsonLimits) -> JsonError | None:
    for path, item in _walk(value):
        if len(path) >= limits.depth and isinstance(item, (list, tuple, dict)):
            return _too_deep(limits)  # a value that holds itself ends here too
        if problem := _wrong(item):
            return JsonError(problem, spell(path) or "the top")
    return None


def _wrong(item: object) -> str:
    match item:
        case None | bool() | str() | list() | tuple():
            return ""
        case int():
            return "" if abs(item) < 10**MAX_DIGITS else f"an integer of more than {MAX_DIGITS} digits"
        case float():
            return "" if math.isfinite(item) else "NaN and infinities aren't JSON"
        case dict():
            odd = next((key for key in item if not isinstance(key, str)), None)
            return "" if all(isinstance(key, str) for key in item) else f"a key of type {type(odd).__name__} isn't JSON"
        case _:
            return f"a value of type {type(item).__name__} isn't JSON"


def _malformed(source: str, error: json.JSONDecodeError) -> JsonError:
    if not source.strip():
        return JsonError("the text is empty")
    if error.pos >= len(source.rstrip()) or error.msg.startswith("Unterminated"):
        return JsonError("the text ends too early", f"character {len(source)}")
    return JsonError(f"{error.msg[0].lower()}{error.msg[1:].removesuffix(' at')}", f"character {error.pos + 1}")


def _too_deep(limits: JsonLimits) -> JsonError:
    return JsonError(f"too deep: more than {limits.depth} levels")


def _beyond_range() -> JsonError:
    return JsonError("a number beyond the range of floating point")


def _too_many_digits() -> JsonError:
    return JsonError(f"an integer of more than {MAX_DIGITS} digits")


def _lone_surrogate(where: str) -> JsonError:
    return JsonError("half of a character (a lone surrogate)", where or "the top")
