"""What can be said of bindings before any call: states that nothing rests in, events that nobody takes there, promises that don't hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations, product
from typing import Final

from handgriff.core.contract import Contract
from handgriff.core.machine.checks import findings
from handgriff.core.machine.graph import Graph, graph_of
from handgriff.core.machine.machine import At, Machine
from handgriff.core.machine.node import Definition
from handgriff.core.machine.proofs import BoundTool
from handgriff.core.machine.together import may_be_together
from handgriff.core.workflow import begins
from handgriff.errors import DefinitionError

_ANY_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)


def check_bindings(machines: Mapping[str, Machine], contracts: Iterable[Contract]) -> None:
    """See that every binding of *contracts* can hold and move what it says, and that the machines are sound and keep their promises.

    Raises:
        DefinitionError: one doesn't; it names the tool, or the machine, and the member.
    """
    bound = [contract for contract in contracts if contract.is_bound]
    checks = {machine: _Bindings(machine) for machine in machines.values()}
    for contract in bound:
        for machine in contract.machines:
            checks[machine].check(contract)
    for machine in machines.values():
        for finding in findings(machine, tools_of(machine, bound)):
            raise DefinitionError(machine.id, finding.where, finding.problem, mend=finding.mend)
        if machine.is_kept:
            # Guards and actions see neither a call nor a time there, so one that is wrong is wrong for every instance.
            begins(machine, _ANY_TIME)


def tools_of(machine: Machine, contracts: Iterable[Contract]) -> dict[str, BoundTool]:
    """The tools of *contracts* that are bound to *machine*, by name, as its invariants speak of them."""
    return {
        contract.name: BoundTool(
            tuple(at.nodes for at in contract.at if at.machine is machine),
            contract.fires.event if contract.fires is not None and contract.fires.machine is machine else None,
        )
        for contract in contracts
        if machine in contract.machines
    }


@dataclass(frozen=True, slots=True)
class _Rest:
    """Where an instance may stay, its history left out."""

    ids: frozenset[str]
    events: frozenset[str]
    """What a call may send there."""
    words: str


class _Bindings:
    """Checks bindings to one machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def check(self, contract: Contract) -> None:
        """See that the machine can be where *contract* is bound, and takes its event there."""
        bound = tuple(at for at in contract.at if at.machine is self._machine)
        if not self._machine.is_kept:
            if not _fit_together(self._machine.definition, bound):
                raise self._never_together(contract, bound)
            return
        self._check_rests(contract, bound)
        places = [rest for rest in self._rests if all(not at.nodes.isdisjoint(rest.ids) for at in bound)]
        if not places:
            raise self._never_together(contract, bound)
        if contract.fires is not None and contract.fires.machine is self._machine:
            self._check_event(contract, contract.fires.event, places, is_bound=bool(bound))

    @cached_property
    def _rests(self) -> Sequence[_Rest]:
        graph = graph_of(self._machine.definition)
        found: dict[frozenset[str], _Rest] = {}
        for number in graph.rests():
            ids = graph.ids(number)
            if ids not in found:
                found[ids] = _Rest(ids, _sent(graph, number), graph.words(number))
        return tuple(found.values())

    @cached_property
    def _rested_in(self) -> frozenset[str]:
        return frozenset().union(*(rest.ids for rest in self._rests))

    def _check_rests(self, contract: Contract, bound: Sequence[At]) -> None:
        for at in bound:
            for node in self._machine.definition.nodes.values():
                if node.id in at.nodes and node.id not in self._rested_in:
                    problem = f"no instance of {self._machine.id!r} is ever to be found in {node.path!r}."
                    raise DefinitionError(
                        contract.name, "at", problem, mend="bind it to a state that can be reached, or let a transition lead there."
                    )

    def _check_event(self, contract: Contract, event: str, places: Sequence[_Rest], *, is_bound: bool) -> None:
        sent = graph_of(self._machine.definition).sent_as(event)
        taking = [rest for rest in places if sent in rest.events]
        if len(taking) == len(places) or (taking and not is_bound):
            return
        where = next(rest for rest in places if sent not in rest.events)
        problem = f"{event!r} is not defined in {where.words!r}, where it is bound." if is_bound else f"nothing ever takes {event!r}."
        others = ", ".join(repr(rest.words) for rest in taking) or "a state that takes it"
        raise DefinitionError(contract.name, "fires", problem, mend=f"bind it to {others} alone, or let {where.words!r} take {event!r}.")

    def _never_together(self, contract: Contract, bound: Sequence[At]) -> DefinitionError:
        problem = f"{' and '.join(map(repr, bound))} never hold at the same time."
        return DefinitionError(contract.name, "at", problem, mend=f"name the states in one {self._machine.id}.at(…) where either will do.")


def _sent(graph: Graph, number: int) -> frozenset[str]:
    return frozenset(edge.event for edge in graph.edges[number] if edge.event is not None)


def _fit_together(definition: Definition, bound: Sequence[At]) -> bool:
    """Whether one state of each can be active at the same time, wherever the application says the machine is."""
    chosen = product(*([definition.nodes[node].place for node in sorted(at.nodes)] for at in bound))
    return any(all(may_be_together(definition.places, *pair) for pair in combinations(places, 2)) for places in chosen)
