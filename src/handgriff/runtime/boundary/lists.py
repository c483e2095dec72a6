"""What a caller is offered, and what of it is open: asked for every list, and for every refusal by a state, so answers are kept.

Both depend on values alone: what the caller is granted, and which states are active. Where a requirement is a function of the
application's, or the caller is of a kind of its own, whose `can` may say anything, nothing is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.gating import Standings, is_open
from handgriff.core.machine.machine import Machine
from handgriff.core.requirement import Surroundings
from handgriff.core.standing import Standing
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.resolve import menu

Contracts: TypeAlias = tuple[Contract, ...]
_KEPT: Final = 1024
"""Answers of one kind; then all are forgotten."""


@dataclass(slots=True)
class Lists:
    """The lists of one host."""

    assistant: Assistant
    surroundings: Surroundings
    _keeps: bool = field(init=False)
    _beside: Mapping[Machine, frozenset[Machine]] = field(init=False)
    _offered: dict[object, Contracts] = field(default_factory=dict)
    _open: dict[object, Contracts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        requires = (requirement for contract in self.assistant.contracts.values() for requirement in contract.requires)
        self._keeps = not any(callable(requirement) for requirement in requires)
        bound = [frozenset(contract.machines) for contract in self.assistant.contracts.values() if len(contract.machines) > 1]
        self._beside = {
            machine: frozenset(other for machines in bound if machine in machines for other in machines if needs_no_arguments(other))
            - {machine}
            for machine in frozenset[Machine]().union(*bound)
        }

    def offered(self, caller: Caller) -> Contracts:
        """The tools *caller* may use, by name: the constant list."""
        if not self._keeps_for(caller):
            return menu(self.assistant, caller, self.surroundings)
        key = (caller.permissions, caller.modules)
        found = self._offered.get(key)
        return found if found is not None else _keep(self._offered, key, menu(self.assistant, caller, self.surroundings))

    def machines(self, caller: Caller) -> frozenset[Machine]:
        """Those that one of them is bound to or starts; of others *caller* is told nothing."""
        return frozenset(machine for each in self.offered(caller) for machine in (*each.machines, *((each.starts,) if each.starts else ())))

    def open(self, caller: Caller, standings: Standings) -> Contracts:
        """Those of them that are callable where the machines stand, as far as that can be said without arguments: the varying list."""
        if not self._keeps_for(caller):
            return self._opened(caller, standings)
        # A state value follows from its active states, and whether an event may be taken follows from the value.
        places = tuple((machine, standing and (standing.active, standing.is_over)) for machine, standing in standings.items())
        key = (caller.permissions, caller.modules, places)
        found = self._open.get(key)
        return found if found is not None else _keep(self._open, key, self._opened(caller, standings))

    def open_of(self, caller: Caller, standing: Standing, beside: Standings) -> tuple[str, ...]:
        """The names of those that are bound to one machine and open where it, and others *beside* it, stand."""
        machine = standing.machine
        return tuple(each.name for each in self.open(caller, {**beside, machine: standing}) if machine in each.machines)

    def beside(self, machine: Machine) -> frozenset[Machine]:
        """The other machines that decide, without arguments, about tools that are bound to *machine*; nearly always none."""
        return self._beside.get(machine, frozenset())

    def _keeps_for(self, caller: Caller) -> bool:
        return self._keeps and type(caller) is Caller

    def _opened(self, caller: Caller, standings: Standings) -> Contracts:
        return tuple(each for each in self.offered(caller) if is_open(each, standings))


def needs_no_arguments(machine: Machine) -> bool:
    """Whether no call's arguments are needed to say where *machine* stands."""
    return machine.instance in ("session", "process") or not (machine.is_kept or machine.reads_arguments)


def _keep(kept: dict[object, Contracts], key: object, found: Contracts) -> Contracts:
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = found
    return found
