"""What the tests of machines share: a time, and short ways to read and step one."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from handgriff.core.machine.interpret import next_step, start
from handgriff.core.machine.node import Definition
from handgriff.core.machine.reading import read
from handgriff.core.machine.snapshot import Snapshot, Step

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Functions = Mapping[str, Callable[..., Any]]


def yes(_context: object, _event: object, _params: object) -> bool:
    return True


def no(_context: object, _event: object, _params: object) -> bool:
    return False


GUARDS: Functions = {"yes": yes, "no": no}


def machine(states: Mapping[str, Any], *, guards: Functions | None = None, actions: Functions | None = None, **root: Any) -> Definition:
    """A machine `m` of these states, of which the first is entered first."""
    initial = {} if root.get("type") == "parallel" else {"initial": next(iter(states), None)}
    return read({"id": "m", "states": states, **initial, **root}, {**GUARDS, **(guards or {})}, actions or {})


def begun(definition: Definition) -> Snapshot:
    return start(definition, NOON).snapshot


def sent(definition: Definition, *events: str | Mapping[str, Any], at: datetime = NOON) -> Step:
    """The last step of these events, from the start."""
    step = start(definition, NOON)
    for event in events:
        step = next_step(definition, step.snapshot, {"type": event} if isinstance(event, str) else event, at)
    return step


def names(step: Step) -> list[str]:
    return [action.name for action in step.actions]


def after(milliseconds: int) -> datetime:
    return NOON + timedelta(milliseconds=milliseconds)
