"""Recorded machines, one a line: a config, events, and what XState answered after its start and after each of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonError

COMPARED: Final = ("value", "status", "history", "actions")
"""What is compared after every step."""
_ERROR: Final = "error"
"""The status of a start that found no end."""


class BadLineError(ValueError):
    """A line that is no recorded machine; it says which line, and what is wrong with it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class Vector:
    """One machine with what XState answered."""

    number: int
    """Its line, counted from 1."""
    config: Mapping[str, Json]
    events: tuple[Mapping[str, Json], ...]
    steps: tuple[Mapping[str, Json], ...]
    """After the start and after each event that XState was still sent: `value`, `status`, `history`, `actions`."""
    is_endless: bool
    """Whether XState found no end after the last of the steps."""


def read_vectors(lines: Iterable[str], answers: Iterable[str] | None = None) -> Iterator[Vector]:
    """The machines of *lines*; what XState answered is in each line, or in the line of *answers* beside it.

    Raises:
        BadLineError: a line is none.
    """
    beside = None if answers is None else iter(answers)
    for number, line in enumerate(lines, start=1):
        members = _object(_loaded(line, number), number, "the line")
        answer = members.get("expected") if beside is None else _loaded(next(beside, ""), number)
        yield _vector(members, _object(answer, number, "'expected'"), number)


def _vector(members: Mapping[str, Json], expected: Mapping[str, Json], number: int) -> Vector:
    config = _object(members.get("config"), number, "'config'")
    events = [_object(each, number, "an event") for each in _list(members.get("events"), number, "'events'")]
    steps = [_object(each, number, "a step") for each in _list(expected.get("steps"), number, "'expected.steps'")]
    if any(not isinstance(event.get("type"), str) for event in events):
        raise BadLineError(number, "an event has no type")
    is_endless = bool(expected.get("error")) or (bool(steps) and steps[-1].get("status") == _ERROR)
    steps = [step for step in steps if step.get("status") != _ERROR]
    for step in steps:
        missing = [name for name in COMPARED if name not in step]
        if missing:
            raise BadLineError(number, f"a step has no {', '.join(missing)}")
    if not steps and not is_endless:
        raise BadLineError(number, "there is no step, not even the start")
    if len(steps) + is_endless > len(events) + 1:
        raise BadLineError(number, "there are more steps than events")
    return Vector(number, config, tuple(events), tuple(steps), is_endless)


def _loaded(line: str, number: int) -> Json:
    try:
        return jsontext.loads(line)
    except JsonError as error:
        raise BadLineError(number, f"it isn't JSON: {error}") from error


def _object(value: Json, number: int, what: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise BadLineError(number, f"{what} is no object")


def _list(value: Json, number: int, what: str) -> list[Json]:
    if isinstance(value, list):
        return value
    raise BadLineError(number, f"{what} is no list")
