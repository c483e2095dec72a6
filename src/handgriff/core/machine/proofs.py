"""Proofs of what an author promises of a machine, over its configuration graph. What breaks a promise is told as the shortest way there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias, assert_never

from handgriff.core.machine.finding import Finding
from handgriff.core.machine.graph import Edge, Graph
from handgriff.core.machine.invariants import AlwaysReaches, Invariant, NeverTogether, OnlyAfter
from handgriff.core.machine.node import Node
from handgriff.core.machine.plain import nearest
from handgriff.core.machine.routes import arrivals, leading_to


@dataclass(frozen=True, slots=True)
class BoundTool:
    """What of a tool's binding concerns one machine."""

    at: tuple[frozenset[str], ...]
    """Ids of states, of each of which one must be active."""
    event: str | None
    """The event that its success sends."""

    def is_open(self, graph: Graph, number: int) -> bool:
        """Whether it may be called in a configuration."""
        ids = graph.ids(number)
        is_at = all(not nodes.isdisjoint(ids) for nodes in self.at)
        return is_at and graph.is_rest(number) and (self.event is None or graph.takes(number, self.event))


@dataclass(frozen=True, slots=True)
class _State:
    place: int


@dataclass(frozen=True, slots=True)
class _Event:
    type: str


_Named: TypeAlias = _State | _Event | BoundTool


def broken(graph: Graph, invariant: Invariant, tools: Mapping[str, BoundTool]) -> Finding | None:
    """What breaks *invariant*; None where it is proved. *tools* are those that are bound to the machine, by name."""
    names = _Names(graph, tools)
    try:
        match invariant:
            case OnlyAfter(later=later, earlier=earlier):
                problem = _only_after(graph, names, later, earlier)
            case NeverTogether(states=states):
                problem = _never_together(graph, names, states)
            case AlwaysReaches(state=state):
                problem = _always_reaches(graph, names, state)
            case _:
                assert_never(invariant)
    except _Meaningless as meaningless:
        return Finding(_where(invariant), meaningless.problem, meaningless.mend)
    return None if problem is None else Finding(_where(invariant), problem, "change what leads there, or what is promised.")


def _only_after(graph: Graph, names: "_Names", later: str, earlier: str) -> str | None:
    last, first = names.any(later), names.any(earlier)
    if isinstance(first, BoundTool):
        if first.event is None:
            raise _Meaningless(
                f"the tool {earlier!r} sends no event, so that nothing tells that it has been called.", "name an event or a state."
            )
        first = _Event(first.event)

    def has_happened(number: int) -> bool:
        return isinstance(first, _State) and first.place in graph.places(number)

    def goes_on(edge: Edge) -> bool:
        # An edge of a wildcard stands for other events too, so it may well be gone without this one.
        return not (isinstance(first, _Event) and edge.event == first.type)

    for arrival in arrivals(graph, goes_past=lambda number: not has_happened(number), takes=goes_on):
        if has_happened(arrival.number):
            continue
        way = arrival.way
        match last:
            case _State(place=place):
                is_broken = place in graph.places(arrival.number) and arrival.number not in graph.torn
            case BoundTool():
                is_broken = last.is_open(graph, arrival.number)
            case _Event(type=event):
                is_broken = graph.takes(arrival.number, event)
                way = (*way, event)
        if is_broken:
            return f"{_told(way)} {later!r} comes without {earlier!r} before it."
    return None


def _never_together(graph: Graph, names: "_Names", states: tuple[str, ...]) -> str | None:
    places = {state: names.state(state) for state in states}
    if len(set(places.values())) < 2:  # noqa: PLR2004  # one alone is together with nothing
        raise _Meaningless("it takes two states to be together.", "name two or more.")
    for arrival in arrivals(graph):
        active = graph.places(arrival.number)
        for one, other in combinations(places, 2):
            if places[one] in active and places[other] in active and arrival.number not in graph.torn:
                return f"{_told(arrival.way)} {one!r} and {other!r} are active together."
    return None


def _always_reaches(graph: Graph, names: "_Names", state: str) -> str | None:
    place = names.state(state)
    reaching = [number for number in range(len(graph.configurations)) if place in graph.places(number) and number not in graph.torn]
    can = leading_to(graph, reaching)
    for arrival in arrivals(graph):
        if arrival.number not in can and arrival.number not in graph.torn:
            return f"{_told(arrival.way)} it is in {graph.words(arrival.number)!r}, from where no way leads to {state!r}."
    return None


class _Meaningless(Exception):
    """A promise that names nothing there is, or too much."""

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.mend = mend


class _Names:
    """What names in a promise stand for."""

    def __init__(self, graph: Graph, tools: Mapping[str, BoundTool]) -> None:
        self._graph = graph
        self._tools = tools

    def any(self, name: str) -> _Named:
        """A state, an event or a tool."""
        definition, node = self._graph.definition, self._find(name)
        found: dict[str, _Named] = {}
        if node is not None:
            found["a state"] = _active(node)
        if name in definition.events or any(name == tool.event for tool in self._tools.values()):
            found["an event"] = _Event(name)
        if name in self._tools:
            found["a tool"] = self._tools[name]
        if not found:
            known = [*definition.events, *(each.path for each in definition.places[1:]), *self._tools]
            raise _Meaningless(f"{name!r} is no state, no event and no bound tool.", _nearest(name, known, "they are"))
        if len(found) > 1:
            problem = f"{name!r} is {' and '.join(found)}, so that nobody knows which is meant."
            mend = f"rename one of them, or write the state as '#{node.id}'." if node is not None else "rename one of them."
            raise _Meaningless(problem, mend)
        return next(iter(found.values()))

    def state(self, name: str) -> int:
        """A state, by its place."""
        node = self._find(name)
        if node is None:
            known = [each.path for each in self._graph.definition.places[1:]]
            raise _Meaningless(f"{name!r} is no state.", _nearest(name, known, "states are"))
        return _active(node).place

    def _find(self, name: object) -> Node | None:
        return self._graph.definition.find(name) if isinstance(name, str) else None


def _active(node: Node) -> _State:
    if node.kind == "history":
        raise _Meaningless(f"{node.path!r} is a history, which is never active.", "name the state it leads to.")
    return _State(node.place)


def _nearest(name: object, known: Iterable[str], are: str) -> str:
    every = list(known)
    near = nearest(name, every)
    return f"did you mean {near!r}?" if near else f"{are} {', '.join(map(repr, every)) or 'none'}."


def _told(way: tuple[str, ...]) -> str:
    return f"it doesn't hold: with {', '.join(way)}," if way else "it doesn't hold: from the beginning"


def _where(invariant: Invariant) -> str:
    return f"invariants: {invariant!r}"
