"""One machine stepped through its events, stored as JSON and read again before each of them, and compared with what XState answered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from handgriff.core.machine.interpret import next_step, start
from handgriff.core.machine.node import ActionRef, Definition
from handgriff.core.machine.reading import read
from handgriff.core.machine.snapshot import Snapshot, SnapshotFault, Step
from handgriff.errors import DefinitionError
from handgriff.testing.xstate.vectors import COMPARED, Vector

_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)


def _flag(name: str) -> Any:
    return lambda _context, event, _params: bool(event.get("flags", {}).get(name))


def _at_least(_context: Mapping[str, Any], event: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
    return bool(event.get("n", -1) >= params["min"])


GUARDS: Final = {"g0": _flag("g0"), "g1": _flag("g1"), "g2": _flag("g2"), "gp": _at_least}
"""The guards that the recorded machines name."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a machine does something else than XState did."""

    machine: int
    step: int
    """0 is the start."""
    event: str
    what: str
    expected: object
    got: object

    def __str__(self) -> str:
        return f"machine {self.machine}, step {self.step} ({self.event}), {self.what}:\n  expected {self.expected}\n  got      {self.got}"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay has found."""

    difference: Difference | None
    is_torn: bool
    """Whether XState left states active that can't be active together, as it does where a transition from inside a parallel state leads
    to its history. The replay keeps them too; outside of it that is an error."""


def replayed(vector: Vector) -> Replayed:
    """Replay one machine."""
    replay = _Replay(vector)
    return Replayed(next(replay.differences(), None), replay.is_torn)


class _Replay:
    def __init__(self, vector: Vector) -> None:
        self.is_torn = False
        self._vector = vector
        self._step = 0

    def differences(self) -> Iterator[Difference]:
        """Every difference; what follows the first one means little."""
        try:
            definition = read(self._vector.config, GUARDS, {})
        except DefinitionError as error:
            yield self._differs("config", "a machine", f"refused: {error}")
            return
        last: Snapshot | None = None
        for wanted in self._vector.steps:
            try:
                last = self._stepped(definition, last, wanted)
            except _Stop as stop:
                yield stop.difference
                return
            self._step += 1
        yield from self._end(definition, last)

    def _stepped(self, definition: Definition, last: Snapshot | None, wanted: Mapping[str, Any]) -> Snapshot:
        try:
            step = self._next(definition, last)
        except DefinitionError as error:
            raise _Stop(self._differs("outcome", "a step", f"an error: {error}")) from error
        got = {
            "value": step.snapshot.value,
            "status": step.snapshot.status,
            "history": {state: list(left) for state, left in step.snapshot.history.items()},
            "actions": [_recorded(action) for action in step.actions],
        }
        for what in COMPARED:
            if got[what] != wanted[what]:
                raise _Stop(self._differs(what, wanted[what], got[what]))
        return self._restored(step.snapshot, definition)

    def _end(self, definition: Definition, last: Snapshot | None) -> Iterator[Difference]:
        """What comes after the last recorded step: nothing, or no end on both sides."""
        if not self._vector.is_endless:
            if last is not None and last.status == "active" and self._step <= len(self._vector.events):
                yield self._differs("outcome", "the end", "still active")
            return
        try:
            step = self._next(definition, last)
        except DefinitionError as error:
            if "endless" not in str(error):
                yield self._differs("outcome", "no end", f"an error: {error}")
        else:
            yield self._differs("outcome", "no end", step.snapshot.value)

    def _next(self, definition: Definition, last: Snapshot | None) -> Step:
        if last is None:
            return start(definition, _AT, torn=True)
        return next_step(definition, last, self._vector.events[self._step - 1], _AT, torn=True)

    def _restored(self, snapshot: Snapshot, definition: Definition) -> Snapshot:
        what, text = "snapshot read from JSON", snapshot.to_json()
        try:
            restored = Snapshot.from_json(text, definition)
        except SnapshotFault:
            self.is_torn = True
        else:
            if restored == snapshot:
                return restored
            raise _Stop(self._differs(what, snapshot, restored))
        try:
            return Snapshot.from_json(text, definition, torn=True)
        except SnapshotFault as fault:
            raise _Stop(self._differs(what, snapshot, fault)) from fault

    def _differs(self, what: str, expected: object, got: object) -> Difference:
        event = self._vector.events[self._step - 1]["type"] if 0 < self._step <= len(self._vector.events) else "start"
        return Difference(self._vector.number, self._step, str(event), what, expected, got)


class _Stop(Exception):
    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def _recorded(action: ActionRef) -> object:
    """An action as the recorded answers write it."""
    match action.name:
        case "xstate.raise":
            return {"type": action.name, "event": action.params["event"]["type"], "delay": action.params["delay"]}
        case "xstate.cancel":
            return {"type": action.name, "sendId": action.params["sendId"]}
        case _:
            return action.name
