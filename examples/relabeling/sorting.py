"""What becomes of each code of a message: collected, known already, turned down for a reason, or left because nothing more fits.

It is a pure question about readings and what is there; the tool that asks it writes the answer down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from examples.relabeling.codes import Code, Reading, Unreadable
from examples.relabeling.notebook import Collected, fitting


@dataclass(frozen=True, slots=True)
class Sorted:
    """A message's codes, each in one of four heaps."""

    fresh: tuple[str, ...]
    duplicates: tuple[str, ...]
    refused: tuple[Unreadable, ...]
    left: tuple[str, ...]
    """Fine, but the notebook is full before them."""


def sort(readings: Sequence[Reading], held: Collected, ordered: Mapping[str, str]) -> Sorted:
    """Put *readings* in heaps; *ordered* names the order of a code that is in one already."""
    known = set(held.texts)
    fresh, duplicates, refused = list[str](), list[str](), list[Unreadable]()
    for reading in readings:
        if isinstance(reading, Unreadable):
            refused.append(reading)
        elif (reason := _misplaced(reading, held, ordered)) is not None:
            refused.append(Unreadable(reading.text, reason))
        elif reading.text in known:
            duplicates.append(reading.text)
        else:
            known.add(reading.text)
            fresh.append(reading.text)
    fits = fitting(held.texts, fresh)
    return Sorted(tuple(fresh[:fits]), tuple(dict.fromkeys(duplicates)), tuple(refused), tuple(fresh[fits:]))


def _misplaced(code: Code, held: Collected, ordered: Mapping[str, str]) -> str | None:
    if code.text in ordered:
        return f"it is in order {ordered[code.text]} already"
    if held.direction is not None and held.direction.misfits([code]):
        return f"it is {code.form}, and the direction is {held.direction}"
    return None
