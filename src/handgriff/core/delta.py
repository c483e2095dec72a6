"""Deltas: how state changes, as operations attached to an event. Every store computes with the arithmetic of this module, or as it does.

Values are JSON texts as `jsontext` writes them. Operations that commute never conflict; a guard (`Expect`) names what must not have
changed.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.jsontext import MAX_DIGITS, Json, JsonError, JsonLimits
from handgriff.core.scope import Scope


@dataclass(frozen=True, slots=True)
class Set:
    """Put *value* (JSON text) at *key*."""

    scope: Scope
    key: str
    value: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove *key*; its version stays, so that an older compare-and-set cannot bring it back."""

    scope: Scope
    key: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Increment:
    """Add a whole number to a whole number; an absent key counts as 0. Fractions are refused: they don't add up on every machine."""

    scope: Scope
    key: str
    by: int
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Append:
    """Put *value* (JSON text) at the end of a list; an absent key counts as an empty one."""

    scope: Scope
    key: str
    value: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Add:
    """`Append`, unless the list holds an equal item already."""

    scope: Scope
    key: str
    value: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """Take every item equal to *value* (JSON text) out of a list."""

    scope: Scope
    key: str
    value: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """Merge *value* (JSON text of an object) into an object by RFC 7396: null removes a member."""

    scope: Scope
    key: str
    value: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Expect:
    """Guard: *key* still has this version; None says that it is absent. Looked at before the delta's operations."""

    scope: Scope
    key: str
    version: int | None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Renew:
    """Before a scratch record of *namespace* is looked at or written: what is expired at `at` is gone, and its deadline is `until` or
    later."""

    namespace: str
    at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Clear:
    """Remove the scratch record of *namespace*, deadline and all. What the delta changes in it afterwards begins a new one."""

    namespace: str


Change: TypeAlias = Set | Delete | Increment | Append | Add | Remove | Merge
"""What changes one key."""
Operation: TypeAlias = Change | Expect | Renew | Clear
Delta: TypeAlias = tuple[Operation, ...]

KINDS: Final[Mapping[str, type[Operation]]] = {
    "set": Set,
    "delete": Delete,
    "increment": Increment,
    "append": Append,
    "add": Add,
    "remove": Remove,
    "merge": Merge,
    "expect": Expect,
    "renew": Renew,
    "clear": Clear,
}
_ROWS: Final = {kind: (name, attrgetter(*(item.name for item in fields(kind)))) for name, kind in KINDS.items()}
# What was let in is read again however large `StateLimits` let it grow; only its depth has one bound everywhere.
_KEPT: Final = JsonLimits(size=2**31, members=2**31)
_ITEM: Final = JsonLimits(_KEPT.depth - 1, _KEPT.size, _KEPT.members)


class ChangeRefused(Exception):  # an answer, not a failure: the value is not of the kind the operation needs
    """A value on which the operation can't work. `key` and `problem` say which and why."""

    key: str
    problem: str

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key!r}: {problem}")
        self.key = key
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Value:
    """A stored value: JSON text and its version, an integer that counts the writes of this key."""

    text: str
    version: int

    def json(self) -> Json:
        """The value itself, a fresh copy at every call."""
        return loaded(self.text)


def changed(change: Change, text: str | None) -> str | None:
    """The value after *change*; None is absence.

    Raises:
        ChangeRefused: *text* is no value this operation works on.
    """
    match change:
        case Set(value=value):
            return value
        case Delete():
            return None
        case Increment(key=key, by=by):
            return _sum(key, text, by)
        case Append(key=key, value=value):
            return _appended(key, text, value)
        case Add(key=key, value=value):
            return text if text is not None and _holds(key, text, value) else _appended(key, text, value)
        case Remove(key=key, value=value):
            return _without(key, text, value)
        case Merge(key=key, value=value):
            target = None if text is None else loaded(text)
            if text is not None and not isinstance(target, dict):
                raise ChangeRefused(key, f"it is {_kind(text)}, and only an object can be merged into.")
            return jsontext.dumps(merged(target, loaded(value)))
        case _:
            assert_never(change)


def is_write(change: Change, before: str | None, after: str | None) -> bool:
    """Whether *change* counts in the version of its key: always, unless it found nothing to delete, to add or to remove."""
    return before != after or not isinstance(change, (Delete, Add, Remove))


def merged(target: Json, patch: Json) -> Json:
    """*target* after the JSON merge patch *patch* (RFC 7396, section 2). Members keep their order, new ones come last."""
    if not isinstance(patch, dict):
        return patch
    result: dict[str, Json] = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def items(key: str, text: str) -> list[str]:
    """The items of a list, each as JSON text.

    Raises:
        ChangeRefused: it is no list.
    """
    value = loaded(text)
    if not isinstance(value, list):
        raise ChangeRefused(key, f"it is {_kind(text)}, not a list.")
    return [jsontext.dumps(item) for item in value]


def weight(key: str, text: str) -> int:
    """What a value counts against the bytes of its scope: its key and its text."""
    return len(key.encode()) + len(text.encode())


def encode_delta(delta: Delta) -> str | None:
    """The text a store keeps of *delta* beside its event; None for an empty one."""
    if not delta:
        return None
    return jsontext.clean(f"[{','.join(map(_row, delta))}]")


def decode_delta(text: str | None) -> Delta:
    """What `encode_delta` wrote.

    Raises:
        ValueError: it was not written by it.
    """
    if text is None:
        return ()
    rows: Any = jsontext.loads(text)
    return tuple(_operation(*row) for row in rows)


def replayed(deltas: Sequence[Delta]) -> dict[str, str]:
    """What the session's own keys hold after *deltas*, in their order: JSON texts by name."""
    values: dict[str, str] = {}
    for operation in (operation for delta in deltas for operation in delta):
        if isinstance(operation, (Expect, Renew, Clear)) or operation.scope != "session":
            continue
        text = changed(operation, values.get(operation.key))
        if text is None:
            values.pop(operation.key, None)
        else:
            values[operation.key] = text
    return values


def in_scopes(delta: Delta, *, scratch: bool) -> Delta:
    """The part of *delta* that is about scratch, or the rest."""
    return tuple(operation for operation in delta if _is_scratch(operation) is scratch)


def _is_scratch(operation: Operation) -> bool:
    return isinstance(operation, (Renew, Clear)) or operation.scope == "scratch"


def _sum(key: str, text: str | None, by: int) -> str:
    value = 0 if text is None else int(text) if text.lstrip("-").isdecimal() else loaded(text)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ChangeRefused(key, f"it is {_kind(text or '')}, not a whole number.")
    total = str(value + by)
    if len(total.lstrip("-")) > MAX_DIGITS:
        raise ChangeRefused(key, f"the sum has more than {MAX_DIGITS} digits.")
    return total


def _appended(key: str, text: str | None, value: str) -> str:
    if value[0] in "{[":
        try:
            jsontext.loads(value, limits=_ITEM)
        except JsonError as error:
            raise ChangeRefused(key, f"an item of a list can't be this: {error}.") from error
    if text is None or text == "[]":
        return f"[{value}]"
    if not text.startswith("["):
        raise ChangeRefused(key, f"it is {_kind(text)}, not a list.")
    return f"{text[:-1]},{value}]"


def _without(key: str, text: str | None, value: str) -> str | None:
    if text is None or not _holds(key, text, value):
        return text
    every = items(key, text)
    kept = [item for item in every if canonical(item) != canonical(value)]
    return f"[{','.join(kept)}]"


def _holds(key: str, text: str, value: str) -> bool:
    if text.startswith("[") and value[0] not in "{[" and value not in text:
        return False  # the text of a plain value stands in the list's as it is, so most lists need not be read
    return canonical(value) in map(canonical, items(key, text))


def canonical(text: str) -> str:
    """A text that is equal for equal values: the members of objects in the order of their names."""
    return text if text[0] not in "{[" else jsontext.dumps(_ordered(loaded(text)))


def _ordered(value: Json) -> Json:
    match value:
        case dict():
            return {name: _ordered(value[name]) for name in sorted(value)}
        case list():
            return [_ordered(item) for item in value]
        case _:
            return value


def loaded(text: str) -> Json:
    """The value of a stored text. What was let in once must always be read, however the bounds are today."""
    return jsontext.loads(text, limits=_KEPT)


def _kind(text: str) -> str:
    match text[:1]:
        case "{":
            return "an object"
        case "[":
            return "a list"
        case '"':
            return "text"
        case "t" | "f":
            return "a boolean"
        case "n":
            return "null"
        case _:
            return "a number"


def _row(operation: Operation) -> str:
    # As `jsontext.dumps` writes it; a delta is small, and its parts are texts and whole numbers.
    name, values = _ROWS[type(operation)]
    plain = (operation.namespace,) if isinstance(operation, Clear) else values(operation)
    return f'["{name}",{",".join([_quoted(value) if isinstance(value, str) else _plain(value) for value in plain])}]'


def _plain(value: object) -> str:
    match value:
        case None:
            return "null"
        case datetime():
            return _quoted(value.isoformat())
        case _:
            return jsontext.dumps(value)


_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode


def _operation(name: str, *values: Any) -> Operation:
    kind: Callable[..., Operation] | None = KINDS.get(name)
    if kind is None:
        raise ValueError(f"unknown state operation {name!r}")
    if kind is Renew:
        namespace, at, until = values
        return Renew(namespace, datetime.fromisoformat(at), datetime.fromisoformat(until))
    return kind(*values)
