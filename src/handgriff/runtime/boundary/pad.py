"""One place as one call sees it: reads are lazy and stay as they were read, operations wait for the call's outcome.

An operation is tried at once on what the call sees, so that what cannot be kept raises where it is written and not after the effect.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import anyio

from handgriff.core.delta import (
    Add,
    Append,
    Change,
    ChangeRefused,
    Delete,
    Expect,
    Increment,
    Merge,
    Remove,
    Set,
    Value,
    canonical,
    changed,
    items,
    loaded,
    weight,
)
from handgriff.core.frozen import freeze
from handgriff.core.scope import Scope
from handgriff.core.state import StateLimits, Totals, check_value
from handgriff.errors import DefinitionError, Refusal

_LONGEST_STEP: Final = 330
"""Bits of the largest step: about the hundred digits that a stored number may have."""


class Source(Protocol):
    """Where a place's values come from."""

    async def values(self, keys: Sequence[str] | None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        ...

    async def totals(self) -> Totals:
        """How much the place holds."""
        ...


def _allow(*_: object) -> None:
    """Nothing stands against it."""


@dataclass(slots=True)
class Pad:
    """The values of one place with this call's own operations on top. Names are checked by whoever calls."""

    subject: str
    scope: Scope
    source: Source
    limits: StateLimits
    namespace: str = ""
    prefix: str = ""
    """What stands before a key where people read it."""
    is_stored: bool = True
    may_write: Callable[[str], None] = _allow
    """Asked before each operation; it raises where this call may not write."""
    has_room: Callable[[str, int], None] = _allow
    """Asked with the bytes an operation adds to the delta; it raises where the delta has no room for them."""
    fits: Callable[[str, str], None] | None = None
    """Asked with a key and the text it would hold; it raises where that is not what was declared."""
    _read: dict[str, Value | None] = field(default_factory=dict)
    _is_complete: bool = False
    _is_emptied: bool = False
    _totals: Totals | None = None
    _seen: dict[str, str | None] = field(default_factory=dict)
    """What the call sees at the keys it has written."""
    _operations: list[Change | Expect] = field(default_factory=list)
    _one_at_a_time: anyio.Lock = field(default_factory=lambda: anyio.Lock(fast_acquire=True))
    """A handler may gather its operations; each sees what the one before it has made."""

    async def text(self, key: str) -> str | None:
        """The JSON text at *key*; None where it is absent."""
        async with self._one_at_a_time:
            return await self._text(key)

    async def texts(self) -> dict[str, str]:
        """Every text by key."""
        async with self._one_at_a_time:
            return await self._texts()

    async def _texts(self) -> dict[str, str]:
        if not self._is_complete:
            found = await self.source.values(None)
            self._read = {**found, **self._read}
            self._is_complete = True
        seen = {key: self._current(key) for key in {**self._read, **self._seen}}
        return {key: text for key, text in seen.items() if text is not None}

    async def set(self, key: str, value: Any) -> None:
        """Put a JSON value."""
        await self._change(Set(self.scope, key, self._json(key, value), self.namespace))

    async def delete(self, key: str) -> None:
        """Remove the key."""
        await self._change(Delete(self.scope, key, self.namespace))

    async def increment(self, key: str, by: int) -> int:
        """Add, and answer the sum as this call sees it."""
        if isinstance(by, bool) or not isinstance(by, int):
            raise self._wrong(key, f"{by!r} is no whole number.", "count in whole units, money in cents.")
        if by.bit_length() > _LONGEST_STEP:
            raise self._wrong(key, "it can't be incremented by a number that long.", "count in larger units.")
        return int(await self._change(Increment(self.scope, key, by, self.namespace)) or 0)

    async def append(self, key: str, value: Any) -> None:
        """Put *value* at the end of a list."""
        await self._change(Append(self.scope, key, self._json(key, value), self.namespace))

    async def add(self, key: str, value: Any) -> None:
        """`append`, unless the list holds an equal item."""
        await self._change(Add(self.scope, key, self._json(key, value), self.namespace))

    async def remove(self, key: str, value: Any) -> None:
        """Take every equal item out of a list."""
        await self._change(Remove(self.scope, key, self._json(key, value), self.namespace))

    async def merge(self, key: str, patch: Any) -> None:
        """Merge an object by RFC 7396."""
        if not isinstance(patch, dict):
            raise self._wrong(key, f"a merge patch is an object, not {type(patch).__name__}.", "use set for other values.")
        await self._change(Merge(self.scope, key, self._json(key, patch), self.namespace))

    async def pop(self, key: str, default: Any) -> Any:
        """Remove the last item of a list and answer it; *default* where there is none. The list must not change until it is stored."""
        self.may_write(self.prefix + key)
        async with self._one_at_a_time:
            return await self._pop(key, default)

    async def _pop(self, key: str, default: Any) -> Any:
        text = await self._text(key)
        try:
            every = items(key, text) if text is not None else []
        except ChangeRefused as refused:
            raise self._unfit(key, refused) from refused
        if not every:
            return default
        await self._changed(Set(self.scope, key, f"[{','.join(every[:-1])}]", self.namespace), is_guarded=True)
        return freeze(loaded(every[-1]))

    async def compare_and_set(self, key: str, expected: str | None, value: Any) -> None:
        """Put *value* where the key has the JSON text *expected*, None for absent, now and when it is stored.

        Raises:
            Refusal: `conflict`; it is something else already.
        """
        self.may_write(self.prefix + key)
        text = self._json(key, value)
        async with self._one_at_a_time:
            await self._compare_and_set(key, expected, text)

    async def _compare_and_set(self, key: str, expected: str | None, text: str) -> None:
        found = await self._text(key)
        if (found and canonical(found)) != (expected and canonical(expected)):
            raise Refusal("conflict", f"{self.prefix}{key} has changed meanwhile.", next="Read it again and decide anew.")
        await self._changed(Set(self.scope, key, text, self.namespace), is_guarded=True)

    def delta(self) -> tuple[Change | Expect, ...]:
        """What is to be stored."""
        return tuple(self._operations)

    def size(self) -> int:
        """The bytes that the operations carry."""
        return _size(self._operations)

    def forget(self) -> None:
        """Drop what was written."""
        self._operations.clear()
        self._seen.clear()
        self._is_emptied = False

    async def empty(self) -> None:
        """See nothing any more, and drop what was written. What must not have changed until then still must not."""
        async with self._one_at_a_time:
            self._empty()

    def _empty(self) -> None:
        self._operations = [each for each in self._operations if isinstance(each, Expect)]
        self._seen.clear()
        self._is_emptied = True
        self._read = dict.fromkeys(self._read)
        self._is_complete = True
        self._totals = Totals()

    async def _change(self, change: Change) -> str | None:
        async with self._one_at_a_time:
            return await self._changed(change)

    async def _text(self, key: str) -> str | None:
        await self._load(key)
        return self._current(key)

    async def _changed(self, change: Change, *, is_guarded: bool = False) -> str | None:
        self.may_write(self.prefix + change.key)
        await self._load(change.key)
        totals = await self._base()
        before = self._current(change.key)
        try:
            text = changed(change, before)
        except ChangeRefused as refused:
            raise self._unfit(change.key, refused) from refused
        self._check(change.key, text, totals)
        if text is not None and self.fits is not None:
            self.fits(change.key, text)
        operations = self._with(change, is_guarded=is_guarded)
        self.has_room(self.prefix + change.key, _size(operations) - self.size())
        self._operations = operations
        self._seen[change.key] = text
        return text

    def _with(self, change: Change, *, is_guarded: bool) -> list[Change | Expect]:
        kept = self._operations
        if isinstance(change, (Set, Delete)):
            # What was done to this key before makes no difference any more.
            kept = [each for each in kept if isinstance(each, Expect) or each.key != change.key]
        # Guards are looked at before anything else, so behind an emptying there is nothing left to guard.
        if is_guarded and not self._is_emptied and not any(isinstance(each, Expect) and each.key == change.key for each in kept):
            read = self._read.get(change.key)
            return [*kept, Expect(self.scope, change.key, read.version if read else None, self.namespace), change]
        return [*kept, change]

    def _check(self, key: str, text: str | None, totals: Totals) -> None:
        size = len((text or "").encode())
        if size > self.limits.value_bytes:
            raise self._wrong(key, f"the value has more than {self.limits.value_bytes} bytes.", "keep large data in your database.")
        now = self._after(key, text, totals)
        most = self.limits.scratch_bytes if self.scope == "scratch" else self.limits.scope_bytes
        if self.is_stored and now.exceeds(self.limits.keys, most, totals):
            bound = f"{self.limits.keys} keys" if now.keys > self.limits.keys else f"{most} bytes"
            what = "a scratch record" if self.scope == "scratch" else f"the {self.scope} scope"
            raise self._wrong(key, f"{what} may hold {bound}.", "keep data that grows in your database, and its id here.")

    def _after(self, key: str, text: str | None, totals: Totals) -> Totals:
        keys, size = totals.keys, totals.bytes
        for name, seen in {**self._seen, key: text}.items():
            read = self._read.get(name)
            keys += (seen is not None) - (read is not None)
            size += (weight(name, seen) if seen is not None else 0) - (weight(name, read.text) if read else 0)
        return Totals(keys, size)

    async def _load(self, key: str) -> None:
        if key not in self._read and not self._is_complete:
            found = (await self.source.values([key])).get(key)
            self._read.setdefault(key, found)

    async def _base(self) -> Totals:
        if self._totals is None:
            self._totals = await self.source.totals() if self.is_stored else Totals()
        return self._totals

    def _current(self, key: str) -> str | None:
        if key in self._seen:
            return self._seen[key]
        read = self._read.get(key)
        return read.text if read else None

    def _json(self, key: str, value: Any) -> str:
        return check_value(self.subject, self.prefix + key, value, self.limits, is_stored=self.is_stored)

    def _unfit(self, key: str, refused: ChangeRefused) -> DefinitionError:
        return self._wrong(key, refused.problem, "look at what the key holds, or use another one.")

    def _wrong(self, key: str, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self.subject, repr(self.prefix + key), problem, mend=mend)


def _size(operations: Sequence[Change | Expect]) -> int:
    return sum(len(operation.key) + len(getattr(operation, "value", "").encode()) for operation in operations)
