"""Step 5: values that must have been seen, the application's own checks, and the hooks that may refuse."""

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.requirement import Surroundings
from handgriff.core.schema.form import Arguments
from handgriff.core.view import view
from handgriff.errors import DefinitionError, Refusal
from handgriff.ports.store import SessionReads
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.attempt import Attempt
from handgriff.runtime.boundary.bound import BoundCall
from handgriff.runtime.boundary.invoke import invoke
from handgriff.runtime.boundary.resolve import menu


async def check_known(
    store: SessionReads,
    assistant: Assistant,
    surroundings: Surroundings,
    *,
    attempt: Attempt,
    contract: Contract,
    arguments: Arguments,
    caller: Caller,
) -> None:
    """Every argument that demands it was seen in this session.

    Raises:
        Refusal: `invalid`, with the fields and the tools that provide such values.
    """
    if attempt.is_typed:
        return
    place, unseen = attempt.place, {}
    for known in contract.schema.demanded(arguments):
        if await store.seen(place.tenant, place.session, known.kind, known.value) is None:
            unseen[known.path] = known.kind
    if not unseen:
        return
    offered = menu(assistant, caller, surroundings)
    if not place.is_typed_in:
        # Where nobody types, a kind that nothing introduces could never be seen.
        introduced = frozenset(kind for tool in assistant.contracts.values() for kind in tool.introduces)
        unseen = {path: kind for path, kind in unseen.items() if kind in introduced}
        if not unseen:
            return
    kinds = frozenset(unseen.values())
    providers = tuple(tool.name for tool in offered if tool.name != contract.name and tool.introduces & kinds)
    advice = f"Get it from {' or '.join(providers)} first." if providers else "Ask the user for it."
    raise Refusal(
        "invalid",
        f"{', '.join(unseen)}: this value was not seen in this conversation.",
        next=advice,
        fields={path: f"an unseen {kind}" for path, kind in unseen.items()},
        provides=providers or None,
    )


async def check_meaning(contract: Contract, arguments: Arguments, call: BoundCall) -> None:
    """The application's checks, then the hooks.

    Raises:
        Refusal: one of them says no.
        DefinitionError: one of them answers what means neither yes nor no.
    """
    if contract.validate is not None:
        _check_answer(contract, "validate", await invoke(contract.validate, view(contract.schema, arguments), call))
    for hook in contract.before_call:
        _check_answer(contract, "before_call", await invoke(hook, contract.name, view(contract.schema, arguments), call))


async def check_authority(contract: Contract, arguments: Arguments, call: BoundCall) -> None:
    """The row-level right. Anything but True is a no, so that a forgotten return lets nobody in.

    Raises:
        Refusal: `denied`, or what the application said.
    """
    if contract.authorize is None:
        return
    answer = await invoke(contract.authorize, view(contract.schema, arguments), call)
    if isinstance(answer, Refusal):
        raise answer
    if answer is not True:
        raise Refusal("denied", "You may use this tool, but not with these arguments.")


def _check_answer(contract: Contract, member: str, answer: object) -> None:
    """A refusal says the same whether it is raised or returned; None and True let the call go on."""
    if isinstance(answer, Refusal):
        raise answer
    if not (answer is None or answer is True):
        problem = f"it answered {type(answer).__name__}, which is neither yes nor no."
        raise DefinitionError(contract.name, member, problem, mend="raise or return a Refusal, or return None.")
