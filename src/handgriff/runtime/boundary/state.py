"""State as one call sees it: reads are lazy and stay as they were read; writes wait for the call's outcome."""

from dataclasses import dataclass, field
from typing import Any

from handgriff.core import jsontext
from handgriff.core.state import DELTA_BYTES, Delete, Delta, Key, Operation, Set, check_value, parse_key
from handgriff.errors import DefinitionError
from handgriff.ports.store import StateReads
from handgriff.runtime.boundary.attempt import Place

_ABSENT = None


@dataclass(slots=True)
class BoundState:
    """`call.state`. A value is kept as JSON text, so that what a read returns can't change anything.

    It is writable while a handler runs that may write. Checks, plans and hooks only read, because nobody would store what they write.
    """

    store: StateReads
    place: Place
    is_writable: bool = False
    _read: dict[Key, str | None] = field(default_factory=dict)
    _written: dict[Key, str | None] = field(default_factory=dict)

    async def get(self, key: str, default: Any = None) -> Any:
        """The value, a fresh copy; *default* where the key is absent."""
        text = await self._text(parse_key(key))
        return default if text is _ABSENT else jsontext.loads(text)

    async def set(self, key: str, value: Any) -> None:
        """Put a JSON value."""
        self._write(key, check_value(key, value))

    async def delete(self, key: str) -> None:
        """Remove the key."""
        self._write(key, None)

    def delta(self) -> Delta:
        """What is to be stored with the outcome, in the order of the keys' last writes."""
        return tuple(_operation(key, text) for key, text in self._written.items() if key.scope != "temp")

    def keep_temp(self) -> None:
        """Hand what was written for this turn only to the turn's memory: the call has succeeded."""
        for key, text in self._written.items():
            if key.scope == "temp" and text is None:
                self.place.temp.pop(key.name, None)
            elif key.scope == "temp" and text is not None:
                self.place.temp[key.name] = text

    def forget(self) -> None:
        """Drop what was written: the call has failed."""
        self._written.clear()

    async def _text(self, key: Key) -> str | None:
        if key in self._written:
            return self._written[key]
        if key not in self._read:
            self._read[key] = await self._load(key)
        return self._read[key]

    async def _load(self, key: Key) -> str | None:
        if key.scope == "temp":
            return self.place.temp.get(key.name)
        scope_id = {"app": "", "user": self.place.user, "session": self.place.session}[key.scope]
        found = await self.store.values(self.place.tenant, key.scope, scope_id, [key.name])
        return found[key.name].text if key.name in found else None

    def _write(self, name: str, text: str | None) -> None:
        key = parse_key(name)
        if not self.is_writable:
            raise DefinitionError(
                "call.state",
                repr(name),
                "this place may only read.",
                mend="write in the handler of a tool that writes, or give the read writes='state'.",
            )
        if key.scope == "app":
            raise DefinitionError(
                "call.state", repr(name), "tools may not write what the whole tenant shares.", mend="use a session or user key."
            )
        written = {other: kept for other, kept in self._written.items() if other != key} | {key: text}
        if sum(len((value or "").encode()) for value in written.values()) > DELTA_BYTES:
            raise DefinitionError(
                "call.state", repr(name), f"this call writes more than {DELTA_BYTES} bytes.", mend="keep large data in your database."
            )
        self._written = written


def _operation(key: Key, text: str | None) -> Operation:
    scope = key.scope
    if scope == "temp":
        raise AssertionError("temporary keys are never stored")
    return Delete(scope, key.name) if text is None else Set(scope, key.name, text)
