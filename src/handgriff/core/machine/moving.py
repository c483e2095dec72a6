"""What transitions leave and what they enter, by the rules of SCXML as XState reads them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from handgriff.core.machine.configuration import around
from handgriff.core.machine.node import NO_PARENT, ActionRef, Candidate, Entry, Move, Node

History: TypeAlias = Mapping[int, Sequence[int]]
"""For each history state that has one, the states that were active."""

NOTHING_LEFT: Final = (1, 0)


def left_by(places: Sequence[Node], candidate: Candidate, history: History) -> tuple[int, int]:
    """The first and the last place that *candidate* leaves, of those that are active."""
    if not candidate.targets:
        return NOTHING_LEFT
    domain = _domain(places, candidate, history)
    return (domain + 1, places[max(domain, 0)].last)


def entered_by(places: Sequence[Node], candidates: Iterable[Candidate], history: History) -> tuple[Entry, ...]:
    """What *candidates*, taken together, enter."""
    entering = _Entering(places, history)
    for candidate in candidates:
        entering.follow(candidate)
    return tuple(Entry(place, entering.actions(place)) for place in sorted(entering.found))


def move_of(places: Sequence[Node], candidate: Candidate) -> Move | None:
    """What *candidate* alone comes to; None where that depends on history."""
    if any(places[target].kind == "history" for target in candidate.targets or ()):
        return None
    asked = _Asked()
    first, last = left_by(places, candidate, asked)
    entries = entered_by(places, (candidate,), asked)
    return None if asked.was_asked else Move(first, last, entries)


class _Asked(dict[int, Sequence[int]]):
    """An empty history that remembers whether it mattered."""

    was_asked = False

    def get(self, _place: int, default: Any = None) -> Any:
        self.was_asked = True
        return default


def _domain(places: Sequence[Node], candidate: Candidate, history: History) -> int:
    """The innermost state that stays active throughout; `NO_PARENT` where even the root is left."""
    targets = list(dict.fromkeys(_effective(places, candidate.targets or (), history)))
    source = places[candidate.source]
    if not candidate.reenter and all(source.place <= target <= source.last for target in targets):
        return source.place
    head, *others = (*targets, source.place)
    for place in around(places, head):
        if all(place < other <= places[place].last for other in others):
            return place
    return NO_PARENT if candidate.reenter else 0


def _effective(places: Sequence[Node], targets: Iterable[int], history: History) -> Iterator[int]:
    """*targets*, with history states replaced by what they stand for."""
    for target in targets:
        node = places[target]
        if node.kind != "history":
            yield target
        else:
            yield from history.get(target, node.fallback)


class _Entering:
    """The states to enter, while they are being found."""

    def __init__(self, places: Sequence[Node], history: History) -> None:
        self.found: set[int] = set()
        self._by_default: set[int] = set()
        self._places = places
        self._history = history

    def follow(self, candidate: Candidate) -> None:
        """Add what *candidate* enters."""
        domain = _domain(self._places, candidate, self._history)
        for target in candidate.targets or ():
            is_inside = candidate.source == target == domain and not candidate.reenter
            if self._places[target].kind != "history" and not is_inside:
                self._add(target)
            self._descend(target)
        limit = NO_PARENT if candidate.source == 0 and candidate.reenter else domain
        for target in _effective(self._places, candidate.targets or (), self._history):
            self._surround(self._up_to(target, domain), limit)
            if domain != NO_PARENT and self._places[domain].kind == "parallel":
                self._surround((domain,), limit)

    def actions(self, place: int) -> tuple[ActionRef, ...]:
        """All that is performed when the state at *place* is entered."""
        node = self._places[place]
        if node.initial is None or place not in self._by_default:
            return node.entering
        return (*node.entering, *node.initial.actions)

    def _add(self, place: int) -> None:
        self.found.add(place)
        self._by_default.add(place)

    def _descend(self, place: int) -> None:
        node = self._places[place]
        match node.kind:
            case "history":
                self._recall(node)
            case "compound":
                for target in (node.initial.targets if node.initial else None) or ():
                    if self._places[target].kind != "history":
                        self._add(target)
                    self._descend(target)
                    self._surround(self._up_to(target, place))
            case "parallel":
                self._fill(node, by_default=True)
            case "atomic" | "final":
                pass

    def _recall(self, node: Node) -> None:
        remembered = self._history.get(node.place)
        for place in node.fallback if remembered is None else remembered:
            self.found.add(place)
            if remembered is None and node.is_fallback_initial:
                self._by_default.add(node.parent)
            self._descend(place)
        for place in node.fallback if remembered is None else remembered:
            self._surround(self._up_to(place, node.parent))

    def _surround(self, ancestors: Iterable[int], limit: int = NO_PARENT) -> None:
        """Add *ancestors*, as far as they are below *limit*, and what they enter beside."""
        for place in ancestors:
            node = self._places[place]
            if limit == NO_PARENT or limit < place <= self._places[limit].last:
                self.found.add(place)
            if node.kind == "parallel":
                self._fill(node, by_default=False)

    def _fill(self, node: Node, *, by_default: bool) -> None:
        """Enter every region of *node* that nothing has been found in."""
        for region in node.regions:
            last = self._places[region].last
            if any(region < place <= last for place in self.found):
                continue
            if by_default:
                self._by_default.add(region)
            self.found.add(region)
            self._descend(region)

    def _up_to(self, place: int, limit: int) -> Iterator[int]:
        """The states around *place*, inside out, up to *limit*, which isn't among them."""
        if place == limit:
            return
        for each in around(self._places, place):
            if each == limit:
                return
            yield each
