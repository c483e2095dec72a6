"""Step 1: the exact name, and who may use it, with rights read now."""

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.requirement import Surroundings, holds
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.ports.callers import Callers
from handgriff.runtime.assistant import Assistant


async def look_up(callers: Callers, tenant: str, user: str) -> Caller | None:
    """Who somebody is today.

    Raises:
        BackendError: nobody could say.
        DefinitionError: the answer is no caller.
    """
    try:
        found: object = await callers(tenant, user)
    except Exception as error:
        raise BackendError("callers", "reading a caller's rights") from error
    if found is None or isinstance(found, Caller):
        return found
    raise DefinitionError("callers", "return value", f"it is {type(found).__name__}.", mend="return a Caller, or None.")


async def rights_now(callers: Callers, grant: Caller) -> Caller:
    """What the request was granted and what holds today, both.

    Raises:
        Refusal: `not_found`; there is no such caller any more.
        BackendError: nobody could say.
        DefinitionError: the answer is somebody else, or no caller.
    """
    today = await look_up(callers, grant.tenant, grant.user)
    if today is None:
        raise Refusal("not_found", "There is nothing here for you.")
    return today.within(grant)


def may_use(contract: Contract, caller: Caller, surroundings: Surroundings) -> bool:
    """Whether every requirement holds. The same predicate makes the menu and guards the call."""
    return all(holds(requirement, caller, surroundings) for requirement in contract.requires)


def resolve(assistant: Assistant, name: str, caller: Caller, surroundings: Surroundings) -> Contract:
    """The tool of exactly this name that *caller* may use.

    Raises:
        Refusal: `not_found`, one answer for unknown, hidden, foreign and switched off, so that nothing can be probed.
    """
    contract = assistant.contract(name)
    if contract is None or not may_use(contract, caller, surroundings):
        raise Refusal("not_found", "There is no such tool.", next="Use the tools of your list, by their exact names.")
    return contract


def menu(assistant: Assistant, caller: Caller, surroundings: Surroundings) -> tuple[Contract, ...]:
    """The tools *caller* may use, by name. With `unbound="closed"` no state ever opens what is bound to none, so that is in no list."""
    contracts = (assistant.contracts[name] for name in sorted(assistant.contracts))
    listed = (contract for contract in contracts if contract.is_bound or assistant.unbound == "open")
    return tuple(contract for contract in listed if may_use(contract, caller, surroundings))
