"""Targets that can't be active together: XState would take them, and forget one of them when its snapshot is stored."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from handgriff.core.machine.configuration import around
from handgriff.core.machine.node import Candidate, Node
from handgriff.core.machine.plain import member, shown
from handgriff.errors import DefinitionError


def check_targets(places: Sequence[Node], candidates: Iterable[Candidate], machine: str) -> None:
    """Refuse transitions to several states that can't be entered together.

    Raises:
        DefinitionError: there is one.
    """
    for candidate in candidates:
        for one, other in combinations(dict.fromkeys(candidate.targets or ()), 2):
            if not _are_compatible(places, *sorted((one, other))):
                problem = f"{shown(places[one].id)} and {shown(places[other].id)} can't be entered together."
                mend = "name one of them, or put them into regions of a parallel state."
                raise DefinitionError(machine, member(candidate.path, "target"), problem, mend=mend)


def _are_compatible(places: Sequence[Node], one: int, other: int) -> bool:
    if other <= places[one].last:
        return False  # the outer one would enter its initial state beside
    shared = next(place for place in around(places, one) if place < other <= places[place].last)
    return places[shared].kind == "parallel" or "history" in {places[one].kind, places[other].kind}
