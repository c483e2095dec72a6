"""Where a machine stands: a value that is compared, stored and stepped, and never changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self, TypeAlias

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError
from handgriff.core.machine.configuration import places_of, seen_inside, value_of
from handgriff.core.machine.fitting import misfits
from handgriff.core.machine.held import HeldDict, hold
from handgriff.core.machine.node import ActionRef, Definition, StateValue

Status: TypeAlias = Literal["active", "done"]


class SnapshotFault(ValueError):
    """A text that is no snapshot of this machine."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One machine at rest."""

    value: StateValue
    context: Mapping[str, Any]
    """Plain JSON, frozen."""
    history: Mapping[str, tuple[str, ...]]
    """For each history state that has one, the ids of the states that were active."""
    status: Status
    entered: Mapping[str, datetime]
    """When each active state was entered, by its id."""
    elapsed: tuple[str, ...] = ()
    """Delays of active states that are over and have been looked at: a delay's guard has one chance, at its time."""
    output: Any = None
    """What the machine answers once it is done."""

    def to_json(self) -> str:
        """The snapshot as text. The order of the keys in its value means something: a store keeps it as it is."""
        members = {
            "value": self.value,
            "context": self.context,
            "history": self.history,
            "status": self.status,
            "entered": {state: at.isoformat() for state, at in self.entered.items()},
            "elapsed": self.elapsed,
            "output": self.output,
        }
        return jsontext.dumps({name: value for name, value in members.items() if name not in _OPTIONAL or value not in (None, ())})

    @classmethod
    def from_json(cls, text: str | bytes, definition: Definition, *, torn: bool = False) -> Self:
        """The snapshot of *definition* that `to_json` has written. With *torn*, as `next_step` has it.

        Raises:
            SnapshotFault: it is none: not JSON, or states, history and times that this machine can't have, or that contradict each other.
        """
        try:
            members = jsontext.loads(text)
        except JsonError as error:
            raise SnapshotFault(f"it isn't JSON: {error}") from error
        if not isinstance(members, dict):
            raise SnapshotFault("it is no object")
        for problem in misfits(definition, members, torn=torn):
            raise SnapshotFault(problem)
        read: dict[str, Any] = members
        value = hold(read["value"])
        entered = {state: datetime.fromisoformat(at) for state, at in read["entered"].items()}
        if torn:
            value, entered = _whole(definition, value, entered)
        return cls(
            value=value,
            context=hold(read["context"]),
            history=HeldDict({key: tuple(left) for key, left in read["history"].items()}),
            status=read["status"],
            entered=HeldDict(entered),
            elapsed=tuple(read.get("elapsed", ())),
            output=hold(read.get("output")),
        )


def _whole(definition: Definition, value: StateValue, entered: dict[str, datetime]) -> tuple[StateValue, dict[str, datetime]]:
    """Torn states as XState has them once it has read them: what is missing among them is active too."""
    places = definition.places
    value = value_of(places, seen_inside(places, places_of(places, value)))
    latest = max(entered.values())
    return value, {(id_ := places[place].id): entered.get(id_, latest) for place in places_of(places, value)}


@dataclass(frozen=True, slots=True)
class Step:
    """What an event, or time, has come to."""

    snapshot: Snapshot
    """Where the machine stands now; the very one that was given where nothing has changed."""
    actions: tuple[ActionRef, ...] = ()
    """In the order XState performs them. Those with a function have been applied to the context already."""
    changed: bool = False
    """Whether the snapshot is another one than before; a state that was left and entered again makes another one."""


_OPTIONAL = ("elapsed", "output")
