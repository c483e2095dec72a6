"""The parts of a machine's definition: states, the transitions out of them, guards and actions by name.

The outside knows a state by its id. Inside it is known by its place in document order, its index in `Definition.places`: the states below
it are then the places from its own up to `last`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from handgriff.core.machine.held import NOTHING

Kind: TypeAlias = Literal["atomic", "compound", "parallel", "final", "history"]
"""What a state is; XState's `type`."""

StateValue: TypeAlias = str | Mapping[str, "StateValue"]
"""The active states by key, as XState writes them: `"draft"`, `{"open": "paid"}`, `{"left": {}, "right": {}}`."""

_LEAVES = frozenset({"atomic", "final"})
NO_PARENT = -1
"""The parent of the root."""


@dataclass(frozen=True, slots=True)
class ActionRef:
    """An action by its name: what a definition asks for, and what a step reports as performed."""

    name: str
    params: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What the definition says beside the name; frozen."""
    path: str = field(default="", compare=False)
    """Where in the config it stands."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard by its name."""

    name: str
    params: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What the definition says beside the name; frozen."""
    path: str = field(default="", compare=False)
    """Where in the config it stands."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One transition that may be taken; of several for one event the first whose guard passes is."""

    number: int
    """Its index among all candidates of the machine."""
    source: int
    """The state that it leaves, by place."""
    event: str
    """The descriptor it stands under: an event's type, a wildcard, or empty for `always` and initial transitions."""
    targets: tuple[int, ...] | None
    """The states it enters, by place; None stays where it is."""
    guard: Guard | None
    actions: tuple[ActionRef, ...]
    reenter: bool
    description: str | None
    meta: Any
    path: str
    """Where in the config it stands, such as `states.draft.on.SUBMIT[0]`."""
    route: str | None = None
    """The value that the event's `to` must have: XState's `route`."""

    @property
    def is_forbidding(self) -> bool:
        """Whether it only keeps the event from the states above: it goes nowhere and does nothing."""
        return self.targets is None and not self.actions


@dataclass(frozen=True, slots=True)
class Delay:
    """A transition that time takes."""

    milliseconds: int
    event: str
    """The type of the event that stands for the time being over: `xstate.after.DELAY.STATE_ID`."""
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One state of a machine, the machine itself included."""

    place: int
    """Its index in `Definition.places`: document order."""
    last: int
    """The greatest place below it; its own where it has no states."""
    id: str
    key: str
    path: str
    """The keys from the root down to it, with dots; empty for the root."""
    where: str
    """Where in the config it stands; empty for the root."""
    kind: Kind
    parent: int
    children: tuple[int, ...]
    """All states in it, history states too."""
    regions: tuple[int, ...]
    """The states in it that can be active."""
    histories: tuple[int, ...]
    """The history states in it."""
    breadth: int
    """How many of its states are active when it is."""
    states: Mapping[str, int]
    """Places of its states by their keys."""
    initial: Candidate | None
    """How it is entered by default; for compound states, and parallel ones that name one."""
    history: Literal["shallow", "deep"] | None
    fallback: tuple[int, ...]
    """Where a history state leads as long as there is no history."""
    is_fallback_initial: bool
    """Whether the fallback is the default entry of the state around it, so that its initial actions are performed."""
    on: Mapping[str, tuple[Candidate, ...]]
    """Transitions by event descriptor, as declared under `on`."""
    always: tuple[Candidate, ...]
    after: tuple[Delay, ...]
    on_done: tuple[Candidate, ...]
    entry: tuple[ActionRef, ...]
    exit: tuple[ActionRef, ...]
    tags: tuple[str, ...]
    meta: Any
    description: str | None
    output: Any
    has_output: bool
    """Whether `output` is given: null is an output too."""
    table: Mapping[str, tuple[Candidate, ...]]
    """All that it does on events: `on`, `on_done`, `after` and, for the root, routes."""
    wildcards: tuple[tuple[str, str | None], ...]
    """Descriptors with a star, the longest first, with the prefix an event must have; None takes every event."""
    eventless: tuple[int, ...]
    """Itself and the states around it that have `always`, inside out; for states that can be active without states in them."""
    entering: tuple[ActionRef, ...]
    """`entry` and the start of its delays."""
    leaving: tuple[ActionRef, ...]
    """`exit` and the end of its delays."""

    @property
    def is_leaf(self) -> bool:
        """Whether it is active without a state in it."""
        return self.kind in _LEAVES


@dataclass(frozen=True, slots=True)
class Entry:
    """One state that is entered, with all that it performs then."""

    place: int
    actions: tuple[ActionRef, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """What transitions come to: the states they leave, of those that are active, and the states they enter."""

    first: int
    last: int
    """Of the active states those from place `first` to place `last` are left; none where it is the smaller."""
    entries: tuple[Entry, ...]
    """In document order."""


GuardFunction: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], bool]
"""A pure function of context, event and params, all frozen; the params are empty where the definition gives none."""
ActionFunction: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any] | None]
"""A pure function of context, event and params, all frozen. It returns the next context, or None where it leaves it as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A machine as it was read: a value that any number of snapshots are stepped by."""

    id: str
    places: tuple[Node, ...]
    """The states in document order, the machine itself first."""
    nodes: Mapping[str, Node]
    """The states by their ids, in document order."""
    context: Mapping[str, Any]
    """The context it starts with."""
    version: str | None
    description: str | None
    config: Mapping[str, Any]
    """What it was read from, as JSON that XState reads the same; frozen."""
    guards: Mapping[str, GuardFunction]
    actions: Mapping[str, ActionFunction]
    events: tuple[str, ...]
    """Types of events that a state takes by name, in document order."""
    delays: Mapping[str, tuple[int, int]]
    """For every event that stands for time: its state, by place, and its milliseconds."""
    has_always: bool
    """Whether any state has a transition that needs no event."""
    beginning: Candidate
    """How it is started."""
    moves: tuple[Move | None, ...]
    """For each candidate by its number, what taking it alone comes to; None where that depends on history."""

    @property
    def root(self) -> Node:
        """The machine as a state."""
        return self.places[0]

    def find(self, path: str) -> Node | None:
        """The state named by `#id`, by its path from the root, or by the end of its path where no other ends so."""
        if path.startswith("#"):
            return self.nodes.get(path[1:])
        ends = [node for node in self.places[1:] if node.path == path or node.path.endswith(f".{path}")]
        whole = [node for node in ends if node.path == path]
        found = whole or ends
        return found[0] if len(found) == 1 else None
