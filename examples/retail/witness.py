"""The same assistant with a witness at every handler, so that "it never ran" is seen and not inferred from an answer."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any

from handgriff import Assistant, Toolbox
from handgriff.tool import Contract


@dataclass(slots=True)
class Witness:
    """The ids of the calls whose handlers were entered."""

    seen: set[str] = field(default_factory=set)


def witnessed(assistant: Assistant, witness: Witness) -> Assistant:
    """*assistant*, every contract as it is but for the witness before its handler."""
    box = Toolbox("witnessed")
    for name in assistant.contracts:
        contract = assistant.contract(name)
        if contract is not None:
            box.add(_watched(contract, witness))
    return Assistant(
        assistant.name, instructions=assistant.instructions, toolboxes=[box], limits=assistant.limits, unbound=assistant.unbound
    )


def _watched(contract: Contract, witness: Witness) -> Contract:
    handler: Callable[..., Any] = contract.handler
    parameter = contract.call_parameter or "call"

    async def enter(**arguments: Any) -> Any:  # whatever the handler takes and gives
        witness.seen.add(arguments[parameter].id)
        if contract.call_parameter is None:
            del arguments[parameter]
        returned = handler(**arguments)
        return await returned if isawaitable(returned) else returned

    return replace(contract, handler=enter, call_parameter=parameter)
