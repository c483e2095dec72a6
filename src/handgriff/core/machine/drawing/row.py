"""Things that stand in rows, and lines from row to row: in which order, and how far to the right.

Nothing in a row overlaps anything else in it, and lines run through rows only where a bend has its own room. So no line crosses a text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

GAP: Final = 18.0
"""Between two neighbours in a row."""
_ROUNDS: Final = 12
_LIGHT: Final = 0.01
_HEAVY: Final = 1000.0


@dataclass(slots=True, eq=False)
class Item:
    """Something that stands in a row."""

    row: int
    width: float
    height: float
    is_heading: bool = False
    """Whether it stands first, at the left edge."""
    is_settled: bool = False
    """Whether it stays where it is."""
    x: float = 0.0
    joins: list["Join"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Join:
    """Where a line comes to an item: so far from its left edge."""

    item: Item
    offset: float
    other: "Join | None" = None
    """The other end of this piece of the line."""

    @property
    def x(self) -> float:
        """How far to the right."""
        return self.item.x + self.offset


def joined(upper: Item, lower: Item, offsets: tuple[float, float]) -> tuple[Join, Join]:
    """A piece of a line between items of neighbouring rows."""
    one, other = Join(upper, offsets[0]), Join(lower, offsets[1])
    one.other, other.other = other, one
    upper.joins.append(one)
    lower.joins.append(other)
    return one, other


def arrange(rows: Sequence[list[Item]]) -> None:
    """Order the items of each row so that lines cross little: by those above it and by those below it by turns."""
    for row in rows:
        _pack(row)
    for number in range(_ROUNDS + 1):
        is_down = number % 2 == 0
        for row in rows if is_down else reversed(rows):
            row.sort(key=partial(_wanted_place, from_above=is_down))
            _pack(row)


def straighten(rows: Sequence[Sequence[Item]]) -> None:
    """Move items to where their lines come from, in the order they have: from below and from above by turns."""
    for number in range(_ROUNDS):
        is_down = number % 2 == 1
        left = min((item.x for row in rows for item in row if not item.is_heading), default=0.0)
        for row in rows if is_down else reversed(rows):
            _relax(row, left, from_above=is_down)
    left = min((item.x for row in rows for item in row), default=0.0)
    for row in rows:
        for item in row:
            item.x -= left


def spaced(wanted: Sequence[tuple[float, float]], rooms: Sequence[float]) -> list[float]:
    """Places in this order, each as near to where it is *wanted*, by weight, as the *rooms* between them allow: least squares, by pooling
    those that press on each other."""
    blocks: list[tuple[float, float, int]] = []
    taken = 0.0
    for (place, weight), room in zip(wanted, rooms, strict=True):
        blocks.append((place - taken, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (one, heavy, count), (other, more, others) = blocks[-2:]
            blocks[-2:] = [((one * heavy + other * more) / (heavy + more), heavy + more, count + others)]
        taken += room
    places: list[float] = []
    taken = 0.0
    for place, _, count in blocks:
        for _ in range(count):
            taken += rooms[len(places) - 1] if places else 0.0
            places.append(place + taken)
    return places


def _pack(row: Sequence[Item]) -> None:
    x = 0.0
    for item in row:
        item.x = x
        x += item.width + GAP


def _wanted_place(item: Item, *, from_above: bool) -> tuple[bool, float]:
    middles = [other.x for _, other in _pulls(item, from_above=from_above)]
    return (not item.is_heading, sum(middles) / len(middles) if middles else item.x + item.width / 2)


def _pulls(item: Item, *, from_above: bool) -> list[tuple[Join, Join]]:
    """The lines that come to *item* from rows above, or from below: where, and whence."""
    return [(join, join.other) for join in item.joins if join.other is not None and (join.other.item.row < item.row) == from_above]


def _relax(row: Sequence[Item], left: float, *, from_above: bool) -> None:
    places = spaced([_wanted(item, left, from_above=from_above) for item in row], [item.width + GAP for item in row])
    for item, x in zip(row, places, strict=True):
        item.x = x


def _wanted(item: Item, left: float, *, from_above: bool) -> tuple[float, float]:
    """Where an item would stand, and how much that matters."""
    if item.is_settled:
        return item.x, _HEAVY
    if item.is_heading:
        return left, _HEAVY
    if not item.joins:
        # What no line pulls closes up to the left.
        return left, _LIGHT
    places = [other.x - join.offset for join, other in _pulls(item, from_above=from_above)]
    return (sum(places) / len(places), float(len(places))) if places else (item.x, 1.0)
