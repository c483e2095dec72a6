"""States that can't be active together. As targets of one transition XState would take them, and forget one when its snapshot is stored."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from handgriff.core.machine.configuration import around
from handgriff.core.machine.node import Candidate, Node
from handgriff.core.machine.plain import member, shown
from handgriff.errors import DefinitionError


def may_be_together(places: Sequence[Node], one: int, other: int) -> bool:
    """Whether both states can be active at the same time: one lies in the other, or they are in different regions."""
    first, second = sorted((one, other))
    shared = next((place for place in around(places, first) if second <= places[place].last), 0)
    return second <= places[first].last or places[shared].kind == "parallel"


def check_targets(places: Sequence[Node], candidates: Iterable[Candidate], machine: str) -> None:
    """Refuse transitions to several states that can't be entered together.

    Raises:
        DefinitionError: there is one.
    """
    for candidate in candidates:
        for one, other in combinations(dict.fromkeys(candidate.targets or ()), 2):
            if not _may_be_entered(places, *sorted((one, other))):
                problem = f"{shown(places[one].id)} and {shown(places[other].id)} can't be entered together."
                mend = "name one of them, or put them into regions of a parallel state."
                raise DefinitionError(machine, member(candidate.path, "target"), problem, mend=mend)


def _may_be_entered(places: Sequence[Node], one: int, other: int) -> bool:
    if other <= places[one].last:
        return False  # the outer one would enter its initial state beside
    return may_be_together(places, one, other) or "history" in {places[one].kind, places[other].kind}
