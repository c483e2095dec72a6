"""Which states are active, as places: read from a state value, and written as one.

The order of active states is XState's, because it decides the order of `always` transitions and of what a history remembers.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from handgriff.core.machine.held import HeldDict
from handgriff.core.machine.node import Node, StateValue
from handgriff.core.machine.plain import is_index

Inside: TypeAlias = Mapping[int, Sequence[int]]
"""For each active state the active states directly in it; a state without any may be missing."""

_FLAT: Final = 2
"""Active states where the machine is in one that has no states in it: most are, most of the time."""


def places_of(places: Sequence[Node], value: StateValue) -> list[int]:
    """The active states of *value*, which fits the machine."""
    if isinstance(value, str):
        return [0, places[0].states[value]]
    found: dict[int, None] = {0: None}
    _collect(places, 0, value, found)
    return list(found)


def inside_of(places: Sequence[Node], active: Collection[int]) -> Inside | None:
    """The active states by the state around them; None where they are no configuration."""
    if len(active) == _FLAT and places[0].breadth == 1:
        root, leaf = active
        return {0: (leaf,)} if root == 0 == places[leaf].parent == places[leaf].breadth else None
    inside: dict[int, list[int]] = {place: [] for place in active}
    for place in inside:
        if place:
            around = inside.get(places[place].parent)
            if around is None:
                return None
            around.append(place)
    for place, within in inside.items():
        if len(within) != places[place].breadth:
            return None
    return inside


def seen_inside(places: Sequence[Node], active: Collection[int]) -> Inside:
    """The active states by the state around them, as XState sees them also where they are no configuration."""
    inside = inside_of(places, active)
    if inside is not None:
        return inside
    forced = _grouped(places, completed(places, active))
    for place, within in forced.items():
        # A state value can't say more of a state than its first one, where that has no states in it.
        if places[place].kind == "compound" and places[within[0]].is_leaf:
            del within[1:]
        # Keys that are numbers come first in JavaScript, the smallest first, as they do among the places.
        within.sort(key=lambda child: child if is_index(places[child].key) else len(places))
    return forced


def value_of(places: Sequence[Node], inside: Inside, place: int = 0) -> StateValue:
    """The state value of the active states."""
    within = inside.get(place, ())
    if within and places[place].kind == "compound" and not (child := places[within[0]]).breadth:
        return child.key
    return HeldDict({places[child].key: value_of(places, inside, child) for child in within})


def completed(places: Sequence[Node], active: Iterable[int]) -> list[int]:
    """What XState makes of active states that are no configuration: missing states are filled in, superfluous ones stay."""
    found = dict.fromkeys(active)
    inside = _grouped(places, found)
    growing = list(found)
    for place in growing:
        node = places[place]
        missing = [place] if node.kind == "compound" and not inside.get(place) else []
        if node.kind == "parallel":
            missing = [region for region in node.regions if region not in found]
        for each in missing:
            new = [default for default in _defaults(places, each) if default not in found]
            found |= dict.fromkeys(new)
            growing += new
    for place in growing:
        found |= dict.fromkeys(around(places, place))
    return list(found)


def is_final(places: Sequence[Node], node: Node, active: Container[int]) -> bool:
    """Whether *node* has come to its end."""
    match node.kind:
        case "compound":
            return any(places[child].kind == "final" and child in active for child in node.regions)
        case "parallel":
            return all(is_final(places, places[child], active) for child in node.regions)
        case _:
            return node.kind == "final"


def around(places: Sequence[Node], place: int) -> Iterator[int]:
    """The states around *place*, inside out, the root last."""
    while place:
        place = places[place].parent
        yield place


def _grouped(places: Sequence[Node], active: Iterable[int]) -> dict[int, list[int]]:
    inside: dict[int, list[int]] = {}
    for place in active:
        if place:
            inside.setdefault(places[place].parent, []).append(place)
    return inside


def _defaults(places: Sequence[Node], place: int) -> Iterator[int]:
    node = places[place]
    if node.kind == "history":
        for target in node.fallback:
            yield from _defaults(places, target)
        return
    yield place
    below = node.regions if node.kind == "parallel" else node.initial.targets if node.kind == "compound" and node.initial else ()
    for child in below or ():
        yield from _defaults(places, child)


def _collect(places: Sequence[Node], place: int, value: StateValue, found: dict[int, None]) -> None:
    states = places[place].states
    found[place] = None
    if isinstance(value, str):
        found[states[value]] = None
        return
    found |= {states[key]: None for key in value}
    for key, within in value.items():
        _collect(places, states[key], within, found)
