"""A handler's parameters with their annotations, as far as a model is to fill them in.

It reads Python and nothing else: what the annotations mean as JSON is decided above it.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, get_type_hints

from handgriff.errors import DefinitionError

NO_DEFAULT = inspect.Parameter.empty
"""Stands for a default that isn't there, since None may be one."""

_STARS: Mapping[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its annotation resolved, markers included."""

    name: str
    annotation: Any
    default: Any


def parameters(handler: Callable[..., Any], *, tool: str, exclude: frozenset[str] = frozenset()) -> tuple[Parameter, ...]:
    """Read the parameters of *handler* but those in *exclude*.

    Raises:
        DefinitionError: one can't be given by name, has no annotation, or one that can't be resolved.
    """
    names = getattr(_function(handler), "__globals__", {})
    found = [each for each in inspect.signature(handler).parameters.values() if each.name not in exclude]
    return tuple(Parameter(each.name, _annotation(each, names, tool), each.default) for each in found)


def _annotation(parameter: inspect.Parameter, names: dict[str, Any], tool: str) -> Any:
    member = f"parameter {parameter.name!r}"
    if stars := _STARS.get(parameter.kind):
        raise DefinitionError(tool, member, f"{stars}{parameter.name} has no schema.", mend="name each argument and annotate it.")
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise DefinitionError(tool, member, "arguments are given by name, and it takes none.", mend="remove the '/' behind it.")
    if parameter.annotation is inspect.Parameter.empty:
        raise DefinitionError(tool, member, "it has no annotation.", mend=f"annotate it, as in '{parameter.name}: str'.")
    holder = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        return get_type_hints(holder, globalns=names, include_extras=True)[parameter.name]
    except (NameError, SyntaxError, TypeError) as error:
        mend = "import or define the type at module level, outside TYPE_CHECKING."
        raise DefinitionError(tool, member, f"its annotation can't be read: {error}.", mend=mend) from error


def _function(handler: Any) -> Any:
    while isinstance(handler, partial):
        handler = handler.func
    handler = inspect.unwrap(handler)
    return handler if hasattr(handler, "__globals__") or hasattr(handler, "__func__") else type(handler).__call__
