"""The arithmetic of one commit on one place: its cells before, a delta's operations, its cells after. Stores read and write; this computes.

A place is one scope of one owner, or one scratch record. A deleted key keeps its cell without a text, because its version goes on counting.

In a place the order is: `Renew` lets go of what is expired, the guards are looked at, `Clear` empties it, the changes apply.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from handgriff.core.delta import Change, ChangeRefused, Clear, Delta, Expect, Operation, Renew, changed, is_write
from handgriff.core.scope import Scope
from handgriff.core.state import StateLimits, Totals


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands at one key: its text, None where it was deleted, and its version."""

    text: str | None
    version: int


class BoundReached(Exception):  # an answer: it does not fit
    """A bound of `StateLimits` is passed. `subject` is the key of a value, or the scope."""

    subject: str

    def __init__(self, subject: str) -> None:
        super().__init__(f"the bound of {subject!r} is passed")
        self.subject = subject


@dataclass(frozen=True, slots=True)
class Part:
    """What a delta does to one place."""

    scope: Scope
    namespace: str
    guards: tuple[Expect, ...]
    changes: tuple[Change, ...]
    renew: Renew | None = None
    clears: bool = False
    """Whether the record is removed; what stands in `changes` came after it and begins a new one."""

    @property
    def removes(self) -> bool:
        """Whether no record is left."""
        return self.clears and not self.changes

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys it looks at, each once."""
        return tuple(dict.fromkeys(operation.key for operation in (*self.guards, *self.changes)))


@dataclass(frozen=True, slots=True)
class Computed:
    """A place after a part: the cells that are to be written, and what it holds then."""

    cells: Mapping[str, Cell]
    totals: Totals


def parts(delta: Delta) -> tuple[Part, ...]:
    """*delta* by place, in the order of scopes and namespaces: whoever locks places in it never waits in a circle.

    Raises:
        ValueError: a scratch record is written without its `Renew`, so it would have no deadline.
    """
    found: dict[tuple[Scope, str], list[Operation]] = {}
    for operation in delta:
        place: tuple[Scope, str] = (
            ("scratch", operation.namespace) if isinstance(operation, (Renew, Clear)) else (operation.scope, operation.namespace)
        )
        of_place = found.get(place)
        if of_place is None:
            found[place] = [operation]
        else:
            of_place.append(operation)
    return tuple(_part(*place, found[place]) for place in sorted(found))


def computed(part: Part, cells: Mapping[str, Cell], totals: Totals, limits: StateLimits, *, first_version: int = 0) -> Computed:
    """*part* applied to *cells*, the ones its keys have, in a place that holds *totals*. A key without a cell begins at *first_version*.
    Where *part* clears, the record's other cells are removed before these are written.

    Raises:
        ChangeRefused: a guard does not hold, or an operation can't work on what it finds.
        BoundReached: a value or the place would grow past its bound.
    """
    for guard in part.guards:
        cell = cells.get(guard.key)
        if (cell.version if cell and cell.text is not None else None) != guard.version:
            raise ChangeRefused(guard.key, "it has changed since it was read.")
    if part.clears:
        cells, totals = {}, Totals()
    after = dict(cells)
    for change in part.changes:
        cell = after.get(change.key) or Cell(None, first_version)
        text = changed(change, cell.text)
        if is_write(change, cell.text, text):
            after[change.key] = Cell(text, cell.version + 1)
    written = {key: cell for key in part.keys if (cell := after.get(key)) is not None and cell is not cells.get(key)}
    total = _total(written, cells, totals, limits)
    if total.exceeds(limits.keys, limits.scratch_bytes if part.scope == "scratch" else limits.scope_bytes, totals):
        raise BoundReached(part.namespace or part.scope)
    return Computed(written, total)


def first_version(began_at: datetime) -> int:
    """Where the versions of a scratch record begin: behind those of any record that was over before, so that no older guard fits."""
    return (began_at - _EPOCH) // timedelta(microseconds=1)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _part(scope: Scope, namespace: str, operations: Iterable[Operation]) -> Part:
    guards: list[Expect] = []
    changes: list[Change] = []
    renew: Renew | None = None
    clears = False
    for operation in operations:
        match operation:
            case Expect():
                guards.append(operation)
            case Renew():
                renew = operation if renew is None or renew.until <= operation.until else replace(operation, until=renew.until)
            case Clear():
                changes.clear()
                clears = True
            case _:
                changes.append(operation)
    if scope == "scratch" and renew is None and (guards or changes):
        raise ValueError(f"the scratch record {namespace!r} is written without a Renew")
    return Part(scope, namespace, tuple(guards), tuple(changes), renew, clears)


def _total(written: Mapping[str, Cell], before: Mapping[str, Cell], totals: Totals, limits: StateLimits) -> Totals:
    keys, size = totals.keys, totals.bytes
    for key, cell in written.items():
        held = before.get(key)
        old = None if held is None or held.text is None else len(held.text.encode())
        new = None if cell.text is None else len(cell.text.encode())
        if new is not None and new > limits.value_bytes and new > (old or 0):
            raise BoundReached(key)
        name = len(key.encode())
        keys += (new is not None) - (old is not None)
        size += (0 if new is None else name + new) - (0 if old is None else name + old)
    return Totals(keys, size)
