"""Shortest ways through a configuration graph: by the fewest events, whatever happens by itself in between."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from handgriff.core.machine.graph import Edge, Graph


@dataclass(frozen=True, slots=True)
class Arrival:
    """A configuration, and what a shortest way to it takes."""

    number: int
    way: tuple[str, ...]
    """What happens, in order, as people read it."""
    path: str = ""
    """Where the transition stands that is taken last."""


def arrivals(
    graph: Graph, *, goes_past: Callable[[int], bool] | None = None, takes: Callable[[Edge], bool] | None = None
) -> Iterator[Arrival]:
    """Every configuration that is reached from the beginning, the nearest first.

    The way ends at those which *goes_past* says no to, and is made of edges that *takes* says yes to.
    """
    waiting = deque(Arrival(number, ()) for number in graph.beginnings)
    seen: set[int] = set()
    while waiting:
        arrival = waiting.popleft()
        if arrival.number in seen:
            continue
        seen.add(arrival.number)
        yield arrival
        if goes_past is not None and not goes_past(arrival.number):
            continue
        for edge in graph.edges[arrival.number]:
            if edge.target in seen or (takes is not None and not takes(edge)):
                continue
            if edge.label:
                waiting.append(Arrival(edge.target, (*arrival.way, edge.label), edge.path))
            else:
                waiting.appendleft(Arrival(edge.target, arrival.way, edge.path))


def leading_to(graph: Graph, targets: Iterable[int]) -> frozenset[int]:
    """The configurations from which a way leads to one of *targets*, those themselves included."""
    before: dict[int, list[int]] = {}
    for number, edges in enumerate(graph.edges):
        for edge in edges:
            before.setdefault(edge.target, []).append(number)
    growing = list(dict.fromkeys(targets))
    found = set(growing)
    for number in growing:
        new = [each for each in dict.fromkeys(before.get(number, ())) if each not in found]
        found.update(new)
        growing += new
    return frozenset(found)
