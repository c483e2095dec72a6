"""The way to a tool that is closed: which tools lead from where the machines stand to a place where it is open."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from handgriff.core.contract import Contract
from handgriff.core.gating import Standings, is_at
from handgriff.core.machine.graph import Graph, graph_of
from handgriff.core.machine.machine import Machine
from handgriff.core.standing import Standing


def path_to(wanted: Contract, standings: Standings, offered: Iterable[Contract]) -> tuple[str, ...]:
    """The shortest sequence of tools, *wanted* the last, that leads to where *wanted* is open; of several the first by name.

    It is made of *offered* tools that are open on the way, and supposes that guards let them pass. Empty where there is none: no state
    refuses *wanted*, or only the application moves the machine that does, or nothing leads there.
    """
    tools = sorted((each for each in offered if each.fires is not None), key=lambda each: each.name)
    places = {machine: _place_of(standing) for machine, standing in standings.items() if standing is not None}
    names: list[str] = []
    for machine in wanted.machines:
        place = places.get(machine)
        if place is None or place.lets_pass(wanted, machine):
            # Where only arguments say which instance is meant, nothing is known to refuse it.
            continue
        beside = {other: each for other, each in places.items() if other is not machine}
        found = _search(place, machine, [tool for tool in tools if _moves(tool, machine, beside)], wanted)
        if found is None:
            return ()
        names += found.names
        places[machine] = found.place
    return (*names, wanted.name) if names else ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a machine stands, or would."""

    standing: Standing
    graph: Graph | None
    """None where the application moves it."""
    number: int | None

    def lets_pass(self, tool: Contract, machine: Machine) -> bool:
        """Whether *tool* is open here, as far as *machine* has a say."""
        if self.graph is None or self.number is None:
            return all(is_at(at, self.standing) for at in tool.at if at.machine is machine)
        active = self.graph.ids(self.number)
        if any(at.nodes.isdisjoint(active) for at in tool.at if at.machine is machine):
            return False
        fires = tool.fires
        return fires is None or fires.machine is not machine or self.graph.takes(self.number, fires.event)


@dataclass(frozen=True, slots=True)
class _Way:
    place: _Place
    names: tuple[str, ...]


def _place_of(standing: Standing) -> _Place:
    if standing.snapshot is None:
        return _Place(standing, None, None)
    graph = graph_of(standing.machine.definition)
    return _Place(standing, graph, graph.find(standing.snapshot))


def _moves(tool: Contract, machine: Machine, beside: Mapping[Machine, _Place]) -> bool:
    """Whether *tool* moves *machine*, and no other machine closes it or may do so."""
    if tool.fires is None or tool.fires.machine is not machine:
        return False
    others = {at.machine for at in tool.at if at.machine is not machine}
    return all(other in beside and beside[other].lets_pass(tool, other) for other in others)


def _search(begin: _Place, machine: Machine, tools: Sequence[Contract], wanted: Contract) -> _Way | None:
    """Breadth first, tools by name, so that of the shortest ways the first by name is found."""
    if begin.graph is None or begin.number is None:
        return None
    growing, seen = [_Way(begin, ())], {begin.number}
    for way in growing:
        if way.place.lets_pass(wanted, machine):
            return way
        for tool in tools:
            if way.place.lets_pass(tool, machine):
                new = [place for place in _after(way.place, tool) if place.number not in seen]
                seen.update(place.number for place in new if place.number is not None)
                growing += [_Way(place, (*way.names, tool.name)) for place in new]
    return None


def _after(place: _Place, tool: Contract) -> list[_Place]:
    """Where a success of *tool* may lead."""
    graph, number, fires = place.graph, place.number, tool.fires
    if graph is None or number is None or fires is None:
        return []
    sent = graph.sent_as(fires.event)
    targets = [edge.target for edge in graph.edges[number] if edge.event == sent]
    return [replace(place, number=after) for after in graph.settled(targets)]
