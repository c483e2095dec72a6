"""What an author promises of a machine, to be proved over all its configurations when the assistant is built.

Guards may say yes or no, so a promise that something never happens is proved whatever they say; one that something can happen holds where
they let it.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class OnlyAfter:
    """`later` happens only where `earlier` has happened before: `OnlyAfter("discharge", "approve")`.

    Each is an event of the machine, a state of it (being in it), or a tool bound to it (being callable as `later`, its event as `earlier`).
    """

    later: str
    earlier: str


@dataclass(frozen=True, slots=True, init=False)
class NeverTogether:
    """These states are never active at the same time."""

    states: tuple[str, ...]

    def __init__(self, *states: str) -> None:
        object.__setattr__(self, "states", states)


@dataclass(frozen=True, slots=True)
class AlwaysReaches:
    """From wherever an instance may be, a way leads to `state`."""

    state: str


Invariant: TypeAlias = OnlyAfter | NeverTogether | AlwaysReaches
