"""The configuration graph of a machine: where its instances may be, and what leads from one such place to another.

Guards may answer either way and context is ignored, so every way an instance may go is in it, and perhaps some that none will. Places
between two microsteps are in it too, so that what is only passed through counts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from handgriff.core import jsontext
from handgriff.core.machine.configuration import inside_of, places_of, value_of
from handgriff.core.machine.exploring import Configuration, Explorer, Remembered
from handgriff.core.machine.node import Definition, Node
from handgriff.core.machine.plain import LIMITS, brief
from handgriff.core.machine.select import candidates
from handgriff.core.machine.snapshot import Snapshot
from handgriff.errors import DefinitionError

MOST: Final = 20_000
"""Configurations of one machine; people draw machines of some dozens."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What may happen at a place, and where it leads."""

    label: str
    """As people read it: `SUBMIT`, `after 1000`, `always`; for a wildcard the descriptor; empty where a macrostep goes on by itself."""
    target: int
    event: str | None = None
    """The event's type, where a call can send it; a wildcard stands for all that it takes and no state takes by name."""
    path: str = field(default="", compare=False)
    """Where the transition stands that is taken."""


@dataclass(frozen=True, slots=True)
class Graph:
    """All configurations of one machine."""

    definition: Definition
    configurations: tuple[Configuration, ...]
    edges: tuple[tuple[Edge, ...], ...]
    """What may happen, by the number of the configuration."""
    beginnings: tuple[int, ...]
    """What the first microstep may come to."""
    torn: frozenset[int]
    """Where a macrostep would leave states active that can't be active together."""
    _rests: dict[tuple[frozenset[int], Remembered, bool], int] = field(repr=False)

    def find(self, snapshot: Snapshot) -> int | None:
        """The number of the configuration of *snapshot*."""
        nodes = self.definition.nodes
        active = frozenset(places_of(self.definition.places, snapshot.value))
        history = sorted((nodes[key].place, tuple(nodes[id_].place for id_ in held)) for key, held in snapshot.history.items())
        return self._rests.get((active, tuple(history), snapshot.status == "done"))

    def rests(self) -> Iterator[int]:
        """The numbers of the configurations at rest."""
        return (number for number in self._rests.values() if number not in self.torn)

    def places(self, number: int) -> tuple[int, ...]:
        """The states that are active in a configuration."""
        return self.configurations[number].active

    def words(self, number: int) -> str:
        """A configuration as people read it."""
        nodes = [self.definition.places[place] for place in self.places(number)]
        return brief(", ".join(node.path for node in nodes if node.is_leaf or not node.regions) or self.definition.id)

    def is_rest(self, number: int) -> bool:
        """Whether an instance may stay there."""
        return self.configurations[number].is_rest and number not in self.torn

    def ids(self, number: int) -> frozenset[str]:
        """Ids of the states that are active in a configuration."""
        return frozenset(self.definition.places[place].id for place in self.configurations[number].active)

    def settled(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """The configurations at rest that macrosteps may come to which are at one of *numbers*."""
        growing = list(dict.fromkeys(numbers))
        found = set(growing)
        for number in growing:
            if not self.configurations[number].is_rest:
                new = dict.fromkeys(edge.target for edge in self.edges[number] if edge.target not in found)
                growing += new
                found |= new.keys()
        return tuple(number for number in growing if self.is_rest(number))

    def takes(self, number: int, event: str) -> bool:
        """Whether a call may send *event* there."""
        sent = self.sent_as(event)
        return any(edge.event == sent for edge in self.edges[number])

    def sent_as(self, event: str) -> str:
        """What stands on the edges of *event*: its type, or the wildcard that takes it where no state does by name."""
        if event in self.definition.events:
            return event
        wildcards = (pair for node in self.definition.places for pair in node.wildcards)
        taking = [name for name, prefix in wildcards if prefix is None or event == prefix or event.startswith(f"{prefix}.")]
        return max(taking, key=len, default=event)


@dataclass(frozen=True, slots=True)
class Alike:
    """A definition, equal to every other that was read from the same config: what their guards and actions do is nothing to a graph."""

    config: str
    with_actions: frozenset[str]
    """Actions with a function, which may change the context."""
    definition: Definition = field(compare=False, repr=False)


@lru_cache(maxsize=256)
def alike(definition: Definition) -> Alike:
    """What *definition* is kept by where something is found out once for all that are alike."""
    return Alike(jsontext.digest(jsontext.dumps(definition.config, limits=LIMITS)), frozenset(definition.actions), definition)


@lru_cache(maxsize=256)
def graph_of(definition: Definition) -> Graph:
    """The graph of *definition*. It is found out once in a process, however often an assistant is built anew.

    Raises:
        DefinitionError: it is too large.
    """
    return replace(_graph_of(alike(definition)), definition=definition)


@lru_cache(maxsize=64)
def _graph_of(one: Alike) -> Graph:
    return grown(one.definition)


def grown(definition: Definition, *, most: int = MOST) -> Graph:
    """The graph of *definition*, if it has no more than *most* configurations.

    Raises:
        DefinitionError: it has more.
    """
    return _Growing(definition, most).grown()


class _Growing:
    """The graph while it is being found."""

    def __init__(self, definition: Definition, most: int) -> None:
        self._definition = definition
        self._most = most
        self._explorer = Explorer(definition)
        self._found: dict[Configuration, int] = {}
        self._waiting: list[Configuration] = []
        self._stored: dict[tuple[int, ...], tuple[int, ...] | None] = {}
        self._torn: set[int] = set()
        self._others = tuple(_others(definition))
        self._named = len(definition.events)
        self._events = (*definition.events, *(event for event, _ in self._others))
        self._index = {event: index for index, event in enumerate(self._events)}
        self._taking: dict[int, frozenset[int]] = {}

    def grown(self) -> Graph:
        """All of it."""
        beginnings = tuple(self._number(each) for each in self._explorer.begin())
        edges: list[tuple[Edge, ...]] = []
        for configuration in self._waiting:
            leading = self._happening(configuration) if configuration.is_rest else self._going_on(configuration)
            edges.append(tuple(dict.fromkeys(leading)))
            if len(self._found) > self._most:
                raise _too_large(self._definition, self._most)
        rests = {(frozenset(each.active), each.history, each.is_done): number for each, number in self._found.items() if each.is_rest}
        return Graph(self._definition, tuple(self._found), tuple(edges), beginnings, frozenset(self._torn), rests)

    def _happening(self, at: Configuration) -> Iterator[Edge]:
        """What may happen to an instance at rest."""
        number = self._found[at]
        if at.is_done or number in self._torn:
            return
        nodes = [self._definition.places[place] for place in at.active]
        happening = sorted(set().union(*(self._events_of(node) for node in nodes)))
        for event in (self._events[index] for index in happening if index < self._named):
            for after in self._explorer.send(at, event):
                yield self._edge(event, after, event)
        for delay in (delay for node in nodes for delay in node.after):
            for after in self._explorer.send(at, delay.event):
                yield self._edge(f"after {delay.milliseconds}", after)
        for event, descriptor in (self._others[index - self._named] for index in happening if index >= self._named):
            for after in self._explorer.send(at, event):
                yield self._edge(descriptor, after, descriptor)
        if any(node.eventless for node in nodes):
            # An event that nothing takes makes them be looked at again, and so does a delay whose guard says no.
            yield self._edge("always", replace(at, looks=True))

    def _events_of(self, node: Node) -> frozenset[int]:
        """What *node* does something on, by index: the events that are named, then one for each wildcard."""
        if node.place not in self._taking:
            named = (self._index[event] for event, taken in node.table.items() if taken and event in self._index)
            # Few states have a wildcard, which may take any of them.
            wild = (index for index, event in enumerate(self._events) if candidates(node, event)) if node.wildcards else ()
            self._taking[node.place] = frozenset((*named, *wild))
        return self._taking[node.place]

    def _going_on(self, at: Configuration) -> Iterator[Edge]:
        return (self._edge("", after) for after in self._explorer.go_on(at))

    def _edge(self, label: str, after: Configuration, event: str | None = None) -> Edge:
        return Edge(label, self._number(after), event, after.path)

    def _number(self, at: Configuration) -> int:
        """Its number; at rest it is what is stored of it, which is its state value."""
        is_torn = False
        if at.is_rest:
            if at.active not in self._stored:
                self._stored[at.active] = self._as_stored(at.active)
            stored = self._stored[at.active]
            is_torn = stored is None
            if stored is not None and stored != at.active:
                at = replace(at, active=stored)
        number = self._found.setdefault(at, len(self._found))
        if number == len(self._waiting):
            self._waiting.append(at)
            if is_torn:
                self._torn.add(number)
        return number

    def _as_stored(self, active: tuple[int, ...]) -> tuple[int, ...] | None:
        places = self._definition.places
        inside = inside_of(places, active)
        return None if inside is None else tuple(places_of(places, value_of(places, inside)))


def _others(definition: Definition) -> Iterable[tuple[str, str]]:
    """For every wildcard a type that it takes and nothing takes by name, and how it reads."""
    for descriptor in dict.fromkeys(descriptor for node in definition.places for descriptor, _ in node.wildcards):
        event = descriptor.replace("*", "?")
        while event in definition.events:
            event += "?"
        yield event, descriptor


def _too_large(definition: Definition, most: int) -> DefinitionError:
    problem = f"it has more than {most} configurations, too many for anything to be proved."
    mend = "make several machines of its parallel states, and bind tools to states of several with at=[…]."
    return DefinitionError(definition.id, "states", problem, mend=mend)
