"""What can be said of a machine before it runs: states that are never active, places that nothing leaves, circles, and broken promises."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from handgriff.core.machine.finding import Finding
from handgriff.core.machine.graph import Alike, Graph, alike, graph_of
from handgriff.core.machine.invariants import AlwaysReaches, NeverTogether, OnlyAfter
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.node import Definition, Node
from handgriff.core.machine.proofs import BoundTool, broken
from handgriff.core.machine.routes import Arrival, arrivals, leading_to


def findings(machine: Machine | Definition, tools: Mapping[str, BoundTool] | None = None) -> tuple[Finding, ...]:
    """All that is wrong with *machine*. *tools* are those bound to it, by name, which its invariants may speak of.

    A derived machine is moved by the application, so nothing but its invariants is checked, by the transitions it declares.

    Raises:
        DefinitionError: it has too many configurations.
    """
    if isinstance(machine, Definition):
        return _of_alike(alike(machine))
    found = list(_of_alike(alike(machine.definition))) if machine.is_kept else []
    for invariant in machine.invariants:
        wrong = _of_promise(machine, invariant, tools or {})
        if wrong is not None:
            found.append(wrong)
    return tuple(found)


def _of_promise(machine: Machine, promise: object, tools: Mapping[str, BoundTool]) -> Finding | None:
    if isinstance(promise, (OnlyAfter, NeverTogether, AlwaysReaches)):
        return broken(graph_of(machine.definition), promise, tools)
    return Finding("invariants", f"{promise!r} is no promise.", "give OnlyAfter, NeverTogether or AlwaysReaches.")


@lru_cache(maxsize=256)
def _of_alike(one: Alike) -> tuple[Finding, ...]:
    return tuple(_of_graph(graph_of(one.definition)))


def _of_graph(graph: Graph) -> Iterator[Finding]:
    arrived = list(arrivals(graph))
    yield from _unreachable(graph)
    yield from _endless(graph, arrived)
    yield from _torn(graph, arrived)
    yield from _dead_ends(graph, arrived)


def _unreachable(graph: Graph) -> Iterator[Finding]:
    visited = {place for configuration in graph.configurations for place in configuration.active}
    places = graph.definition.places
    for node in places[1:]:
        if node.kind != "history" and node.place not in visited and node.parent in visited:
            yield Finding(node.where, f"no way leads to {node.path!r}.", "let a transition lead there, or leave it out.")


def _endless(graph: Graph, arrived: list[Arrival]) -> Iterator[Finding]:
    resting = leading_to(graph, (number for number, each in enumerate(graph.configurations) if each.is_rest))
    told: set[int] = set()
    for arrival in arrived:
        if arrival.number in resting:
            continue
        circle, path = _round(graph, arrival)
        if told.isdisjoint(circle):
            problem = f"endless: {_told(arrival)} it never comes to rest, whatever the guards say."
            yield Finding(path, problem, "guard one of the `always` or `onDone` transitions of the circle.")
        told |= circle


def _round(graph: Graph, arrival: Arrival) -> tuple[set[int], str]:
    """Where a macrostep goes from there until it has been there before, and the transition that closes the circle."""
    number, path = arrival.number, arrival.path
    way = {number}
    while graph.edges[number]:
        edge = graph.edges[number][0]
        number, path = edge.target, edge.path
        if number in way:
            break
        way.add(number)
    return way, path


def _torn(graph: Graph, arrived: list[Arrival]) -> Iterator[Finding]:
    told: set[str] = set()
    for arrival in arrived:
        if arrival.number in graph.torn and arrival.path not in told:
            told.add(arrival.path)
            problem = f"{_told(arrival)} states would be active that can't be active together."
            yield Finding(arrival.path, problem, "name the states to enter instead of a history around the state it leaves.")


def _dead_ends(graph: Graph, arrived: list[Arrival]) -> Iterator[Finding]:
    told: set[frozenset[int]] = set()
    for arrival in arrived:
        configuration = graph.configurations[arrival.number]
        active = frozenset(configuration.active)
        if not configuration.is_rest or configuration.is_done or arrival.number in graph.torn or active in told:
            continue
        if all(_comes_back(graph, arrival.number, edge.target) for edge in graph.edges[arrival.number]):
            told.add(active)
            leaf = _leaf(graph, arrival.number)
            problem = f"nothing ever leaves {graph.words(arrival.number)!r}, and it isn't final."
            yield Finding(leaf.where or "states", problem, "give it an event or a delay that leads on, or `type: final`.")


def _comes_back(graph: Graph, number: int, after: int) -> bool:
    """Whether what happens leads nowhere else; where it never comes to rest, something else is wrong."""
    return graph.settled([after]) == (number,)


def _leaf(graph: Graph, number: int) -> Node:
    places = graph.definition.places
    return next((places[place] for place in graph.places(number) if places[place].kind == "atomic"), places[graph.places(number)[-1]])


def _told(arrival: Arrival) -> str:
    return f"with {', '.join(arrival.way)}" if arrival.way else "as soon as it begins"
