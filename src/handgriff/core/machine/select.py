"""Which transitions are taken: by an event, innermost states first, or by none, where they are `always` there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handgriff.core.machine.calling import passes
from handgriff.core.machine.configuration import Inside, places_of, seen_inside
from handgriff.core.machine.event import Event
from handgriff.core.machine.moving import History, left_by
from handgriff.core.machine.node import Candidate, Definition, Node
from handgriff.core.machine.snapshot import Snapshot

Json = Mapping[str, Any]


def candidates(node: Node, event: str) -> Sequence[Candidate]:
    """What *node* itself does on an event of this type: by its name first, then by wildcards, the longest first."""
    named = node.table.get(event, ())
    if not node.wildcards:
        return named
    found = list(named)
    for descriptor, prefix in node.wildcards:
        if descriptor != event and (prefix is None or event == prefix or event.startswith(f"{prefix}.")):
            found += node.table[descriptor]
    return found


def chosen(definition: Definition, inside: Inside, context: Json, event: Event) -> list[Candidate]:
    """What *event* takes."""
    return _chosen(definition, inside, 0, context, event)


def eventless(definition: Definition, active: Iterable[int], context: Json, event: Event) -> list[Candidate]:
    """What is taken without an event; guards see the last one."""
    if not definition.has_always:
        return []
    found: dict[int, Candidate] = {}
    for place in active:
        for around in definition.places[place].eventless:
            taken = _first(definition, definition.places[around].always, context, event)
            if taken is not None:
                found[taken.number] = taken
                break
    return list(found.values())


def without_conflicts(definition: Definition, taken: list[Candidate], active: Iterable[int], history: History) -> list[Candidate]:
    """*taken* without those that would leave a state that another one leaves: inner states win, then earlier ones."""
    places = definition.places
    kept: dict[int, tuple[Candidate, set[int]]] = {}
    for candidate in taken:
        first, last = left_by(places, candidate, history)
        left = {place for place in active if first <= place <= last}
        rivals = [number for number, (_, others) in kept.items() if left & others]
        losers = []
        for number in rivals:
            source = kept[number][0].source
            if not source < candidate.source <= places[source].last:
                break
            losers.append(number)
        if len(losers) == len(rivals):
            for number in losers:
                del kept[number]
            kept[candidate.number] = (candidate, left)
    return [candidate for candidate, _ in kept.values()]


def could(definition: Definition, snapshot: Snapshot, event: str) -> bool:
    """Whether an event of this type may be taken, whatever the guards say."""
    if snapshot.status == "done":
        return False
    return _possible(definition, standing(definition, snapshot), 0, event)[0]


def standing(definition: Definition, snapshot: Snapshot) -> Inside:
    """The active states of *snapshot* by the state around them."""
    return seen_inside(definition.places, places_of(definition.places, snapshot.value))


def _chosen(definition: Definition, inside: Inside, place: int, context: Json, event: Event) -> list[Candidate]:
    found: list[Candidate] = []
    for child in inside.get(place, ()):
        found += _chosen(definition, inside, child, context, event)
    if found:
        return found
    own = candidates(definition.places[place], event.type)
    taken = _first(definition, own, context, event) if own else None
    return found if taken is None else [taken]


def _first(definition: Definition, of: Iterable[Candidate], context: Json, event: Event) -> Candidate | None:
    for candidate in of:
        if (candidate.guard is None and candidate.route is None) or passes(definition, candidate, context, event):
            return candidate
    return None


def _possible(definition: Definition, inside: Inside, place: int, event: str) -> tuple[bool, bool]:
    """Whether the event may do something from *place* down, and whether it surely ends there."""
    below = [_possible(definition, inside, child, event) for child in inside.get(place, ())]
    may, ends = any(one for one, _ in below), any(one for _, one in below)
    for candidate in () if ends else candidates(definition.places[place], event):
        may = may or not candidate.is_forbidding
        if candidate.guard is None and candidate.route is None:
            return may, True
    return may, ends
