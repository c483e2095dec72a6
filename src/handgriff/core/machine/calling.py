"""Calls of guards and actions: what they get is frozen, and what goes wrong in them is told with the place that asked for them."""

import inspect
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError, JsonLimits
from handgriff.core.machine.event import Event
from handgriff.core.machine.held import HeldDict, hold
from handgriff.core.machine.node import ActionRef, Candidate, Definition
from handgriff.errors import DefinitionError

Json: TypeAlias = Mapping[str, Any]

_CONTEXT: Final = JsonLimits(depth=jsontext.LIMITS.depth - 4)
"""A snapshot holds its context, and others hold the snapshot."""
_RAISED: Final = (Exception, SystemExit)
"""What a function's own mistake raises. `sys.exit` in one must not end the whole process; Ctrl-C and a cancelled call still may."""


def passes(definition: Definition, candidate: Candidate, context: Json, event: Event) -> bool:
    """Whether *candidate* may be taken.

    Raises:
        DefinitionError: its guard raised, or answered something else than yes or no.
    """
    if candidate.route is not None and event.seen.get("to") != candidate.route:
        return False
    guard = candidate.guard
    if guard is None:
        return True
    try:
        answer: object = definition.guards[guard.name](context, event.seen, guard.params)
    except _RAISED as error:
        raise _raised(definition, guard.path, f"guard {guard.name!r}", error) from error
    if answer is True or answer is False:
        return answer
    raise _answered(definition, guard.path, f"guard {guard.name!r}", answer, mend="let it return True or False.")


def followed(definition: Definition, action: ActionRef, context: Json, event: Event) -> Json:
    """The context after *action*; the very same where it has no function, or leaves it as it is.

    Raises:
        DefinitionError: its function raised, or answered something else than a JSON object.
    """
    function = definition.actions.get(action.name)
    if function is None:
        return context
    what = f"action {action.name!r}"
    try:
        answer: object = function(context, event.seen, action.params)
    except _RAISED as error:
        raise _raised(definition, action.path, what, error) from error
    if answer is None:
        return context
    if not isinstance(answer, Mapping):
        raise _answered(definition, action.path, what, answer, mend="let it return the new context, or None to leave it as it is.")
    try:
        return held_context(answer)
    except JsonError as error:
        mend = "let it return plain JSON: text, numbers, lists, dicts."
        raise DefinitionError(definition.id, action.path, f"{what} answered a context that isn't JSON: {error}.", mend=mend) from error


def held_context(context: Mapping[str, Any]) -> HeldDict:
    """*context* as plain JSON of its own, frozen.

    Raises:
        JsonError: it isn't JSON, or so deep that a snapshot with it couldn't be read again.
    """
    read = jsontext.loads(jsontext.admit(dict(context), limits=_CONTEXT))
    return HeldDict({key: hold(value) for key, value in read.items()}) if isinstance(read, dict) else HeldDict()


def _raised(definition: Definition, path: str, what: str, error: BaseException) -> DefinitionError:
    problem = f"{what} raised {type(error).__name__}: {error}."
    return DefinitionError(definition.id, path, problem, mend="let it answer for every context and event that may come.")


def _answered(definition: Definition, path: str, what: str, answer: object, *, mend: str) -> DefinitionError:
    if inspect.iscoroutine(answer):
        answer.close()
    return DefinitionError(definition.id, path, f"{what} answered a value of type {type(answer).__name__}.", mend=mend)
