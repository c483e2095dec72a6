"""From a draft to a contract: every check that can be made before a tool is first called. Each error names tool, member and mend."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from handgriff.core.binding import bound
from handgriff.core.call import Call
from handgriff.core.contract import CallLimits, Confirm, Contract, EffectKind, ErrorMap, Handler
from handgriff.core.description import parse_description
from handgriff.core.events import ConfirmKind
from handgriff.core.machine.machine import Bound, Fires, Machine, checked_at
from handgriff.core.requirement import Requirement
from handgriff.core.result import Plan, Result
from handgriff.errors import REFUSAL_CODES, DefinitionError

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
AUTHORITY = frozenset(
    {
        *("tenant", "tenantid", "user", "userid", "owner", "ownerid", "accountid", "asuser", "onbehalfof"),
        *("role", "roles", "admin", "isadmin", "permission", "permissions", "scope"),
    }
)
"""Argument names that carry authority; it comes from the caller, so they must be declared as data. Both sets stand in small letters alone,
so that `tenant_id`, `tenantId` and `Tenant-ID` are one name."""
SELECTORS = frozenset({"filter", "query", "where", "all", "select", "selector", "criteria"})
"""Argument names that select freely; on a write they must be declared."""
CONFIRMS: Final[tuple[ConfirmKind, ...]] = get_args(ConfirmKind)
WRITES: tuple[str | None, ...] = (None, "state", "app")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an author has given so far."""

    name: str
    toolbox: str
    handler: Callable[..., Any]
    description: str | None
    effect: EffectKind
    requires: tuple[Requirement, ...] = ()
    authorize: Handler | None = None
    plan: Handler | None = None
    confirm: Confirm | None = None
    validate: Handler | None = None
    errors: ErrorMap
    idempotency_key: Handler | None = None
    reconcile: Handler | None = None
    transaction: bool = False
    at: Bound | None = None
    fires: Fires | str | None = None
    starts: Machine | None = None
    compact: str | None = None
    writes: Literal["state", "app"] | None = None
    limits: CallLimits = field(default_factory=CallLimits)
    title: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]
    core: bool = False
    before_call: tuple[Handler, ...] = ()
    after_call: tuple[Handler, ...] = ()


def define(draft: Draft) -> Contract:
    """The contract of *draft*.

    Raises:
        DefinitionError: it names the tool, the member and the mend.
    """
    # Imported here because pydantic costs more than everything else together, and an import of handgriff defines no tool.
    from handgriff.core.schema.typed import output_of, schema_of  # noqa: PLC0415

    check_duties(draft)
    hints = hints_of(draft.name, "annotations", draft.handler)
    call_parameter = find_call(hints)
    starts_parameter = parameter_for_start(draft, hints)
    excluded = frozenset(each for each in (call_parameter, starts_parameter) if each is not None)
    plan_takes, plan_call = _plan_parameters(draft, excluded)
    contract = Contract(
        name=draft.name,
        description=parse_description(draft.name, draft.description),
        schema=schema_of(draft.handler, tool=draft.name, exclude=excluded),
        output=output_of(_data_type(draft.name, hints.get("return")), tool=draft.name),
        handler=draft.handler,
        effect=draft.effect,
        toolbox=draft.toolbox,
        call_parameter=call_parameter,
        requires=draft.requires,
        authorize=draft.authorize,
        plan=draft.plan,
        plan_takes=plan_takes,
        plan_call=plan_call,
        confirm=confirm_of(draft),
        validate=draft.validate,
        errors=draft.errors,
        idempotency_key=draft.idempotency_key,
        reconcile=draft.reconcile,
        transaction=draft.transaction,
        starts=draft.starts,
        starts_parameter=starts_parameter,
        compact=draft.compact,
        writes=draft.writes or ("state" if draft.effect != "read" else None),
        limits=draft.limits,
        title=draft.title,
        keywords=draft.keywords,
        core=draft.core,
        before_call=draft.before_call,
        after_call=draft.after_call,
    )
    check_arguments(contract)
    return bound(contract, at=checked_at(draft.name, draft.at), fires=draft.fires)


def check_duties(draft: Draft) -> None:
    """Refuse what can be seen before the schema is known: the name, and duties that don't go together."""
    if not NAME.fullmatch(draft.name):
        raise DefinitionError(
            draft.name, "name", "it is no tool name.", mend="use a small letter first, then small letters, digits and _, 64 at most."
        )
    for member in ("authorize", "plan", "validate", "idempotency_key", "reconcile"):
        if not (getattr(draft, member) is None or callable(getattr(draft, member))):
            raise DefinitionError(draft.name, member, f"{getattr(draft, member)!r} is no function.", mend="give the function itself.")
    _check_effect(draft)
    _check_confirm(draft)
    _check_certainty(draft)
    _check_errors(draft)
    compact: object = draft.compact
    if compact is not None and not (isinstance(compact, str) and compact.strip()):
        raise DefinitionError(draft.name, "compact", f"{draft.compact!r} is no text.", mend="give a short description, or leave it out.")
    if not isinstance(draft.limits, CallLimits):
        raise DefinitionError(draft.name, "limits", "they are no CallLimits.", mend="give CallLimits(seconds=…) of handgriff.tool.")


def check_arguments(contract: Contract) -> None:
    """Refuse arguments that carry authority, secrets, or an undeclared free selection."""
    for argument in contract.schema.arguments:
        member = f"argument {argument.name!r}"
        if argument.is_secret:
            raise DefinitionError(
                contract.name, member, "a secret never passes through a model.", mend="read it from your configuration in the handler."
            )
        if _plain(argument.name) in AUTHORITY and not argument.is_data:
            raise DefinitionError(
                contract.name,
                member,
                "it is named like authority, which comes from the caller.",
                mend="use call.caller, or declare it: Annotated[…, Data('why it is data')].",
            )
        if contract.effect != "read" and _plain(argument.name) in SELECTORS and not argument.is_selector:
            raise DefinitionError(
                contract.name,
                member,
                "a write takes explicit ids, not a free selection.",
                mend="take ids, or declare it: Annotated[…, Selector()]; its plan then shows count and sample.",
            )
        if argument.is_selector and contract.effect != "read" and contract.plan is None:
            raise DefinitionError(
                contract.name,
                "plan",
                f"the selection {argument.name!r} would be carried out unseen.",
                mend="attach a plan that gives count and sample.",
            )


def find_call(hints: Mapping[str, Any]) -> str | None:
    """The parameter that is annotated as `Call` or `Call[…]`."""
    for name, hint in hints.items():
        if name != "return" and (hint is Call or get_origin(hint) is Call):
            return name
    return None


def parameter_for_start(draft: Draft, hints: Mapping[str, Any]) -> str | None:
    """The parameter that is given the handle of the instance a success creates: the one named like it, if there is one.

    Raises:
        DefinitionError: the machine's instances have no handle, or the parameter takes no text.
    """
    starts: object = draft.starts
    if starts is None:
        return None
    if not isinstance(starts, Machine):
        raise DefinitionError(draft.name, "starts", f"{starts!r} is no machine.", mend="give the machine itself.")
    if not starts.has_handle:
        problem = f"{starts.id!r} keeps no instances by handle."
        raise DefinitionError(draft.name, "starts", problem, mend="say instance='handle' where the machine is made, or leave it out.")
    if starts.handle not in hints:
        return None
    if hints[starts.handle] is not str:
        problem = f"{starts.handle!r} is given the new handle."
        raise DefinitionError(
            draft.name, f"parameter {starts.handle!r}", problem, mend=f"annotate it as '{starts.handle}: str', or rename it."
        )
    return starts.handle


def _check_effect(draft: Draft) -> None:
    if draft.effect not in get_args(EffectKind):
        raise DefinitionError(draft.name, "effect", f"{draft.effect!r} is no effect.", mend="say 'read', 'write' or 'irreversible'.")
    if draft.effect == "irreversible" and draft.plan is None:
        raise DefinitionError(
            draft.name,
            "plan",
            "an irreversible tool has none, so no person could decide.",
            mend=f"attach one: plan=…, or @{draft.name}.plan.",
        )
    if draft.effect == "read" and draft.plan is not None:
        raise DefinitionError(
            draft.name, "plan", "a read changes nothing, so there is nothing to confirm.", mend="leave it out, or say what the effect is."
        )
    if draft.writes not in WRITES:
        raise DefinitionError(
            draft.name,
            "writes",
            f"{draft.writes!r} is not supported.",
            mend="say 'state', or 'app' where it may also write what the whole tenant shares.",
        )


def confirm_of(draft: Draft) -> Confirm | None:
    """Who confirms its calls."""
    return draft.confirm or ("person" if draft.plan is not None else None)


def _check_confirm(draft: Draft) -> None:
    if draft.confirm is None:
        return
    if not callable(draft.confirm) and draft.confirm not in CONFIRMS:
        raise DefinitionError(
            draft.name,
            "confirm",
            f"{draft.confirm!r} is no way to confirm.",
            mend=f"say {', '.join(map(repr, CONFIRMS))}, or give a function (args, call) that answers one of them or None.",
        )
    if draft.plan is None:
        raise DefinitionError(
            draft.name, "confirm", "nobody can confirm what they are not shown.", mend="attach a plan, or leave confirm out."
        )


def _check_certainty(draft: Draft) -> None:
    """Refuse `reconcile` and `transaction` where there is nothing uncertain, or nothing to commit."""
    for member in ("reconcile", "transaction"):
        if getattr(draft, member) and draft.effect == "read":
            problem = "a read changes nothing, so nothing about it is uncertain."
            raise DefinitionError(draft.name, member, problem, mend="leave it out, or say what the effect is.")
    if not isinstance(draft.transaction, bool):
        raise DefinitionError(draft.name, "transaction", f"{draft.transaction!r} is no boolean.", mend="say True, or leave it out.")
    if draft.transaction and draft.reconcile is not None:
        problem = "what is committed with its outcome is never uncertain."
        raise DefinitionError(draft.name, "reconcile", problem, mend="leave it out, or leave out transaction=True.")
    if draft.transaction and not (
        inspect.iscoroutinefunction(draft.handler) or inspect.iscoroutinefunction(getattr(draft.handler, "__call__", None))  # noqa: B004  # its own __call__
    ):
        problem = "a sync handler can't open call.transaction()."
        raise DefinitionError(draft.name, "transaction", problem, mend="write 'async def'.")


def _check_errors(draft: Draft) -> None:
    for kind, meaning in draft.errors.items():
        if not _is_exception(kind) or not (meaning in REFUSAL_CODES or callable(meaning)):
            problem = f"{kind!r}: {meaning!r} maps no exception to a refusal."
            raise DefinitionError(
                draft.name, "errors", problem, mend="give {YourError: 'conflict'}, or a function that makes a Refusal of it."
            )


def _is_exception(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Exception)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def hints_of(tool: str, member: str, function: Handler) -> dict[str, Any]:
    """The annotations of *function*, resolved."""
    try:
        return get_type_hints(inspect.unwrap(function), include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        problem = f"they can't be read: {error}."
        raise DefinitionError(tool, member, problem, mend="define the types at module level before the tool.") from error


def _plan_parameters(draft: Draft, excluded: frozenset[str]) -> tuple[frozenset[str], str | None]:
    """Which of the handler's parameters the plan takes; it may leave some out, but can't ask for others."""
    if draft.plan is None:
        return frozenset(), None
    hints = hints_of(draft.name, "plan", draft.plan)
    plan_call = find_call(hints)
    if hints.get("return", Plan) is not Plan:
        raise DefinitionError(draft.name, "plan", "it does not answer a Plan.", mend="annotate and return '-> Plan'.")
    takes = frozenset(name for name in inspect.signature(draft.plan).parameters if name != plan_call)
    strange = takes - (frozenset(inspect.signature(draft.handler).parameters) - excluded)
    if strange:
        problem = f"it asks for {', '.join(sorted(strange))}, which the handler does not take."
        raise DefinitionError(draft.name, "plan", problem, mend="give it the handler's parameters, and the call annotated as Call.")
    return takes, plan_call


def _data_type(tool: str, returned: Any) -> Any:
    if returned is Result:
        return None
    if get_origin(returned) is Result:
        return get_args(returned)[0]
    raise DefinitionError(
        tool, "return annotation", "it is no Result.", mend="annotate '-> Result[YourModel]', or '-> Result[None]' without data."
    )
