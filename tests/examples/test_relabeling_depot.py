"""The depot itself: orders and their sheets, no parcel twice, and cells no spreadsheet calculates; and how a message's codes are sorted."""

import csv
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.relabeling.codes import Code, Unreadable, read
from examples.relabeling.depot import Depot, OrderedError, Wish
from examples.relabeling.desk import depot_in
from examples.relabeling.directions import Direction
from examples.relabeling.notebook import CODES, DIRECTION, ROOM, Collected, fitting
from examples.relabeling.sheet import inert, sheet
from examples.relabeling.sorting import sort
from examples.relabeling.words import counted, listed
from handgriff.core import jsontext
from handgriff.core.delta import weight
from handgriff.core.state import LIMITS

FIRST, SECOND, THIRD = "00340434161094042557", "201298452277", "RR473124829GB"
UPS = "1Z999AA10123456784"
EAST = Direction("DHL", "DPD")
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def wish(*codes: str, key: str = "c_1", session: str = "s_1") -> Wish:
    return Wish(key, session, "tara", AT, EAST, codes)


def held(*texts: str, direction: Direction | None = None) -> Collected:
    return Collected(tuple(code for code in map(read, texts) if isinstance(code, Code)), direction)


def test_an_order_has_a_number_and_a_sheet(tmp_path: Path) -> None:
    depot = Depot(tmp_path / "not" / "there" / "yet")

    order = depot.place(wish(SECOND, FIRST))

    assert (order.number, str(order.direction), order.codes) == ("R-00001", "DHL->DPD", (SECOND, FIRST))
    assert depot.sheet_of("R-00001").read_bytes() == b"code,from,to\r\n201298452277,DHL,DPD\r\n00340434161094042557,DHL,DPD\r\n"
    assert depot.orders() == (order,)


def test_a_parcel_is_relabeled_once_and_a_refused_order_leaves_nothing(tmp_path: Path) -> None:
    depot = Depot(tmp_path)
    depot.place(wish(FIRST))

    with pytest.raises(OrderedError, match=rf"{FIRST} \(R-00001\)"):
        depot.place(wish(SECOND, FIRST, key="c_2"))

    assert [order.codes for order in depot.orders()] == [(FIRST,)]
    assert [path.name for path in depot.sheet_of("").parent.iterdir()] == ["R-00001.csv"]
    assert depot.ordered([SECOND, FIRST]) == {FIRST: "R-00001"}
    assert depot.place(wish(SECOND, key="c_2")).number == "R-00002"


def test_one_wish_is_one_order_however_often_it_comes(tmp_path: Path) -> None:
    depot = Depot(tmp_path)

    assert depot.place(wish(FIRST)) == depot.place(wish(FIRST))
    assert len(depot.orders()) == 1


def test_a_sheet_that_cannot_be_written_is_no_order(tmp_path: Path) -> None:
    (tmp_path / "orders").write_text("in the way")

    with pytest.raises(FileExistsError):
        Depot(tmp_path).place(wish(FIRST))

    assert Depot(tmp_path).orders() == ()


def test_the_latest_order_is_the_sessions_own(tmp_path: Path) -> None:
    depot = Depot(tmp_path)
    assert depot.latest("s_1") is None
    depot.place(wish(FIRST))
    depot.place(wish(SECOND, key="c_2"))
    depot.place(wish(THIRD, key="c_3", session="s_2"))

    latest = depot.latest("s_1")

    assert latest is not None
    assert latest.number == "R-00002"


def test_of_many_at_once_each_parcel_goes_to_one(tmp_path: Path) -> None:
    depot, start = Depot(tmp_path), Barrier(4)
    depot.orders()
    refused: list[str] = []

    def place(key: str) -> None:
        start.wait()
        try:
            depot.place(wish(FIRST, key=key))
        except OrderedError as error:
            refused.append(str(error))

    threads = [Thread(target=place, args=(f"c_{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 3
    assert [order.number for order in depot.orders()] == ["R-00001"]


def test_the_database_itself_takes_no_parcel_twice(tmp_path: Path) -> None:
    Depot(tmp_path).place(wish(FIRST))
    book = sqlite3.connect(tmp_path / "depot.db")

    with pytest.raises(sqlite3.IntegrityError):
        book.execute("INSERT INTO parcel VALUES (?, 1, 1)", (FIRST,))
    book.close()


@pytest.mark.parametrize("tenant", ["northgate", "..", "a/b", "../../etc", "Ä"], ids=ascii)
def test_every_companys_depot_lies_in_the_applications_folder(tmp_path: Path, tenant: str) -> None:
    folder = depot_in(tmp_path, tenant).folder

    assert folder.resolve().parent == tmp_path.resolve()


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@SUM(A1)", " =1+1", "\t=1", "\r", "\n=1", "\uff1d1", "=cmd|' /C calc'!A0", "\u00a0=1"], ids=ascii
)
def test_what_would_begin_a_formula_is_only_shown(cell: str) -> None:
    assert inert(cell) == f"'{cell}"


@given(st.text(max_size=20))
def test_no_cell_begins_a_formula_and_harmless_ones_stay(cell: str) -> None:
    written = inert(cell)

    assert written.strip()[:1] not in set("=+-@\uff1d\uff0b\uff0d\uff20")
    assert written in (cell, f"'{cell}")
    assert inert(written) == written or written[:1] == "'"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), max_size=5))
def test_a_sheet_is_read_as_it_was_written(codes: list[str]) -> None:
    # A bare CR or NUL would be lost to csv's reader in universal-newline text, so lines are handed over as they are.
    rows = list(csv.reader(sheet(codes, EAST).splitlines(keepends=True))) if all(c.isprintable() for c in "".join(codes)) else None

    assert rows is None or rows == [["code", "from", "to"], *([inert(code), "DHL", "DPD"] for code in codes)]


def test_a_messages_codes_are_sorted_in_heaps() -> None:
    readings = [read(text) for text in (FIRST, "nonsense", SECOND, SECOND, UPS, THIRD)]

    heaps = sort(readings, held(FIRST, direction=EAST), {THIRD: "R-00007"})

    assert (heaps.fresh, heaps.duplicates, heaps.left) == ((SECOND,), (FIRST, SECOND), ())
    assert [(each.scanned, each.reason.split(",")[0]) for each in heaps.refused] == [
        ("nonsense", "no code of DHL"),
        (UPS, "it is a UPS tracking number"),
        (THIRD, "it is in order R-00007 already"),
    ]


readings = st.lists(
    st.sampled_from([read(text) for text in (FIRST, SECOND, THIRD, UPS, "nonsense", "201298452278", "01015026003653")]), max_size=12
)


@given(readings, st.sets(st.sampled_from([FIRST, THIRD, UPS])), st.sampled_from([None, EAST]))
def test_nothing_is_lost_in_sorting_and_nothing_is_in_two_heaps(
    scanned: Sequence[Code | Unreadable], ordered: set[str], direction: Direction | None
) -> None:
    heaps = sort(scanned, held(SECOND, direction=direction), dict.fromkeys(ordered, "R-00001"))

    texts = {reading.text for reading in scanned if isinstance(reading, Code)}
    refused = [each.scanned for each in heaps.refused]
    assert texts == {*heaps.fresh, *heaps.duplicates, *heaps.left, *(each for each in refused if each in texts)}
    assert len(heaps.fresh) == len(set(heaps.fresh))
    assert not ordered & set(heaps.fresh)
    assert SECOND not in heaps.fresh


@given(st.integers(min_value=0, max_value=2), st.lists(st.text("0123456789", min_size=1, max_size=30), max_size=20), st.integers(2, 400))
def test_as_many_fit_as_the_record_takes(few: int, codes: list[str], room: int) -> None:
    before, fresh = codes[:few], codes[few:]
    fits = fitting(before, fresh, room=room)

    def size(count: int) -> int:
        return len(jsontext.dumps([*before, *fresh[:count]]))

    assert fits == 0 or size(fits) <= room
    assert fits == len(fresh) or size(fits + 1) > room


def test_the_room_is_what_a_record_leaves_beside_a_direction() -> None:
    text = jsontext.dumps("0" * (ROOM - 2))

    assert weight(CODES, text) + weight(DIRECTION, '"POST->POST"') == LIMITS.scratch_bytes


def test_numbers_and_lists_read_like_sentences() -> None:
    assert [counted(number, "code") for number in (0, 1, 2)] == ["0 codes", "1 code", "2 codes"]
    assert listed(["a", "b", "c"], 3) == "a, b, c"
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
