"""Another framework's tool, or a bare function, as a contract: its name, schema and callable, with the duties it lacks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from handgriff.core.binding import bound
from handgriff.core.contract import CallLimits, Confirm, Contract, EffectKind, ErrorMap, Handler
from handgriff.core.define import Draft, check_arguments, check_duties, confirm_of, define, find_call, hints_of
from handgriff.core.description import parse_description
from handgriff.core.machine.machine import Bound, Fires, checked_at
from handgriff.core.requirement import Requirement, requirements
from handgriff.errors import DefinitionError

_SCHEMAS = ("input_schema", "inputSchema", "parameters", "parameters_json_schema")
_CALLABLES = ("fn", "func", "function", "run", "__call__")


def contract(
    tool: Any,
    *,
    effect: EffectKind,
    requires: Requirement | Iterable[Requirement] | None = None,
    name: str | None = None,
    description: str | None = None,
    plan: Handler | None = None,
    confirm: Confirm | None = None,
    authorize: Handler | None = None,
    validate: Handler | None = None,
    errors: ErrorMap | None = None,
    idempotency_key: Handler | None = None,
    reconcile: Handler | None = None,
    at: Bound | None = None,
    fires: Fires | str | None = None,
    compact: str | None = None,
    limits: CallLimits | None = None,
) -> Contract:
    """Give *tool* a contract: a function with annotations, or any object with a name, a JSON Schema and a callable.

    An imported tool's handler, and its plan, is called with its arguments by name; what it returns becomes the result's data. Its schema
    may be any JSON Schema; its description needs the four parts, so give *description* where its own has none.

    Raises:
        DefinitionError: something is missing; it names the member.
    """
    schema = next((found for member in _SCHEMAS if isinstance(found := getattr(tool, member, None), Mapping)), None)
    tool_name = str(name or getattr(tool, "name", None) or getattr(tool, "__name__", ""))
    draft = Draft(
        name=tool_name,
        toolbox="",
        handler=_callable(tool_name, tool) if schema is not None else tool,
        description=description or getattr(tool, "description", None) or getattr(tool, "__doc__", None),
        effect=effect,
        requires=requirements(tool_name, requires),
        plan=plan,
        confirm=confirm,
        authorize=authorize,
        validate=validate,
        errors=dict(errors or {}),
        idempotency_key=idempotency_key,
        reconcile=reconcile,
        at=at,
        fires=fires,
        compact=compact,
        limits=limits or CallLimits(),
        title={},
        keywords={},
    )
    return define(draft) if schema is None else _imported(draft, schema)


def _imported(draft: Draft, schema: Mapping[str, Any]) -> Contract:
    # Imported here for the reason given in `define`.
    from handgriff.core.schema.imported import schema_from  # noqa: PLC0415
    from handgriff.core.schema.typed import output_of  # noqa: PLC0415

    check_duties(draft)
    made = Contract(
        name=draft.name,
        description=parse_description(draft.name, draft.description),
        schema=schema_from(schema, tool=draft.name),
        output=output_of(Any, tool=draft.name),
        handler=draft.handler,
        is_imported=True,
        effect=draft.effect,
        toolbox=draft.toolbox,
        requires=draft.requires,
        authorize=draft.authorize,
        plan=draft.plan,
        plan_call=find_call(hints_of(draft.name, "plan", draft.plan)) if draft.plan is not None else None,
        confirm=confirm_of(draft),
        validate=draft.validate,
        errors=draft.errors,
        idempotency_key=draft.idempotency_key,
        reconcile=draft.reconcile,
        compact=draft.compact,
        writes="state" if draft.effect != "read" else None,
        limits=draft.limits,
    )
    check_arguments(made)
    return bound(made, at=checked_at(draft.name, draft.at), fires=draft.fires)


def _callable(name: str, tool: Any) -> Callable[..., Any]:
    for member in _CALLABLES:
        found = getattr(tool, member, None)
        if callable(found):
            return found  # type: ignore[no-any-return]  # another framework's callable
    raise DefinitionError(name, "handler", "nothing callable was found on it.", mend=f"give it one of {', '.join(_CALLABLES)}.")
