"""Where one instance of a machine stands: its active states, and how they read. Of a kept one the snapshot says it, of a derived one the
application."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

from handgriff.core.machine.configuration import around, completed, places_of
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.node import Node
from handgriff.core.machine.snapshot import Snapshot
from handgriff.core.machine.together import may_be_together
from handgriff.errors import DefinitionError


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one instance of a machine is."""

    machine: Machine
    active: frozenset[str]
    """Ids of the active states."""
    words: str
    """The state as people read it."""
    snapshot: Snapshot | None = None
    """None for a derived machine."""

    @property
    def is_over(self) -> bool:
        """Whether a kept instance has come to its end."""
        return self.snapshot is not None and self.snapshot.status == "done"


def stands(machine: Machine, snapshot: Snapshot) -> Standing:
    """Where a kept instance stands."""
    places = machine.definition.places
    active = frozenset(places[place].id for place in places_of(places, snapshot.value))
    return Standing(machine, active, state_words(snapshot.value), snapshot)


def derived(machine: Machine, answer: object) -> Standing:
    """Where the application says that a derived machine is: a state's key, dotted path or `#id`, or an enum of those. A state with states
    in it stands for where it begins; several states at once are given as a list.

    Raises:
        DefinitionError: the answer is no state of the machine, or several that can't be active together.
    """
    places = machine.definition.places
    named = [_named(machine, each) for each in (answer if isinstance(answer, (list, tuple, set, frozenset)) else (answer,))]
    if not named:
        raise DefinitionError(
            machine.id, "state_of", "it answered no state.", mend="answer one, or None where there is nothing to be in one."
        )
    for one, other in combinations(named, 2):
        if not may_be_together(places, one.place, other.place):
            problem = f"it answered {one.path!r} and {other.path!r}, which can't be active together."
            raise DefinitionError(machine.id, "state_of", problem, mend="answer one of them; only parallel regions have a state each.")
    active = completed(places, [place for node in named for place in (*around(places, node.place), node.place)])
    return Standing(machine, frozenset(places[place].id for place in active), ", ".join(node.path for node in named))


def _named(machine: Machine, said: object) -> Node:
    path = said.value if isinstance(said, Enum) else said
    node = machine.definition.find(path) if isinstance(path, str) else None
    if node is None or node.kind == "history":
        known = ", ".join(repr(each.path) for each in machine.definition.places[1:])
        raise DefinitionError(machine.id, "state_of", f"it answered {path!r}, which is no state.", mend=f"answer one of {known}.")
    return node


def state_words(value: object) -> str:
    """A state value as people read it: `draft`, `payment.open`, and with parallel regions `payment.open, delivery.packed`."""
    return ", ".join(_leaves(value)) or "unknown"


def _leaves(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Mapping):
        return []
    return [path for key, inside in value.items() for path in ([f"{key}.{leaf}" for leaf in _leaves(inside)] or [str(key)])]
