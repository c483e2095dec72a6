"""State keys: which lifetime a key has, and its name in that lifetime (specification 5.1)."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from handgriff.errors import DefinitionError

Scope: TypeAlias = Literal["app", "user", "session", "scratch"]
"""What is stored. `temp` is a lifetime too, and lives in the memory of its turn alone."""
Lifetime: TypeAlias = Literal["app", "user", "session", "temp"]

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,256}")
_NAMESPACE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PREFIXES = ("app", "user", "temp")


@dataclass(frozen=True, slots=True)
class Key:
    """A parsed key: its lifetime and its name in that lifetime."""

    scope: Lifetime
    name: str

    def __str__(self) -> str:
        return self.name if self.scope == "session" else f"{self.scope}:{self.name}"


def parse_key(key: object) -> Key:
    """*key* by the grammar: an optional `app:`, `user:` or `temp:` and a name.

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
    if name.startswith(":") or _has_prefix(name):
        raise _bad_key(key, "a prefix stands once, in small letters, at the beginning.")
    return Key(scope, name)  # type: ignore[arg-type]  # scope is one of the four by construction


def parse_scratch_key(key: object) -> str:
    """*key* of a scratch record, which has a name and no prefix.

    Raises:
        DefinitionError: it is none.
    """
    if not isinstance(key, str) or not _NAME.fullmatch(key) or key.startswith(":") or _has_prefix(key):
        raise DefinitionError(
            "call.scratch",
            "key",
            f"{key!r} is no key: a name is 1 to 256 letters, digits and _ . : - of ASCII, without a prefix.",
            mend="write 'name'; the namespace says where it lives.",
        )
    return key


def parse_namespace(namespace: object) -> str:
    """The name of a scratch record.

    Raises:
        DefinitionError: it is none.
    """
    if not isinstance(namespace, str) or not _NAMESPACE.fullmatch(namespace):
        raise DefinitionError(
            "call.scratch",
            "namespace",
            f"{namespace!r} is none: it is 1 to 64 letters, digits, _ and - of ASCII.",
            mend="name it after the work it belongs to, such as 'relabeling'.",
        )
    return namespace


def scope_id(scope: Scope, user: str, session: str) -> str:
    """Whose the values of *scope* are: nobody's in particular, the user's, or the session's."""
    return {"app": "", "user": user, "session": session, "scratch": session}[scope]


def _has_prefix(name: str) -> bool:
    head, colon, _ = name.partition(":")
    return bool(colon) and head.lower() in _PREFIXES


def _bad_key(key: object, problem: str) -> DefinitionError:
    return DefinitionError(
        "call.state", "key", f"{key!r} is no key: {problem}", mend="write 'name', 'user:name', 'app:name' or 'temp:name'."
    )
