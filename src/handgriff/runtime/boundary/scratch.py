"""`call.scratch("namespace")`: one notebook of the session, read whole, with a deadline that writing moves on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from math import isfinite
from typing import Any, Final, Literal, TypeAlias

from handgriff.core.delta import Clear, Delta, Expect, Renew, Value, loaded, weight
from handgriff.core.frozen import freeze
from handgriff.core.rows import Record
from handgriff.core.scope import parse_namespace, parse_scratch_key
from handgriff.core.state import Totals
from handgriff.errors import DefinitionError
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.pad import Pad
from handgriff.runtime.boundary.state import text_of
from handgriff.runtime.notebooks import Notebooks

TTL: Final = timedelta(hours=24)
"""How long a record lives after a write that does not say (specification 5.4)."""
LONGEST: Final = timedelta(days=3653)
Ttl: TypeAlias = timedelta | float | None


@dataclass(slots=True)
class _Notebook:
    """A record, as a source. It is read once, whole: it is small."""

    notebooks: Notebooks
    place: Place
    access: Access
    namespace: str
    _record: Record | None = None
    _is_read: bool = False

    async def values(self, keys: Sequence[str] | None) -> dict[str, Value]:
        if not self._is_read:
            sweeps = not self.access.holds_store
            self._record = await self.notebooks.record(self.place.tenant, self.place.session, self.namespace, sweeps=sweeps)
            self._is_read = True
        values = self._record.values if self._record else {}
        return {key: value for key, value in values.items() if keys is None or key in keys}

    async def totals(self) -> Totals:
        values = await self.values(None)
        return Totals(len(values), sum(weight(key, value.text) for key, value in values.items()))


@dataclass(slots=True)
class BoundScratch:
    """A scratch record for real."""

    namespace: str
    notebooks: Notebooks
    place: Place
    access: Access
    pad: Pad
    renews: bool = False
    """Whether reads prolong it too."""
    ttl: timedelta = TTL
    """How long it lives after an access that does not say."""
    _is_renewed: bool = False
    _is_cleared: bool = False
    _at: datetime | None = None
    _until: datetime | None = None

    async def get(self, key: str, default: Any = None) -> Any:
        """The value; *default* where the key is absent or the record expired."""
        text = await self.pad.text(parse_scratch_key(key))
        await self._renew()
        return default if text is None else freeze(loaded(text))

    async def all(self) -> dict[str, Any]:
        """Every value by key."""
        texts = await self.pad.texts()
        await self._renew()
        return {key: freeze(loaded(text)) for key, text in texts.items()}

    async def set(self, key: str, value: Any, *, ttl: Ttl = None) -> None:
        """Put a JSON value."""
        lives = self._lives(ttl)
        await self.pad.set(parse_scratch_key(key), value)
        self._move(lives)

    async def delete(self, key: str, *, ttl: Ttl = None) -> None:
        """Remove the key."""
        lives = self._lives(ttl)
        await self.pad.delete(parse_scratch_key(key))
        self._move(lives)

    async def increment(self, key: str, by: int = 1, *, ttl: Ttl = None) -> int:
        """Add to a whole number, and answer the sum as this call sees it."""
        lives = self._lives(ttl)
        total = await self.pad.increment(parse_scratch_key(key), by)
        self._move(lives)
        return total

    async def append(self, key: str, value: Any, *, ttl: Ttl = None) -> None:
        """Put *value* at the end of a list."""
        lives = self._lives(ttl)
        await self.pad.append(parse_scratch_key(key), value)
        self._move(lives)

    async def pop(self, key: str, default: Any = None, *, ttl: Ttl = None) -> Any:
        """Remove the last item of a list and answer it; *default* where there is none."""
        lives = self._lives(ttl)
        item = await self.pad.pop(parse_scratch_key(key), default)
        self._move(lives)
        return item

    async def add(self, key: str, value: Any, *, ttl: Ttl = None) -> None:
        """`append`, unless the list holds an equal item."""
        lives = self._lives(ttl)
        await self.pad.add(parse_scratch_key(key), value)
        self._move(lives)

    async def remove(self, key: str, value: Any, *, ttl: Ttl = None) -> None:
        """Take every equal item out of a list."""
        lives = self._lives(ttl)
        await self.pad.remove(parse_scratch_key(key), value)
        self._move(lives)

    async def compare_and_set(self, key: str, expected: Any, value: Any, *, ttl: Ttl = None) -> None:
        """Put *value* where the key holds *expected*, now and when the call's outcome is stored."""
        lives = self._lives(ttl)
        await self.pad.compare_and_set(parse_scratch_key(key), text_of("call.scratch", key, expected), value)
        self._move(lives)

    async def merge(self, key: str, patch: Any, *, ttl: Ttl = None) -> None:
        """Merge an object by RFC 7396; null removes a member."""
        lives = self._lives(ttl)
        await self.pad.merge(parse_scratch_key(key), patch)
        self._move(lives)

    async def clear(self) -> None:
        """Remove the record. What was popped or compared before must not have changed until then."""
        self.pad.may_write(self.namespace)
        await self.pad.empty()
        self._is_cleared = True

    def delta(self) -> Delta:
        """What is to be stored with the outcome."""
        operations = self.pad.delta()
        guards = tuple(each for each in operations if isinstance(each, Expect))
        changes = tuple(each for each in operations if not isinstance(each, Expect))
        renewed: Delta = (Renew(self.namespace, self._at, self._until),) if operations and self._at and self._until else ()
        cleared: Delta = (Clear(self.namespace),) if self._is_cleared else ()
        return (*renewed, *guards, *cleared, *changes)

    def forget(self) -> None:
        """Drop what was written: the call has failed."""
        self.pad.forget()
        self._is_cleared, self._at, self._until = False, None, None

    def _lives(self, ttl: Ttl) -> timedelta:
        return self.ttl if ttl is None else _checked_ttl(ttl)

    def _move(self, lives: timedelta) -> None:
        now = self.notebooks.clock.now()
        self._at = self._at or now
        self._until = max(self._until or now, now + lives)

    async def _renew(self) -> None:
        # While the call's transaction is open nothing else of it may be committed; then writing prolongs, and reading does not.
        if self.renews and not self._is_renewed and not self.access.holds_store:
            self._is_renewed = True
            until = self.notebooks.clock.now() + self.ttl
            await self.notebooks.renew(self.place.tenant, self.place.session, self.namespace, until=until)


@dataclass(slots=True)
class Scratches:
    """The scratch records that one call has opened."""

    notebooks: Notebooks
    place: Place
    access: Access
    _open: dict[str, BoundScratch] = field(default_factory=dict)

    def open(self, namespace: str, *, renew: Literal["access"] | None = None, ttl: Ttl = None) -> BoundScratch:
        """The record of *namespace*, the same one each time."""
        name = parse_namespace(namespace)
        if renew not in (None, "access"):
            raise DefinitionError("call.scratch", "renew", f"{renew!r} is none.", mend="say 'access', or leave it out.")
        lives = None if ttl is None else _checked_ttl(ttl)
        scratch = self._open.get(name) or self._new(name)
        scratch.ttl = lives or scratch.ttl
        scratch.renews = scratch.renews or renew == "access"
        return scratch

    def delta(self) -> Delta:
        """What is to be stored with the outcome."""
        return tuple(operation for name in sorted(self._open) for operation in self._open[name].delta())

    def forget(self) -> None:
        """Drop what was written: the call has failed."""
        for scratch in self._open.values():
            scratch.forget()

    def _new(self, namespace: str) -> BoundScratch:
        pad = Pad(
            "call.scratch",
            "scratch",
            _Notebook(self.notebooks, self.place, self.access, namespace),
            self.access.limits,
            namespace=namespace,
            may_write=partial(self.access.check_write, lifetime="scratch"),
            has_room=self.access.check_room,
        )
        self.access.pads.append(pad)
        self._open[namespace] = BoundScratch(namespace, self.notebooks, self.place, self.access, pad)
        return self._open[namespace]


def _checked_ttl(ttl: object) -> timedelta:
    """How long a record is to live.

    Raises:
        DefinitionError: it is no time, or no time at all.
    """
    if isinstance(ttl, bool) or not isinstance(ttl, (int, float, timedelta)):
        raise _bad_ttl(f"it is {type(ttl).__name__}.")
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    # Compared first: an integer too long for a float is simply too much.
    if not 0 < seconds <= LONGEST.total_seconds() or not isfinite(seconds):
        raise _bad_ttl(f"{ttl!r} is none: it is more than zero and at most ten years.")
    return timedelta(seconds=seconds) or timedelta(microseconds=1)


def _bad_ttl(problem: str) -> DefinitionError:
    return DefinitionError("call.scratch", "ttl", problem, mend="give a timedelta or seconds, or leave it out for 24 hours.")
