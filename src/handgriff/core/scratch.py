"""The arithmetic of one scratch record, for adapters that keep it whole: a delta's part in, the record after it out.

Below is the arithmetic of a place; above, whoever keeps records beside the store. A deleted key leaves no trace but `first_version`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from handgriff.core.cells import Cell, Part, computed, first_version
from handgriff.core.delta import Value, weight
from handgriff.core.state import StateLimits, Totals


@dataclass(frozen=True, slots=True)
class Kept:
    """A scratch record as it is kept."""

    expires_at: datetime
    first_version: int
    """What versions begin behind: no key that comes new may get a version that was given before."""
    values: Mapping[str, Value]
    """By key."""

    def is_over(self, now: datetime) -> bool:
        """Whether it is expired at *now*, and so absent."""
        return self.expires_at <= now


def written(kept: Kept | None, part: Part, limits: StateLimits) -> Kept | None:
    """The record after *part*; None where there is none then.

    Raises:
        ChangeRefused: a guard does not hold, or an operation can't work on what it finds.
        BoundReached: a value or the record would grow past its bound.
    """
    renew = part.renew
    held = None if kept and renew and kept.is_over(renew.at) else kept
    began = held.first_version if held and not part.clears else _next_version(kept, renew.at if renew else None)
    cells = {key: Cell(value.text, value.version) for key, value in held.values.items()} if held else {}
    result = computed(part, cells, _totals(held), limits, first_version=began)
    if renew is None or part.removes:
        return None
    after = {**({} if part.clears else cells), **result.cells}
    values = {key: Value(cell.text, cell.version) for key, cell in after.items() if cell.text is not None}
    deleted = [cell.version for cell in after.values() if cell.text is None]
    until = max(held.expires_at, renew.until) if held and not part.clears else renew.until
    return Kept(until, max([began, *deleted]), values)


def renewed(kept: Kept, *, now: datetime, until: datetime) -> Kept:
    """The record prolonged to *until*; the same one where it is over already, or lives longer."""
    return kept if kept.is_over(now) or until <= kept.expires_at else replace(kept, expires_at=until)


def _next_version(kept: Kept | None, began_at: datetime | None) -> int:
    # A record that was removed can't tell its last version, so a new one begins where none has counted to; one that is there can.
    last = max([kept.first_version, *(value.version for value in kept.values.values())]) if kept else 0
    return last if began_at is None else max(last, first_version(began_at))


def _totals(kept: Kept | None) -> Totals:
    held = kept.values if kept else {}
    return Totals(len(held), sum(weight(key, value.text) for key, value in held.items()))
