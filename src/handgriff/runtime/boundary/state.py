"""`call.state`: what one call reads and writes of the four lifetimes, until its outcome is committed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.call import ABSENT
from handgriff.core.delta import Change, Expect, Value, changed, loaded
from handgriff.core.frozen import freeze
from handgriff.core.jsontext import JsonError
from handgriff.core.schema.declared import Declared
from handgriff.core.scope import Key, Lifetime, Scope, parse_key, scope_id
from handgriff.core.state import Totals
from handgriff.errors import DefinitionError
from handgriff.ports.store import StateReads
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.pad import Pad

_LIFETIMES: Final[tuple[Lifetime, ...]] = ("app", "user", "session", "temp")


@dataclass(frozen=True, slots=True)
class _Stored:
    """A scope of the store, as a source."""

    reads: StateReads
    place: Place
    scope: Scope

    async def values(self, keys: Sequence[str] | None) -> dict[str, Value]:
        return await self.reads.values(self.place.tenant, self.scope, scope_id(self.scope, self.place.user, self.place.session), keys)

    async def totals(self) -> Totals:
        return await self.reads.totals(self.place.tenant, self.scope, scope_id(self.scope, self.place.user, self.place.session))


@dataclass(frozen=True, slots=True)
class _Temporary:
    """The turn's own values, as a source."""

    place: Place

    async def values(self, keys: Sequence[str] | None) -> dict[str, Value]:
        return {key: Value(text, 0) for key, text in self.place.temp.items() if keys is None or key in keys}

    async def totals(self) -> Totals:
        return Totals()


@dataclass(slots=True)
class BoundState:
    """State for real. What the assistant declared of it is checked at every access.

    It is writable while a handler runs that may write. Checks, plans and hooks only read, because nobody would store what they write.
    """

    store: StateReads
    place: Place
    access: Access
    declared: Declared | None = None
    _pads: dict[Lifetime, Pad] = field(default_factory=dict)

    async def get(self, key: str, default: Any = None) -> Any:
        """The value; *default* where the key is absent."""
        pad, name = self._at(key)
        text = await pad.text(name)
        if self.declared is not None:
            return self.declared.read(key, text, default)
        return default if text is None else freeze(loaded(text))

    async def all(self) -> dict[str, Any]:
        """Everything of the four lifetimes, by key with its prefix."""
        found: dict[str, Any] = {}
        for lifetime in _LIFETIMES:
            texts = await self._pad(lifetime).texts()
            found |= {str(Key(lifetime, name)): freeze(loaded(text)) for name, text in texts.items()}
        return found

    async def set(self, key: str, value: Any) -> None:
        """Put a JSON value."""
        pad, name = self._at(key)
        await pad.set(name, self._checked(key, value))

    async def delete(self, key: str) -> None:
        """Remove the key."""
        pad, name = self._at(key)
        await pad.delete(name)

    async def increment(self, key: str, by: int = 1) -> int:
        """Add to a whole number, and answer the sum as this call sees it."""
        pad, name = self._at(key)
        return await pad.increment(name, by)

    async def append(self, key: str, value: Any) -> None:
        """Put *value* at the end of a list."""
        pad, name = self._at(key)
        await pad.append(name, value)

    async def pop(self, key: str, default: Any = None) -> Any:
        """Remove the last item of a list and answer it; *default* where there is none."""
        pad, name = self._at(key)
        return await pad.pop(name, default)

    async def add(self, key: str, value: Any) -> None:
        """`append`, unless the list holds an equal item."""
        pad, name = self._at(key)
        await pad.add(name, value)

    async def remove(self, key: str, value: Any) -> None:
        """Take every equal item out of a list."""
        pad, name = self._at(key)
        await pad.remove(name, value)

    async def compare_and_set(self, key: str, expected: Any, value: Any) -> None:
        """Put *value* where the key holds *expected*, now and when the call's outcome is stored."""
        pad, name = self._at(key)
        held = expected if expected is ABSENT else self._checked(key, expected)
        await pad.compare_and_set(name, text_of("call.state", key, held), self._checked(key, value))

    async def merge(self, key: str, patch: Any) -> None:
        """Merge an object by RFC 7396; null removes a member."""
        pad, name = self._at(key)
        await pad.merge(name, patch)

    def delta(self) -> tuple[Change | Expect, ...]:
        """What is to be stored with the outcome."""
        return tuple(operation for lifetime, pad in self._pads.items() if lifetime != "temp" for operation in pad.delta())

    def keep_temp(self) -> None:
        """Hand what was written for this turn only to the turn's memory: the call has succeeded."""
        temp = self.place.temp
        for operation in self._pads["temp"].delta() if "temp" in self._pads else ():
            if isinstance(operation, Expect):
                continue  # it was compared when it was written, and nobody writes beside a call that writes
            text = changed(operation, temp.get(operation.key))
            if text is None:
                temp.pop(operation.key, None)
            else:
                temp[operation.key] = text

    def forget(self) -> None:
        """Drop what was written: the call has failed."""
        for pad in self._pads.values():
            pad.forget()

    def _at(self, key: str) -> tuple[Pad, str]:
        parsed = parse_key(key)
        if self.declared is not None:
            self.declared.check_key(key)
        return self._pad(parsed.scope), parsed.name

    def _checked(self, key: str, value: Any) -> Any:
        return value if self.declared is None else self.declared.check(key, value)

    def _pad(self, lifetime: Lifetime) -> Pad:
        if lifetime not in self._pads:
            self._pads[lifetime] = self._new_pad(lifetime)
            self.access.pads.append(self._pads[lifetime])
        return self._pads[lifetime]

    def _new_pad(self, lifetime: Lifetime) -> Pad:
        # Operations name a stored scope; those on `temp` are never stored.
        scope: Scope = "session" if lifetime == "temp" else lifetime
        return Pad(
            "call.state",
            scope,
            _Temporary(self.place) if lifetime == "temp" else _Stored(self.store, self.place, scope),
            self.access.limits,
            prefix="" if lifetime == "session" else f"{lifetime}:",
            is_stored=lifetime != "temp",
            may_write=partial(self.access.check_write, lifetime=lifetime),
            has_room=self.access.check_room,
            fits=None if self.declared is None else partial(_fits, self.declared, lifetime),
        )


def text_of(subject: str, key: str, expected: Any) -> str | None:
    """The JSON text of an expected value; None for `ABSENT`.

    Raises:
        DefinitionError: no key can hold it.
    """
    if expected is ABSENT:
        return None
    try:
        return jsontext.dumps(expected)
    except JsonError as error:
        raise DefinitionError(subject, repr(key), f"it can't hold what is expected: {error}.", mend="expect a JSON value.") from error


def _fits(declared: Declared, lifetime: Lifetime, name: str, text: str) -> None:
    # Read as it would be read next, so that nothing is kept which then can't be.
    declared.read(str(Key(lifetime, name)), text, None)
