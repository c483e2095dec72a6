"""A contract joined to workflow states: what can be checked of it alone is checked here, and the handle becomes an argument."""

from dataclasses import replace

from handgriff.core.contract import Contract
from handgriff.core.machine.machine import At, Fires, Machine, checked_fires
from handgriff.core.schema.handle import with_handle
from handgriff.errors import DefinitionError


def bound(contract: Contract, *, at: tuple[At, ...], fires: Fires | str | None) -> Contract:
    """*contract* with these bindings beside its own.

    Raises:
        DefinitionError: they don't go together; it names the tool and the member.
    """
    if not at and fires is None and contract.starts is None:
        return contract
    every = (*contract.at, *at)
    event = _event(contract.name, every, fires)
    if event is not None and contract.fires is not None:
        raise DefinitionError(contract.name, "fires", "it is given twice, and at most one machine moves.", mend="keep one of them.")
    made = replace(contract, at=every, fires=event or contract.fires)
    if made.fires is not None and made.starts is not None:
        problem = f"it moves an instance of {made.fires.machine.id!r}, and a success moves or starts one, not both."
        raise DefinitionError(contract.name, "starts", problem, mend="make two tools of it.")
    for machine in made.machines:
        if contract.starts is machine:
            problem = f"it starts an instance of {machine.id!r}, so it can't be bound to one."
            raise DefinitionError(contract.name, "starts", problem, mend="make two tools of it.")
    for machine in _named_by_calls(made):
        description = f"Handle of the {machine.handle}, as the tool that began it answered it."
        made = replace(made, schema=with_handle(made.schema, machine.handle, description))
    return made


def _event(tool: str, at: tuple[At, ...], fires: Fires | str | None) -> Fires | None:
    """The event, also where it is named alone: then it is that of the one kept machine in `at`."""
    if not isinstance(fires, str):
        return checked_fires(tool, fires)
    kept = dict.fromkeys(each.machine for each in at if each.machine.is_kept)
    if len(kept) != 1:
        problem = f"{fires!r} alone says an event of one kept machine, and 'at' names {len(kept)}."
        raise DefinitionError(tool, "fires", problem, mend=f"give machine.event({fires!r}).")
    return next(iter(kept)).event(fires)


def _named_by_calls(contract: Contract) -> tuple[Machine, ...]:
    named = tuple(machine for machine in contract.machines if machine.has_handle)
    if len({machine.handle for machine in named}) != len(named):
        problem = "two of its machines have the same handle."
        raise DefinitionError(contract.name, "at", problem, mend="give them different names with handle=.")
    return named
