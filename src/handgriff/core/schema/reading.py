"""Arguments walked along their schema: types set right where that is beyond doubt, every problem noted with its path.

It decides what can be decided from types, names and lists of values; lengths, ranges, patterns and the application's own
rules are left to the library that judges afterwards.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

from handgriff.core.jsontext import Exact, Json, spell
from handgriff.core.schema.conversion import converted
from handgriff.core.schema.formats import format_problem
from handgriff.core.schema.shape import Node, Shape, kind_of
from handgriff.core.schema.words import WHOLE, one_of, unknown, wanted, with_article

Path: TypeAlias = tuple[str | int, ...]

MAX_STEPS = 100_000
"""Visits of places; only a union that refers to itself in two ways gets here, and it would double with each level."""


class TooComplexError(ValueError):
    """The arguments fit the schema in too many ways to look at them all."""


class Reading:
    """One walk. Afterwards it holds the problems by path and the notes of what was read otherwise than sent."""

    problems: dict[str, str]
    notes: list[str]
    mistaken: int
    """Values that aren't in their list: the surest sign that another alternative was meant."""

    def __init__(self, shape: Shape, *, steps: int = 0) -> None:
        self.problems = {}
        self.notes = []
        self.mistaken = 0
        self._shape = shape
        self._steps = steps

    def read(self, value: Json, pointer: str, path: Path = (), *, was_text: bool = False) -> Json:
        """Return *value* as the place accepts it; the very same object where nothing had to change.

        Raises:
            TooComplexError: it can't be decided within bounds.
        """
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooComplexError
        node, accepted = self._shape.nodes[pointer], self._shape.accepted[pointer]
        if kind_of(value) not in accepted:
            conversion = converted(value, accepted, was_text=was_text)
            if isinstance(conversion, str):
                self._object(path, conversion or f"expected {wanted(self._shape, pointer)}, got {with_article(kind_of(value))}")
                return value
            value, was_text = conversion.value, was_text or conversion.was_text
            if conversion.note:
                self.notes.append(f"{spell(path) or WHOLE}: {conversion.note}")
        return self._satisfied(self._own(value, node, path, was_text=was_text), node, path, was_text=was_text)

    def _object(self, path: Path, problem: str) -> None:
        self.problems.setdefault(spell(path) or WHOLE, problem)

    def _own(self, value: Json, node: Node, path: Path, *, was_text: bool) -> Json:
        if node.choices is not None and not any(equal(value, choice) for choice in node.choices):
            self.mistaken += 1
            self._object(path, f"expected {one_of(node.choices)}")
        if isinstance(value, str) and node.format and (problem := format_problem(node.format, value)):
            self._object(path, problem)
        if isinstance(value, float) and node.is_decimal:
            return _digits(value)
        if isinstance(value, dict):
            return self._members(value, node, path, was_text=was_text)
        if isinstance(value, list) and (node.items or node.first_items):
            return self._items(value, node, path, was_text=was_text)
        return value

    def _members(self, value: dict[str, Json], node: Node, path: Path, *, was_text: bool) -> Json:
        changed: dict[str, Json] = {}
        for name, member in value.items():
            place = node.properties.get(name, node.rest)
            if place is not None:
                changed[name] = self.read(member, place, (*path, name), was_text=was_text)
            elif node.is_closed:
                self._object((*path, name), unknown(name, (known for known in node.properties if known not in value)))
            else:
                changed[name] = member
        for name in node.required:
            if name not in value:
                self._object((*path, name), f"missing; expected {self._wanted_member(node, name)}")
        return value if _is_same(value, changed) else changed

    def _wanted_member(self, node: Node, name: str) -> str:
        place = node.properties.get(name)
        return wanted(self._shape, place) if place else "a value"

    def _items(self, value: list[Json], node: Node, path: Path, *, was_text: bool) -> Json:
        changed: list[Json] = []
        for index, item in enumerate(value):
            place = node.first_items[index] if index < len(node.first_items) else node.items
            changed.append(item if place is None else self.read(item, place, (*path, index), was_text=was_text))
        return value if all(new is old for new, old in zip(changed, value, strict=True)) else changed

    def _satisfied(self, value: Json, node: Node, path: Path, *, was_text: bool) -> Json:
        for place in node.every:
            value = self.read(value, place, path, was_text=was_text)
        for group in node.groups:
            value = self._chosen(value, group, path, was_text=was_text)
        return value

    def _chosen(self, value: Json, group: tuple[str, ...], path: Path, *, was_text: bool) -> Json:
        possible = [place for place in group if kind_of(value) in self._shape.accepted[place]]
        if len(possible) == 1:
            return self.read(value, possible[0], path, was_text=was_text)
        best: tuple[Reading, Json] | None = None
        for place in possible:
            trial = Reading(self._shape, steps=self._steps)
            read = trial.read(value, place, path, was_text=was_text)
            self._steps = trial._steps
            if best is None or _rank(trial) < _rank(best[0]):
                best = (trial, read)
            if not trial.problems:
                break
        if best is None:
            return value
        self._adopt(best[0])
        return best[1]

    def _adopt(self, trial: "Reading") -> None:
        for where, problem in trial.problems.items():
            self.problems.setdefault(where, problem)
        self.notes += trial.notes
        self.mistaken += trial.mistaken


def fits(shape: Shape, pointer: str, value: Json) -> bool:
    """Say whether *value* is what the place accepts, as far as types, names and lists of values tell."""
    reading = Reading(shape)
    reading.read(value, pointer)
    return not reading.problems


def equal(one: Json, other: Json) -> bool:
    """Compare as JSON does: 3.0 is 3, true isn't 1."""
    match one, other:
        case (bool(), _) | (_, bool()) | (None, _) | (_, None):
            return one is other
        case (list(), list()):
            return len(one) == len(other) and all(equal(first, second) for first, second in zip(one, other, strict=True))
        case (dict(), dict()):
            return one.keys() == other.keys() and all(equal(value, other[name]) for name, value in one.items())
        case _:
            return one == other


def _rank(trial: Reading) -> tuple[int, int]:
    return trial.mistaken, len(trial.problems)


def _digits(value: float) -> str:
    # A decimal crosses as text: as a number, the judge would read it through a float and lose digits.
    from_text = value.literal if isinstance(value, Exact) else repr(value)
    return format(Decimal(from_text), "f")


def _is_same(value: Mapping[str, Json], changed: Mapping[str, Json]) -> bool:
    return len(value) == len(changed) and all(changed[name] is member for name, member in value.items())
