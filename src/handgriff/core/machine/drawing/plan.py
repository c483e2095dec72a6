"""How arrows run through nested states, before anything has a size: what is above what, and which borders an arrow crosses where.

Within every state that has states, those stand in ranks from top to bottom; an arrow that leads down leaves at the bottom and enters at the
top, one that leads back up does the reverse. An arrow from or into a state further inside crosses the borders between at ports.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from handgriff.core.machine.drawing.picture import Arrow, Drawn, Picture

Side: TypeAlias = Literal["top", "bottom"]


@dataclass(frozen=True, slots=True)
class Link:
    """The part of an arrow that runs within one state."""

    arrow: int
    upper: int | None
    """The state in it that it begins below of; None for the port of the arrow, or where the state begins."""
    lower: int | None
    """The state in it that it ends above of; None for the port of the arrow."""
    points_up: bool
    has_head: bool
    """Whether the arrow ends here."""
    labels: tuple[str, ...] = ()
    is_beginning: bool = False
    """Whether it starts where the state begins."""


@dataclass(slots=True)
class Inside:
    """What is in one state."""

    ranks: Mapping[int, int]
    """Of the states in it."""
    links: list[Link] = field(default_factory=list)
    ports: dict[int, Side] = field(default_factory=dict)
    """Where arrows cross its border, or begin or end at it."""


class _Crossing(NamedTuple):
    """An arrow at the border of a state."""

    arrow: int
    end: int
    """The state that it leads to, or comes from, in there."""
    side: Side
    is_target: bool


def planned(picture: Picture) -> Mapping[int, Inside]:
    """What is in every state that has states, by its place."""
    planning = _Planning(picture)
    planning.fill(0, [])
    return planning.found


class _Planning:
    def __init__(self, picture: Picture) -> None:
        self.found: dict[int, Inside] = {}
        self._states = picture.states
        self._arrows = (*picture.arrows, *picture.beginnings)
        self._first_beginning = len(picture.arrows)
        self._around: dict[int, list[int]] = {}
        for number, arrow in enumerate(self._arrows):
            if arrow.source != arrow.target:
                self._around.setdefault(self._enclosing(arrow), []).append(number)

    def fill(self, place: int, crossings: Sequence[_Crossing]) -> None:
        """Plan the inside of a state, and of those in it."""
        state = self._states[place]
        arrows = [(number, self._arrows[number]) for number in self._around.get(place, ())]
        between = [(self._child(place, arrow.source), self._child(place, arrow.target)) for _, arrow in arrows]
        first = next((self._child(place, arrow.target) for number, arrow in arrows if number >= self._first_beginning), None)
        inside = Inside(_ranks(state, [(one, other) for one, other in between if one is not None and other is not None], first))
        self.found[place] = inside
        deeper: dict[int, list[_Crossing]] = {child: [] for child in state.children}
        for crossing in crossings:
            inside.ports[crossing.arrow] = crossing.side
            self._pass_on(place, inside, crossing, deeper)
        for (number, arrow), (source, target) in zip(arrows, between, strict=True):
            self._connect(inside, number, arrow, (source, target), deeper)
        for child, into in deeper.items():
            if self._states[child].children:
                self.fill(child, into)

    def _pass_on(self, place: int, inside: Inside, crossing: _Crossing, deeper: Mapping[int, list[_Crossing]]) -> None:
        child = self._child(place, crossing.end)
        if child is None:
            return
        is_top = crossing.side == "top"
        upper, lower = (None, child) if is_top else (child, None)
        has_head = crossing.is_target and child == crossing.end
        inside.links.append(Link(crossing.arrow, upper, lower, is_top != crossing.is_target, has_head))
        deeper[child].append(crossing)

    def _connect(
        self, inside: Inside, number: int, arrow: Arrow, ends: tuple[int | None, int | None], deeper: Mapping[int, list[_Crossing]]
    ) -> None:
        """An arrow between two states in it, or from or to its own border."""
        source, target = ends
        has_head = target is None or target == arrow.target
        is_up = source is not None and target is not None and inside.ranks[source] > inside.ranks[target]
        upper, lower = (target, source) if is_up else (source, target)
        is_beginning = number >= self._first_beginning
        inside.links.append(Link(number, upper, lower, is_up, has_head, arrow.labels, is_beginning))
        if source is None and not is_beginning:
            inside.ports[number] = "top"
        if target is None:
            inside.ports[number] = "bottom"
        if source is not None:
            deeper[source].append(_Crossing(number, arrow.source, "top" if is_up else "bottom", is_target=False))
        if target is not None:
            deeper[target].append(_Crossing(number, arrow.target, "bottom" if is_up else "top", is_target=True))

    def _child(self, place: int, end: int) -> int | None:
        """The state in *place* that *end* is, or is in; None where *end* is *place* itself."""
        if end == place:
            return None
        while self._states[end].parent != place:
            end = self._states[end].parent
        return end

    def _enclosing(self, arrow: Arrow) -> int:
        around = list(self._up_from(arrow.source))
        return next(place for place in self._up_from(arrow.target) if place in around)

    def _up_from(self, place: int) -> Iterator[int]:
        yield place
        while place:
            place = self._states[place].parent
            yield place


def _ranks(state: Drawn, edges: Sequence[tuple[int, int]], first: int | None) -> Mapping[int, int]:
    """The ranks of the states in *state*: each below those that lead to it, as far as no circle forbids it."""
    after: dict[int, list[int]] = {child: [] for child in state.children}
    for source, target in edges:
        after[source].append(target)
    forward: dict[int, list[int]] = {child: [] for child in state.children}
    finished: dict[int, None] = {}
    for beginning in ([] if first is None else [first]) + list(state.children):
        _visit(beginning, after, forward, finished)
    ranks = dict.fromkeys(state.children, 0)
    for child in reversed(finished):
        for target in forward[child]:
            ranks[target] = max(ranks[target], ranks[child] + 1)
    return ranks


def _visit(beginning: int, after: Mapping[int, Sequence[int]], forward: Mapping[int, list[int]], finished: dict[int, None]) -> None:
    """Depth first; what leads back to where the search still is, is left out of *forward*."""
    if beginning in finished:
        return
    way, waiting = {beginning: None}, [iter(after[beginning])]
    while waiting:
        child = next(reversed(way))
        target = next(waiting[-1], None)
        if target is None:
            waiting.pop()
            del way[child]
            finished[child] = None
        elif target not in way:
            forward[child].append(target)
            if target not in finished:
                way[target] = None
                waiting.append(iter(after[target]))
