"""Places in the file: one scope of one owner, or one scratch record. Read and written by the keys a delta names, and by nothing else.

What a place holds stands in its row, so a bound is checked without counting.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from handgriff.core.cells import Cell
from handgriff.core.delta import weight
from handgriff.core.scope import Scope
from handgriff.core.state import Totals
from handgriff.stores.sqlite.statements import statements

T = TypeVar("T")
Place: TypeAlias = tuple[str, Scope, str, str]
"""Where values live: tenant, scope, whose they are, and the namespace of a scratch record. The first columns of their key."""
_SQL = statements("state")
_PUT_TOTALS = _SQL["put_totals"]
AT_ONCE: Final = 16
"""Most keys in one statement. Each number of keys is a statement of its own, and all of them stay compiled."""


_EMPTY: Final = Totals()


class Held(NamedTuple):
    """A place before a delta, with the cells of the keys that were asked for."""

    totals: Totals = _EMPTY
    is_known: bool = False
    """Whether it has a row."""
    expires_at: int | None = None
    first_version: int = 0
    cells: Mapping[str, Cell] = MappingProxyType({})


def read_place(cursor: sqlite3.Cursor, place: Place, keys: Sequence[str]) -> Held:
    """*place* with the cells of *keys*, in their order."""
    held = Held()
    cells: dict[str, Cell] = {}
    for some in (keys,) if len(keys) <= AT_ONCE else _portions(keys):
        for key, number, value, expires_at, first_version in read_rows(cursor, place, some):
            if key is None:
                held = Held(Totals(number, value), True, expires_at, first_version, cells)  # noqa: FBT003  # in the order of the fields
            else:
                cells[key] = Cell(value, number)
    return held if held.is_known else Held(cells=cells)


def read_rows(cursor: sqlite3.Cursor, place: Place, keys: Sequence[str]) -> list[tuple[Any, ...]]:
    """The row of *place* without a key, and a row of each of *keys* (at most `AT_ONCE`) that has a cell: key, version and text.

    The place's row has keys and bytes instead of these, its deadline, and where its versions begin.
    """
    rows: list[tuple[Any, ...]] = cursor.execute(_reading(len(keys)), (*place, *keys)).fetchall()
    return rows


def write_cells(cursor: sqlite3.Cursor, place: Place, cells: Mapping[str, Cell]) -> None:
    """Put *cells* where they belong."""
    items = tuple(cells.items())
    for some in (items,) if 0 < len(items) <= AT_ONCE else _portions(items):
        write_rows(cursor, place, [value for key, cell in some for value in (key, cell.version, cell.text)])


def write_rows(cursor: sqlite3.Cursor, place: Place, rows: Sequence[Any]) -> None:
    """Put cells (at most `AT_ONCE`), given as key, version and text of one after the other."""
    cursor.execute(_writing(len(rows) // 3), (*place, *rows))


def write_totals(cursor: sqlite3.Cursor, place: Place, keys: int, size: int) -> None:
    """Note what *place* holds; a deadline stays."""
    cursor.execute(_PUT_TOTALS, (*place, keys, size))


def write_record(cursor: sqlite3.Cursor, place: Place, totals: Totals, expires_at: int, first_version: int) -> None:
    """Note what a scratch record holds and when it is over."""
    cursor.execute(_SQL["put_record"], (*place, totals.keys, totals.bytes, expires_at, first_version))


def drop_place(cursor: sqlite3.Cursor, place: Place) -> None:
    """Remove *place* with everything in it."""
    cursor.execute(_SQL["drop_cells"], place)
    cursor.execute(_SQL["drop_place"], place)


def replace_values(cursor: sqlite3.Cursor, place: Place, values: Mapping[str, str]) -> None:
    """Make *values* all that *place* holds. What is the same already keeps its version; what goes keeps counting."""
    cells = {key: Cell(text, version) for key, text, version in cursor.execute(_SQL["cells"], place).fetchall()}
    changed = {
        key: Cell(text, cell.version + 1)
        for key in {**cells, **values}
        if (text := values.get(key)) != (cell := cells.get(key, Cell(None, 0))).text
    }
    write_cells(cursor, place, changed)
    write_totals(cursor, place, len(values), sum(weight(key, text) for key, text in values.items()))


def _portions(items: Sequence[T]) -> list[Sequence[T]]:
    return [items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)]


@cache
def _reading(count: int) -> str:
    # Each key by itself: for a list SQLite would make a table first.
    cells = (_SQL["held_cell"].replace("?5", f"?{number}") for number in range(5, 5 + count))
    return "\nUNION ALL\n".join((_SQL["held_place"], *cells))


@cache
def _writing(count: int) -> str:
    head, _, row = _SQL["put_cells"].rpartition("VALUES ")
    rows = (row.replace("?5, ?6, ?7", f"?{first}, ?{first + 1}, ?{first + 2}") for first in range(5, 5 + 3 * count, 3))
    return f"{head}VALUES {', '.join(rows)}"
