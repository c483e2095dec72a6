"""What a model reads of the tools' results, and the sentences in which they say what became of many codes."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from examples.relabeling.codes import Code, Unreadable
from examples.relabeling.sorting import Sorted
from examples.relabeling.words import counted, listed

NAMED: Final = 12
"""Codes a sentence names before it counts the rest. The data names every one."""


class RefusedRead(BaseModel):
    """A scan that was not collected."""

    scanned: str
    reason: str


class SortedRead(BaseModel):
    """What became of the codes of one message."""

    collected: list[str]
    duplicates: list[str]
    not_collected: list[RefusedRead]
    did_not_fit: list[str]
    total: int
    direction: str | None

    @classmethod
    def of(cls, heaps: Sorted, *, total: int, direction: str | None) -> "SortedRead":
        """*heaps*, read."""
        refused = [RefusedRead(scanned=each.scanned, reason=each.reason) for each in heaps.refused]
        return cls(
            collected=list(heaps.fresh),
            duplicates=list(heaps.duplicates),
            not_collected=refused,
            did_not_fit=list(heaps.left),
            total=total,
            direction=direction,
        )


class CollectedRead(BaseModel):
    """A part of what is collected, from the code with the number `first` on."""

    direction: str | None
    total: int
    first: int
    codes: list[str]


class OrderRead(BaseModel):
    """An order the depot has taken."""

    number: str
    direction: str
    codes: int


def told(heaps: Sorted, total: int) -> str:
    """What became of a message's codes, for people."""
    parts = [f"{counted(len(heaps.fresh), 'code') if heaps.fresh else 'No code'} collected, {total} in all."]
    if heaps.duplicates:
        parts.append(f"Collected before: {listed(heaps.duplicates, NAMED)}.")
    if heaps.refused:
        parts.append(f"Not collected: {reasons(heaps.refused)}.")
    if heaps.left:
        fit = f"{len(heaps.fresh)} of {len(heaps.fresh) + len(heaps.left)} still fit, the notebook is full"
        parts.append(f"{fit}: {heaps.left[0]} and what came after it is not collected. Submit first, then scan those again.")
    return " ".join(parts)


def reasons(refused: Sequence[Unreadable]) -> str:
    """Each scan with its reason."""
    return listed([f"{each.scanned or 'an empty scan'} ({each.reason})" for each in refused], NAMED)


def owners(codes: Sequence[Code]) -> str:
    """Each code with the carriers whose it may be."""
    return listed([f"{code.text} ({' or '.join(code.carriers)})" for code in codes], NAMED)
