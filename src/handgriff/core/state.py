"""State keys and deltas: what a conversation remembers, changed only by operations attached to an event.

This floor knows the grammar and the operations; where rows live is the store's business.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonError
from handgriff.errors import DefinitionError

Scope: TypeAlias = Literal["app", "user", "session"]
VALUE_BYTES = 64 * 1024
"""Largest value, as JSON text (specification 5.1)."""
DELTA_BYTES = 256 * 1024
"""Largest delta of one call."""
_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,256}")
_PREFIXES = ("app", "user", "temp")


@dataclass(frozen=True, slots=True)
class Key:
    """A parsed key: its lifetime and its name in that lifetime."""

    scope: Literal["app", "user", "session", "temp"]
    name: str


@dataclass(frozen=True, slots=True)
class Set:
    """Put *value* (JSON text) at *key*."""

    scope: Scope
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove *key*; its version stays, so that an older compare-and-set cannot bring it back."""

    scope: Scope
    key: str


Operation: TypeAlias = Set | Delete
Delta: TypeAlias = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A stored value: JSON text and its version, an integer that counts the writes of this key."""

    text: str
    version: int

    def json(self) -> Json:
        """The value itself, a fresh copy at every call."""
        return jsontext.loads(self.text)


def parse_key(key: object) -> Key:
    """*key* by the grammar of specification 5.1: an optional `app:`, `user:` or `temp:` and a name.

    Raises:
        DefinitionError: it is none; the message says what was wrong.
    """
    if not isinstance(key, str):
        raise _bad_key(key, f"it is {type(key).__name__}, not text.")
    prefix, colon, rest = key.partition(":")
    scope = prefix if colon and prefix in _PREFIXES else "session"
    name = key if scope == "session" else rest
    if not _NAME.fullmatch(name):
        raise _bad_key(key, "a name is 1 to 256 letters, digits and _ . : - of ASCII.")
    head = name.split(":", 1)[0]
    if name.startswith(":") or (":" in name and head.lower() in _PREFIXES):
        raise _bad_key(key, "a prefix stands once, in small letters, at the beginning.")
    return Key(scope, name)  # type: ignore[arg-type]  # scope is one of the four by construction


def check_value(key: str, value: Any) -> str:
    """*value* as the JSON text that is stored.

    Raises:
        DefinitionError: it is not JSON, or larger than `VALUE_BYTES`.
    """
    try:
        text = jsontext.dumps(value)
    except JsonError as error:
        raise DefinitionError(
            "call.state", repr(key), f"{error}.", mend="store JSON values: null, booleans, numbers, text, lists, objects."
        ) from error
    if len(text.encode()) > VALUE_BYTES:
        raise DefinitionError(
            "call.state",
            repr(key),
            f"the value has more than {VALUE_BYTES} bytes.",
            mend="keep large data in your database and its id here.",
        )
    return text


def _bad_key(key: object, problem: str) -> DefinitionError:
    return DefinitionError(
        "call.state", "key", f"{key!r} is no key: {problem}", mend="write 'name', 'user:name', 'app:name' or 'temp:name'."
    )
