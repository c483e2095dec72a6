"""A config as plain JSON that XState reads the same: Python's conveniences are written out, what no JSON holds is refused by its path."""

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError, JsonLimits
from handgriff.errors import DefinitionError

LIMITS: Final = JsonLimits(depth=160, size=4 * 2**20, members=200_000)
"""What one config may hold: states 32 levels deep take two levels of JSON each, and their transitions and params a few more."""
_PLAIN_KEY = re.compile(r"[\w-]+")
_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_ARRAY_INDEX = 2**32 - 2
_LONGEST = 40
_FEW = 3
_NAMED = 12
_BRIEF = 200
_LONG_PATH, _HEAD, _TAIL = 160, 50, 80
"""Characters of a path that is told whole, and of the beginning and the end of a longer one."""
_COMPARABLE = 200
"""Characters of a name that is looked for among others; more take long, and are no slip of the pen."""


def plain(config: object, machine: str) -> dict[str, Any]:
    """*config* as JSON: tuples are lists, and numbers of milliseconds are texts.

    Raises:
        DefinitionError: it holds something that isn't JSON, a function above all, or too much.
    """
    if not isinstance(config, Mapping):
        raise DefinitionError(machine, "config", f"it is {_kind(config)}, not an object.", mend="give a dict in the shape of XState v5.")
    read = _Copying(machine).members(config, "", 0)
    try:
        jsontext.admit(read, limits=LIMITS)
    except JsonError as error:
        raise DefinitionError(
            machine, "config", f"it isn't JSON: {error}.", mend="give text, numbers, true, false, lists and objects."
        ) from error
    return read


def member(path: str, key: str) -> str:
    """The path of *key* in what is at *path*."""
    if len(key) > _LONGEST:
        key = key[:_LONGEST] + "…"
    if _PLAIN_KEY.fullmatch(key):
        return _shortened(f"{path}.{key}" if path else key)
    return _shortened(f"{path}[{jsontext.dumps(jsontext.clean(key))}]")


def _shortened(path: str) -> str:
    """A path without its middle where it is long: of states in states the outermost and the innermost are found by it."""
    if len(path) <= _LONG_PATH:
        return path
    # It is made member by member, so it may have been shortened before.
    head, was_long, _ = path[:_HEAD].partition(".….")
    head, tail = head if was_long else head.rpartition(".")[0] or head, path[-_TAIL:]
    return f"{head}.….{tail.partition('.')[2] or tail}"


def shown(value: object) -> str:
    """*value* as a message shows it, shortened: a stranger may have written it."""
    text = repr(value) if not isinstance(value, (dict, list)) or len(value) <= _FEW else f"a {type(value).__name__}"
    return jsontext.clean(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")


def in_order(mapping: Mapping[str, Any]) -> list[str]:
    """The keys of an object in the order in which JavaScript has them: whole numbers first, the smallest first."""
    indices = [key for key in mapping if is_index(key)]
    if not indices:
        return list(mapping)
    first = set(indices)
    return sorted(indices, key=int) + [key for key in mapping if key not in first]


def is_index(key: str) -> bool:
    """Whether JavaScript takes *key* for a number, and puts it before those that are none."""
    return _ARRAY_INDEX.fullmatch(key) is not None and int(key) <= _MAX_ARRAY_INDEX


def brief(text: str) -> str:
    """*text* of an author's as a line of a message shows it: one of thousands of characters is visibly shortened."""
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}…"


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The one of *known* that was probably meant: the same but for capitals, else much alike."""
    if not isinstance(name, str) or len(name) > _COMPARABLE:
        return None
    names = list(known)
    same = [each for each in names if each.casefold() == name.casefold()]
    return next(iter(same or get_close_matches(name, names, n=1)), None)


def near(name: str, known: Mapping[str, Any] | tuple[str, ...] | list[str]) -> str:
    """What to do about a name that is none of *known*."""
    names = list(known)
    close = nearest(name, names)
    if close is not None:
        return f"did you mean {shown(close)}?"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"it is one of {', '.join(map(shown, names[:_NAMED]))}{more}." if names else "there is none."


class _Copying:
    """One walk through a config."""

    def __init__(self, machine: str) -> None:
        self._machine = machine
        self._held = 0

    def members(self, value: Mapping[Any, object], path: str, depth: int) -> dict[str, Any]:
        self._count(len(value))
        copy: dict[str, Any] = {}
        for given, item in value.items():
            key = self._key(given, path)
            if key in copy:
                raise self._wrong(path, f"{shown(key)} is there twice, as a number and as a text.", "keep one of them.")
            copy[key] = self.copied(item, member(path, key), depth + 1)
        return copy

    def copied(self, value: object, path: str, depth: int) -> Any:
        if depth > LIMITS.depth:
            raise self._wrong(path, f"it is nested more than {LIMITS.depth} levels deep.", "make it flatter.")
        match value:
            case None | bool() | int():
                return value
            case float():
                if not math.isfinite(value):
                    raise self._wrong(path, "NaN and infinities aren't JSON.", "give a number.")
                return value
            case str():
                return self._text(value, path)
            case Mapping():
                return self.members(value, path, depth)
            case list() | tuple():
                self._count(len(value))
                return [self.copied(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
            case _ if callable(value):
                raise self._wrong(path, "a function can't be stored or compared.", "name it here, and give it in guards= or actions=.")
            case _:
                raise self._wrong(path, f"it is {_kind(value)}, which isn't JSON.", "give text, numbers, true, false, lists and objects.")

    def _key(self, key: object, path: str) -> str:
        if isinstance(key, str):
            return self._text(key, path)
        if isinstance(key, int) and not isinstance(key, bool) and path.endswith("after"):
            return str(key)
        raise self._wrong(path, f"a key is {_kind(key)}, not a text.", "write it as a text.")

    def _text(self, text: str, path: str) -> str:
        if not jsontext.is_clean(text):
            raise self._wrong(path, "it holds half of a character (a lone surrogate).", "write the whole character.")
        return str.__str__(text)

    def _count(self, members: int) -> None:
        self._held += members
        if self._held > LIMITS.members:
            raise self._wrong("config", f"it holds more than {LIMITS.members} properties and items.", "make several machines of it.")

    def _wrong(self, path: str, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self._machine, path or "config", problem, mend=mend)


def _kind(value: object) -> str:
    return "a function" if callable(value) else f"a {type(value).__name__}"
