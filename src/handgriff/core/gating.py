"""What bindings mean: where a machine stands, and whether a tool is open there. The same predicates serve lists and calls."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from handgriff.core.contract import Contract
from handgriff.core.machine.machine import At, Machine
from handgriff.core.machine.select import could
from handgriff.core.standing import Standing
from handgriff.errors import DefinitionError

Standings: TypeAlias = Mapping[Machine, Standing | None]
"""By machine. None, or absent: only a call's arguments say which instance, or where it is."""


def machines_of(contracts: Iterable[Contract]) -> dict[str, Machine]:
    """Every machine that one of *contracts* is bound to or starts, by id, in the order of the tools.

    Raises:
        DefinitionError: two of them have the same id, now or formerly, or none of the tools starts one that has handles.
    """
    found: dict[str, Machine] = {}
    started: set[Machine] = set()
    for contract in contracts:
        for machine in (*contract.machines, *((contract.starts,) if contract.starts else ())):
            other = found.setdefault(machine.id, machine)
            if other is not machine:
                raise DefinitionError(
                    contract.name, "at", f"there are two machines {machine.id!r}.", mend="bind to the same one, or rename one."
                )
        if contract.starts is not None:
            started.add(contract.starts)
    for machine in found.values():
        taken = next((name for name in machine.formerly or () if name in found), None)
        if taken is not None:
            problem = f"there is a machine {taken!r} beside it, so instances under that id are not its own."
            raise DefinitionError(machine.id, "formerly", problem, mend="rename one, or leave that id out.")
        if machine.has_handle and machine not in started:
            problem = "no tool starts an instance, so nobody can have a handle."
            raise DefinitionError(machine.id, "handle", problem, mend=f"make a tool with starts={machine.id}.")
    return found


def is_at(at: At, standing: Standing) -> bool:
    """Whether one of the states of *at* is active."""
    return not at.nodes.isdisjoint(standing.active)


def is_open(contract: Contract, standings: Standings) -> bool:
    """Whether *contract*, of the constant list, is callable as far as can be said without arguments; what needs them counts as open."""
    for at in contract.at:
        standing = standings.get(at.machine)
        if standing is not None and not is_at(at, standing):
            return False
    fires = contract.fires
    if fires is None:
        return True
    standing = standings.get(fires.machine)
    # Only kept machines take events; one without a snapshot can't go on.
    return standing is None or (standing.snapshot is not None and could(fires.machine.definition, standing.snapshot, fires.event))


def shown_as(contract: Contract, standings: Standings) -> str:
    """The description in a varying list: the short one while every machine it is bound to stands where it began."""
    known = [
        standing for machine in contract.machines if (standing := standings.get(machine)) is not None and standing.snapshot is not None
    ]
    if contract.compact is None or not known or not all(_is_initial(standing) for standing in known):
        return contract.description.text
    return contract.compact


def _is_initial(standing: Standing) -> bool:
    return standing.snapshot is not None and standing.snapshot.value == standing.machine.initial_value
