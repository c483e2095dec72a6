"""Things in rows: as near to where they want to be as their neighbours allow."""

from handgriff.core.machine.drawing.row import GAP, Item, arrange, joined, spaced, straighten


def test_what_presses_on_each_other_shares_the_room() -> None:
    assert spaced([(0.0, 1.0), (100.0, 1.0)], [10.0, 10.0]) == [0.0, 100.0]
    assert spaced([(50.0, 1.0), (50.0, 1.0)], [10.0, 10.0]) == [45.0, 55.0]
    assert spaced([(0.0, 1000.0), (0.0, 1.0)], [10.0, 10.0])[0] < 0.02


def test_rows_are_ordered_so_that_lines_do_not_cross() -> None:
    upper, lower = [Item(0, 10, 10), Item(0, 10, 10)], [Item(1, 10, 10), Item(1, 10, 10)]
    joined(upper[0], lower[1], (5, 5))
    joined(upper[1], lower[0], (5, 5))
    rows = [list(upper), list(lower)]

    arrange(rows)
    straighten(rows)

    assert rows == [upper, [lower[1], lower[0]]]
    assert upper[1].x - upper[0].x >= 10 + GAP
    assert [lower[1].x, lower[0].x] == [upper[0].x, upper[1].x]


def test_a_heading_stays_first() -> None:
    heading, other = Item(0, 50, 10, is_heading=True), Item(0, 10, 10)
    below = Item(1, 10, 10)
    joined(other, below, (5, 5))
    rows = [[other, heading], [below]]

    arrange(rows)
    straighten(rows)

    assert rows[0] == [heading, other]
    assert heading.x == 0
