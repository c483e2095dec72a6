"""What a picture of a machine shows: its states with the tools bound to them, and arrows with what has to happen.

Above are the notations; none of them reads a definition itself, so both show the same.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from handgriff.core import jsontext
from handgriff.core.machine.machine import At, Fires, Machine
from handgriff.core.machine.node import Candidate, Definition, Kind, Node
from handgriff.core.machine.select import candidates


class Bound(Protocol):
    """What a picture reads of a tool's contract."""

    @property
    def name(self) -> str: ...  # noqa: D102  # see Contract
    @property
    def at(self) -> tuple[At, ...]: ...  # noqa: D102
    @property
    def fires(self) -> Fires | None: ...  # noqa: D102
    @property
    def starts(self) -> Machine | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Drawn:
    """One state."""

    place: int
    name: str
    kind: Kind
    is_deep: bool
    """Of a history: whether it remembers all states below."""
    parent: int
    children: tuple[int, ...]
    tools: tuple[str, ...]
    """What may be called there, a line each."""
    is_present: bool
    """Whether an instance is in it, and in no state of it."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """What leads from one state to another, or back to itself."""

    source: int
    target: int
    labels: tuple[str, ...]
    """What has to happen, a line for each possibility; none where a state is entered by default."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One machine."""

    title: str
    states: tuple[Drawn, ...]
    """By place; the machine itself first."""
    arrows: tuple[Arrow, ...]
    beginnings: tuple[Arrow, ...]
    """From a state that has states to the one it begins in."""


def picture_of(machine: Machine, contracts: Iterable[Bound], present: frozenset[str] | None) -> Picture:
    """The picture of *machine*, with the tools of *contracts* and, where an instance stands somewhere, the ids of its active states."""
    definition = machine.definition
    bound = tuple(contracts)
    states = tuple(_drawn(machine, node, bound, present or frozenset()) for node in definition.places)
    return Picture(machine.id, states, _arrows(definition), _beginnings(definition))


def _drawn(machine: Machine, node: Node, contracts: Iterable[Bound], present: frozenset[str]) -> Drawn:
    places = machine.definition.places
    return Drawn(
        place=node.place,
        name=node.key if node.place else machine.id,
        kind=node.kind,
        is_deep=node.history == "deep",
        parent=node.parent,
        children=node.children,
        tools=tuple(line for contract in contracts for line in _tool(machine, node, contract)),
        is_present=node.id in present and not any(places[child].id in present for child in node.children),
    )


def _tool(machine: Machine, node: Node, contract: Bound) -> Iterator[str]:
    """The line of a tool on a state that it is bound to; without states it stands wherever its event is taken."""
    own = [at for at in contract.at if at.machine is machine]
    event = contract.fires.event if contract.fires is not None and contract.fires.machine is machine else None
    is_there = any(node.id in at.nodes for at in own)
    if not own and event is not None:
        is_there = any(not candidate.is_forbidding for candidate in candidates(node, event))
    if is_there:
        beside = [f"{at.machine.id} {' or '.join(at.words)}" for at in contract.at if at.machine is not machine or node.id not in at.nodes]
        also = f" (and {', '.join(beside)})" if beside else ""
        yield f"{contract.name}{also}" if event is None else f"{contract.name}{also}: {event}"
    if contract.starts is machine and not node.place:
        yield f"{contract.name} begins one"


def _arrows(definition: Definition) -> tuple[Arrow, ...]:
    labels: dict[tuple[int, int], list[str]] = {}
    for node in definition.places:
        for label, candidate in _ways(node):
            targets = candidate.targets if candidate.targets is not None else () if candidate.is_forbidding else (node.place,)
            for target in targets:
                labels.setdefault((node.place, target), []).append(label)
    for node in definition.places:
        if node.kind == "history" and not node.is_fallback_initial:
            for target in node.fallback:
                if target != node.parent:
                    labels.setdefault((node.place, target), [])
    return tuple(Arrow(source, target, tuple(dict.fromkeys(lines))) for (source, target), lines in labels.items())


def _beginnings(definition: Definition) -> tuple[Arrow, ...]:
    return tuple(
        Arrow(node.place, target, ())
        for node in definition.places
        if node.kind == "compound" and node.initial is not None
        for target in node.initial.targets or ()
    )


def _ways(node: Node) -> Iterator[tuple[str, Candidate]]:
    for event, taken in node.on.items():
        yield from ((_label(event, candidate), candidate) for candidate in taken)
    for delay in node.after:
        yield from ((_label(f"after {_time(delay.milliseconds)}", candidate), candidate) for candidate in delay.candidates)
    yield from ((_label("always", candidate), candidate) for candidate in node.always)
    yield from ((_label("done", candidate), candidate) for candidate in node.on_done)


def _label(event: str, candidate: Candidate) -> str:
    guard = candidate.guard
    if guard is None:
        return event
    params = ", ".join(f"{name}={jsontext.dumps(value)}" for name, value in guard.params.items())
    return f"{event} [{guard.name}({params})]" if params else f"{event} [{guard.name}]"


def _time(milliseconds: int) -> str:
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size} {unit}"
    return f"{milliseconds} ms"
