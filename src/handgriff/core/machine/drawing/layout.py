"""Where everything of a picture is: boxes within boxes, lines through rows, texts with room of their own.

A box is made from the inside out: its heading stands at the top beside the ports there, then come its states with rows for texts and bends
between them, then the ports at the bottom.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from handgriff.core.machine.drawing.box import ASIDE, PAD, Box, Path, Text, add_loop, heading_of, leaf
from handgriff.core.machine.drawing.lettering import LINE, SMALL, clipped, width
from handgriff.core.machine.drawing.picture import Drawn, Picture
from handgriff.core.machine.drawing.plan import Inside, Link, planned
from handgriff.core.machine.drawing.row import Item, Join, arrange, joined, spaced, straighten

_SLOT: Final = 22.0
"""Between two arrows at a border."""
_BEND: Final = 8.0
_DOT: Final = 12.0
_CLOSE, _FAR, _SLOPE = 12.0, 44.0, 0.12
"""Between two rows: at least, at most, and for each unit that a line between them goes sideways."""


def laid_out(picture: Picture) -> Box:
    """The box of the machine, with all that is in it."""
    loops = {arrow.source: arrow.labels for arrow in picture.arrows if arrow.source == arrow.target}
    return _box(0, picture, planned(picture), loops)


def _box(place: int, picture: Picture, plan: Mapping[int, Inside], loops: Mapping[int, tuple[str, ...]]) -> Box:
    state = picture.states[place]
    if place in plan:
        rows = _Rows(state, plan[place], {child: _box(child, picture, plan, loops) for child in state.children})
        rows.arrange()
        box = rows.box()
    else:
        box = leaf(state)
    if loops.get(place):
        add_loop(box, loops[place])
    return box


class _Stop(NamedTuple):
    """Where a line comes through a row."""

    item: Item
    offset: float


class _Rows:
    """The rows in one box, while they are made."""

    def __init__(self, state: Drawn, inside: Inside, boxes: Mapping[int, Box]) -> None:
        self._state = state
        self._boxes = boxes
        self._last = 2 * max(inside.ranks.values(), default=0) + 4
        self._rows: list[list[Item]] = [[] for _ in range(self._last + 1)]
        self._heading = self._add(0, *heading_of(state), is_heading=True)
        for child, box in boxes.items():
            if not box.boxes and box.state.kind != "history":
                arrows = max(sum(link.upper == child for link in inside.links), sum(link.lower == child for link in inside.links))
                box.width = max(box.width, arrows * _SLOT)
        self._items = {child: self._add(2 * inside.ranks[child] + 2, box.room, box.height) for child, box in boxes.items()}
        self._ports = {arrow: self._add(0 if side == "top" else self._last, _SLOT, 0.0) for arrow, side in inside.ports.items()}
        self._dots: list[Item] = []
        self._lines = [(link, self._line(link)) for link in inside.links]

    def arrange(self) -> None:
        """Find the order and the places of all items."""
        rows = [row for row in self._rows if row]
        arrange(rows)
        straighten(rows)
        for child, item in self._items.items():
            item.is_settled = True
            if self._boxes[child].state.kind != "history" and not self._boxes[child].boxes:
                _spread(item, self._boxes[child].width)
        straighten(rows)
        for child, item in self._items.items():
            if self._boxes[child].state.kind != "history" and not self._boxes[child].boxes:
                _spread(item, self._boxes[child].width)

    def box(self) -> Box:
        """The box around them."""
        across = max(item.x + item.width for row in self._rows for item in row) + 2 * PAD
        tops, bottoms = self._heights()
        has_bottom_ports = bool(self._rows[self._last])
        box = Box(self._state, across, bottoms[-1] + (0.0 if has_bottom_ports else PAD))
        for child, item in self._items.items():
            inner = self._boxes[child]
            middle = (tops[item.row] + bottoms[item.row] - inner.height) / 2
            inner.x, inner.y = PAD + item.x, tops[item.row] if inner.boxes else middle
            box.boxes.append(inner)
        box.ports = {arrow: PAD + item.x + item.width / 2 for arrow, item in self._ports.items()}
        box.dots = [(PAD + item.x + item.width / 2, (tops[0] + bottoms[0]) / 2) for item in self._dots]
        for link, joins in self._lines:
            box.paths.append(Path(self._points(link, joins, tops, bottoms, box), link.has_head))
            box.texts += self._text(link, joins, tops, bottoms)
        return box

    def _add(self, row: int, across: float, down: float, *, is_heading: bool = False) -> Item:
        item = Item(row, across, down, is_heading)
        self._rows[row].append(item)
        return item

    def _line(self, link: Link) -> list[tuple[Join, Join]]:
        """The pieces of a line, from row to row."""
        above, below = self._end(link, link.upper), self._end(link, link.lower)
        between = range(above.item.row + 1, below.item.row)
        labelled = (between[-1] if link.points_up else between[0]) if link.labels else None
        stops = [above, *(self._through(row, link.labels if row == labelled else ()) for row in between), below]
        return [joined(upper.item, lower.item, (upper.offset, lower.offset)) for upper, lower in pairwise(stops)]

    def _end(self, link: Link, child: int | None) -> _Stop:
        if child is not None:
            box = self._boxes[child]
            return _Stop(self._items[child], box.ports.get(link.arrow, box.width / 2))
        if link.is_beginning:
            self._dots.append(self._add(0, _DOT, _DOT))
            return _Stop(self._dots[-1], _DOT / 2)
        return _Stop(self._ports[link.arrow], _SLOT / 2)

    def _through(self, row: int, labels: Sequence[str]) -> _Stop:
        if not labels:
            return _Stop(self._add(row, _BEND, 0.0), _BEND / 2)
        across = max(width(clipped(label), SMALL) for label in labels)
        return _Stop(self._add(row, across + 2 * ASIDE, len(labels) * LINE), ASIDE / 2)

    def _heights(self) -> tuple[list[float], list[float]]:
        """Of each row the top and the bottom."""
        tops, bottoms, y = [], [], PAD
        for row in self._rows:
            tops.append(y)
            y += max((item.height for item in row), default=0.0)
            bottoms.append(y)
            sideways = [abs(join.x - join.other.x) for item in row for join in item.joins if join.other and join.other.item.row > item.row]
            if row and row is not self._rows[-1]:
                y += min(_FAR, _CLOSE + _SLOPE * max(sideways, default=0.0))
        return tops, bottoms

    def _points(
        self, link: Link, joins: Sequence[tuple[Join, Join]], tops: Sequence[float], bottoms: Sequence[float], box: Box
    ) -> tuple[tuple[float, float], ...]:
        first, last = joins[0][0], joins[-1][1]
        begin = 0.0 if link.upper is None else self._boxes[link.upper].y + self._boxes[link.upper].height
        if link.is_beginning:
            begin = (tops[0] + bottoms[0]) / 2
        end = box.height if link.lower is None else self._boxes[link.lower].y
        points = [(first.x, begin), (first.x, bottoms[first.item.row])]
        for _, join in joins[:-1]:
            points += [(join.x, tops[join.item.row]), (join.x, bottoms[join.item.row])]
        points += [(last.x, tops[last.item.row]), (last.x, end)]
        moved = [(PAD + x, y) for x, y in points]
        return tuple(reversed(moved) if link.points_up else moved)

    def _text(self, link: Link, joins: Sequence[tuple[Join, Join]], tops: Sequence[float], bottoms: Sequence[float]) -> Iterator[Text]:
        if link.labels:
            join = joins[-2][1] if link.points_up else joins[0][1]
            row = join.item.row
            y = (tops[row] + bottoms[row] - join.item.height) / 2
            yield Text(PAD + join.x + ASIDE, y, tuple(map(clipped, link.labels)))


def _spread(item: Item, across: float) -> None:
    """Give every line that comes to a state a place of its own at its border, as near to straight as there is room."""
    for is_above in (True, False):
        joins = [(join.other.x, join) for join in item.joins if join.other is not None and (join.other.item.row < item.row) == is_above]
        joins.sort(key=lambda each: each[0])
        places = spaced([(x - item.x, 1.0) for x, _ in joins], [_SLOT] * len(joins))
        for number, (place, (_, join)) in enumerate(zip(places, joins, strict=True)):
            first, last = (number + 0.5) * _SLOT, across - (len(joins) - number - 0.5) * _SLOT
            join.offset = min(max(place, first), last)
