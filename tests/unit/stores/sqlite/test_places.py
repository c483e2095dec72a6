"""Places read and written by the keys that are named."""

import sqlite3

import pytest

from handgriff.core.cells import Cell
from handgriff.core.state import Totals
from handgriff.stores.sqlite.places import (
    AT_ONCE,
    Held,
    Place,
    drop_place,
    read_place,
    replace_values,
    write_cells,
    write_record,
    write_totals,
)

HERE: Place = ("t", "session", "s", "")
BESIDE: Place = ("t", "session", "s", "n")


def test_a_place_that_was_never_written_holds_nothing(cursor: sqlite3.Cursor) -> None:
    assert read_place(cursor, HERE, ("k",)) == Held()
    assert read_place(cursor, HERE, ()) == Held()


def test_what_was_written_is_read_by_its_keys(cursor: sqlite3.Cursor) -> None:
    write_cells(cursor, HERE, {"k": Cell("1", 3), "l": Cell(None, 2), "m": Cell("2", 1)})
    write_cells(cursor, BESIDE, {"k": Cell("9", 9)})
    write_totals(cursor, HERE, 2, 4)

    held = read_place(cursor, HERE, ("m", "l", "never"))

    assert held == Held(Totals(2, 4), is_known=True, cells={"m": Cell("2", 1), "l": Cell(None, 2)})
    assert list(held.cells) == ["m", "l"]


@pytest.mark.parametrize("count", [AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 5 * AT_ONCE])
def test_keys_without_number_are_read_and_written_in_portions(cursor: sqlite3.Cursor, count: int) -> None:
    cells = {f"k{number}": Cell(str(number), number) for number in range(count)}
    write_cells(cursor, HERE, cells)
    write_totals(cursor, HERE, count, 7)

    assert read_place(cursor, HERE, tuple(cells)) == Held(Totals(count, 7), is_known=True, cells=cells)


def test_totals_leave_the_deadline_and_a_record_has_one(cursor: sqlite3.Cursor) -> None:
    write_record(cursor, BESIDE, Totals(1, 2), 50, 7)
    write_totals(cursor, BESIDE, 3, 4)

    assert read_place(cursor, BESIDE, ()) == Held(Totals(3, 4), is_known=True, expires_at=50, first_version=7)


def test_a_dropped_place_leaves_its_neighbour(cursor: sqlite3.Cursor) -> None:
    for place in (HERE, BESIDE):
        write_cells(cursor, place, {"k": Cell("1", 1)})
        write_totals(cursor, place, 1, 2)

    drop_place(cursor, HERE)

    assert read_place(cursor, HERE, ("k",)) == Held()
    assert read_place(cursor, BESIDE, ("k",)).cells == {"k": Cell("1", 1)}


def test_replaced_values_keep_their_versions_where_nothing_changed(cursor: sqlite3.Cursor) -> None:
    write_cells(cursor, HERE, {"same": Cell("1", 5), "other": Cell("1", 5), "goes": Cell("1", 5), "gone": Cell(None, 5)})

    replace_values(cursor, HERE, {"same": "1", "other": '"é"', "new": "1"})

    replace_values(cursor, HERE, {"same": "1", "other": '"é"', "new": "1"})

    held = read_place(cursor, HERE, ("same", "other", "goes", "gone", "new"))
    assert held.totals == Totals(3, 5 + 9 + 4)
    assert held.cells == {
        "same": Cell("1", 5),
        "other": Cell('"é"', 6),
        "goes": Cell(None, 6),
        "gone": Cell(None, 5),
        "new": Cell("1", 1),
    }
