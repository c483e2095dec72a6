"""Who is offered a tool and may use it: permissions, modules, configuration, predicates over the caller. All of them must hold."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from handgriff.core.caller import Caller
from handgriff.errors import DefinitionError


@dataclass(frozen=True, slots=True)
class Module:
    """The tenant has subscribed to this module."""

    name: str


@dataclass(frozen=True, slots=True)
class Configured:
    """This environment variable is set and not empty. Read once at start, so that the list of tools stays stable."""

    variable: str


Requirement: TypeAlias = str | Module | Configured | Callable[[Caller], bool]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was read at start: the configured variables."""

    configured: frozenset[str] = frozenset()


def holds(requirement: Requirement, caller: Caller, surroundings: Surroundings) -> bool:
    """Whether *requirement* holds for *caller* now. A predicate that raises or answers anything but True does not hold."""
    match requirement:
        case str():
            return caller.can(requirement)
        case Module(name):
            return name in caller.modules
        case Configured(variable):
            return variable in surroundings.configured
        case _:
            # A right that cannot be read is no right: whatever the predicate raises, the answer is no.
            try:
                return requirement(caller) is True
            except Exception:  # noqa: BLE001
                return False


def requirements(subject: str, given: Requirement | Iterable[Requirement] | None) -> tuple[Requirement, ...]:
    """*given* as a tuple.

    Raises:
        DefinitionError: one of them is no requirement.
    """
    if given is None:
        return ()
    items = tuple(given) if isinstance(given, (list, tuple, set, frozenset)) else (given,)
    for item in items:
        if not _is_requirement(item):
            raise DefinitionError(
                subject,
                "requires",
                f"{item!r} is no requirement.",
                mend="give a permission as text, Module(…), Configured(…) or a function of the caller that is not async.",
            )
    return items


def _is_requirement(item: object) -> bool:
    if isinstance(item, str):
        return bool(item.strip())
    # What an async function or a class answers is never True, so nobody would be offered the tool, and nobody told why.
    is_predicate = callable(item) and not inspect.iscoroutinefunction(item) and not isinstance(item, type)
    return isinstance(item, (Module, Configured)) or is_predicate
