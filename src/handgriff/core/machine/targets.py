"""Targets: sibling keys, dotted paths, `.child` and `#id`, found as XState finds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handgriff.core.machine.node import NO_PARENT, Kind
from handgriff.core.machine.plain import near, shown
from handgriff.errors import DefinitionError


@dataclass(slots=True, eq=False)
class Sketch:
    """A state whose place is known, and whose transitions aren't read yet."""

    place: int
    id: str
    key: str
    path: str
    where: str
    kind: Kind
    parent: int
    config: Mapping[str, Any]
    states: dict[str, int] = field(default_factory=dict)
    last: int = 0


class Targets:
    """The states of one machine, to be found by what its transitions say."""

    def __init__(self, machine: str, sketches: Sequence[Sketch]) -> None:
        self._machine = machine
        self._sketches = sketches
        self._by_id = {sketch.id: sketch.place for sketch in sketches}

    def of(self, source: Sketch, target: str, path: str) -> int:
        """The place that *target* names in a transition of *source*.

        Raises:
            DefinitionError: there is none.
        """
        if target.startswith("#"):
            return self._by_hash(target, path)
        if source.parent == NO_PARENT:
            if not target.startswith("."):
                problem = f"{shown(target)} is no target of the machine itself."
                raise DefinitionError(self._machine, path, problem, mend=f"did you mean {shown('.' + target)}?")
            return self._walk(source, segments(target[1:]), path)
        parent = self._sketches[source.parent]
        return self._walk(parent, segments(source.key + target if target.startswith(".") else target), path)

    def beside(self, history: Sketch, target: str, path: str) -> int:
        """The place that *target* names as the default of *history*.

        Raises:
            DefinitionError: there is none.
        """
        if target.startswith("#"):
            return self._by_hash(target, path)
        if target.startswith("."):
            problem = f"{shown(target)} is a child, and a history state has none."
            raise DefinitionError(self._machine, path, problem, mend=f"name a state beside it: {shown(target.lstrip('.'))}.")
        return self._walk(self._sketches[history.parent], segments(target), path)

    def _by_hash(self, target: str, path: str) -> int:
        first, *rest = segments(target[1:])
        if first not in self._by_id:
            ids = ["#" + id_ for id_ in self._by_id]
            raise DefinitionError(self._machine, path, f"there is no state with the id {shown(first)}.", mend=near(target, ids))
        return self._walk(self._sketches[self._by_id[first]], rest, path)

    def _walk(self, start: Sketch, keys: Sequence[str], path: str) -> int:
        sketch = start
        for index, key in enumerate(keys):
            if not key:
                if index + 1 < len(keys):
                    raise DefinitionError(self._machine, path, "the target has an empty step.", mend="write one dot between two keys.")
                break
            if key not in sketch.states:
                problem = f"there is no state {shown(key)} in {shown(sketch.id)}."
                raise DefinitionError(self._machine, path, problem, mend=near(key, sketch.states))
            sketch = self._sketches[sketch.states[key]]
        return sketch.place


def segments(path: str) -> list[str]:
    """The keys of a dotted path; a backslash takes the meaning from the character behind it."""
    keys, key, escaped = [], "", False
    for character in path:
        if escaped:
            key, escaped = key + character, False
        elif character == "\\":
            escaped = True
        elif character == ".":
            keys.append(key)
            key = ""
        else:
            key += character
    return [*keys, key]
