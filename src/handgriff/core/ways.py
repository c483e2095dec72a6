"""The way to a tool that is closed: which tools lead from where the machines stand to a place where it is open."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from handgriff.core.contract import Contract
from handgriff.core.gating import Standings, is_at
from handgriff.core.machine.graph import Graph, graph_of
from handgriff.core.machine.machine import Machine
from handgriff.core.standing import Standing

MOST: Final = 20_000
"""Places that are looked at for one way, each where all the machines stand together. It is sought while a call waits for its refusal."""


def path_to(wanted: Contract, standings: Standings, offered: Iterable[Contract], *, most: int = MOST) -> tuple[str, ...]:
    """The shortest sequence of tools, *wanted* the last, that leads to where *wanted* is open; of several the first by name.

    It is made of *offered* tools that are open on the way, moves no machine but those *wanted* is bound to, and supposes that guards let it
    pass. Empty where there is none: no state refuses *wanted*, or only the application moves the machine that does, or nothing leads
    there, or nothing was found at *most* places.
    """
    # Where only arguments say which instance is meant, nothing is known to refuse it.
    known = {machine: standing for machine, standing in standings.items() if standing is not None}
    grounds: dict[Machine, _Ground] = {}
    begin: list[int] = []
    for machine in wanted.machines:
        found = _found(known[machine]) if machine in known else None
        if found is not None:
            grounds[machine], number = found
            begin.append(number)
    beside = {machine: standing for machine, standing in known.items() if machine not in grounds}
    if not all(is_at(at, beside[at.machine]) for at in wanted.at if at.machine in beside):
        return ()
    tools = sorted((tool for tool in offered if _may_move(tool, grounds, beside)), key=lambda each: each.name)
    names = _search(grounds, tuple(begin), tools, wanted, most)
    return (*names, wanted.name) if names else ()


@dataclass(frozen=True, slots=True)
class _Ground:
    """One machine while a way is sought; what it says of a tool at a place is asked once."""

    machine: Machine
    graph: Graph
    _passing: dict[tuple[str, int], bool] = field(default_factory=dict)
    _after: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    def lets_pass(self, tool: Contract, number: int) -> bool:
        """Whether *tool* is open there, as far as this machine has a say."""
        key = (tool.name, number)
        if key not in self._passing:
            active, fires = self.graph.ids(number), tool.fires
            is_there = not any(at.nodes.isdisjoint(active) for at in tool.at if at.machine is self.machine)
            takes = fires is None or fires.machine is not self.machine or self.graph.takes(number, fires.event)
            self._passing[key] = is_there and takes
        return self._passing[key]

    def after(self, tool: Contract, number: int) -> tuple[int, ...]:
        """Where a success of *tool* may lead from there."""
        key, fires = (tool.name, number), tool.fires
        if fires is None:
            return ()
        if key not in self._after:
            sent = self.graph.sent_as(fires.event)
            self._after[key] = self.graph.settled(edge.target for edge in self.graph.edges[number] if edge.event == sent)
        return self._after[key]


@dataclass(frozen=True, slots=True)
class _Way:
    place: tuple[int, ...]
    """By machine, the number of the configuration it would be in."""
    names: tuple[str, ...]


def _found(standing: Standing) -> tuple[_Ground, int] | None:
    """Where a machine begins that tools move; None where the application moves it."""
    if standing.snapshot is None:
        return None
    graph = graph_of(standing.machine.definition)
    number = graph.find(standing.snapshot)
    return None if number is None else (_Ground(standing.machine, graph), number)


def _may_move(tool: Contract, grounds: Mapping[Machine, _Ground], beside: Mapping[Machine, Standing]) -> bool:
    """Whether *tool* moves one of those machines, and none *beside* them closes it or may do so."""
    if tool.fires is None or tool.fires.machine not in grounds:
        return False
    return all(at.machine in grounds or (at.machine in beside and is_at(at, beside[at.machine])) for at in tool.at)


def _search(
    grounds: Mapping[Machine, _Ground], begin: tuple[int, ...], tools: Sequence[Contract], wanted: Contract, most: int
) -> tuple[str, ...]:
    """Breadth first over all machines together, tools by name, so that of the shortest ways the first by name is found."""
    order = {machine: index for index, machine in enumerate(grounds)}
    growing, seen = [_Way(begin, ())], {begin}
    for way in growing:
        if _lets_pass(grounds, wanted, way.place):
            return way.names
        for tool in tools:
            if tool.fires is None or not _lets_pass(grounds, tool, way.place):
                continue
            moves = order[tool.fires.machine]
            for number in grounds[tool.fires.machine].after(tool, way.place[moves]):
                place = (*way.place[:moves], number, *way.place[moves + 1 :])
                if place not in seen:
                    seen.add(place)
                    growing.append(_Way(place, (*way.names, tool.name)))
        if len(seen) > most:
            return ()
    return ()


def _lets_pass(grounds: Mapping[Machine, _Ground], tool: Contract, place: tuple[int, ...]) -> bool:
    return all(ground.lets_pass(tool, number) for ground, number in zip(grounds.values(), place, strict=True))
