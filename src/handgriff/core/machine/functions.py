"""The functions of a machine: that each can be called as guards and actions are, is checked once."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from handgriff.errors import DefinitionError


def checked(functions: object, machine: str, member: str) -> dict[str, Any]:
    """*functions* as a mapping of their own.

    Raises:
        DefinitionError: one isn't a plain function of context, event and params.
    """
    if not isinstance(functions, Mapping):
        raise DefinitionError(machine, member, "they are no mapping.", mend="give functions by name.")
    for name, function in functions.items():
        where = f"{member}[{name!r}]"
        if not isinstance(name, str) or name.startswith("xstate."):
            raise DefinitionError(machine, where, "that is no name for one.", mend="give a text that doesn't begin with 'xstate.'.")
        if not callable(function):
            raise DefinitionError(machine, where, f"a {type(function).__name__} can't be called.", mend="give a function.")
        if inspect.iscoroutinefunction(function):
            mend = "let the tool wait, and fire an event with what it found."
            raise DefinitionError(machine, where, "it is async, and a machine waits for nothing.", mend=mend)
        _check_arity(function, machine, where)
    return dict(functions)


def _check_arity(function: Callable[..., Any], machine: str, where: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C; it will say so itself
    try:
        signature.bind({}, {}, {})
    except TypeError as error:
        raise DefinitionError(
            machine, where, f"it can't be called with three values: {error}.", mend="let it take context, event, params."
        ) from error
