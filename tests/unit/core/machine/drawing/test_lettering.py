"""How much room text takes: never less than it needs, also in scripts whose letters are wide."""

from handgriff.core.machine.drawing.lettering import MOST, clipped, width


def test_wide_letters_take_more_room_and_marks_above_letters_none() -> None:
    assert width("ill", 10) < width("abc", 10) < width("MMM", 10) < width("請求書", 10)
    assert width("e\u0301", 10) == width("e", 10)


def test_a_text_is_one_line_that_is_not_too_long() -> None:
    assert clipped("two\n lines") == "two lines"
    assert clipped("x" * MOST) == "x" * MOST
    assert clipped("x" * (MOST + 1)) == "x" * (MOST - 1) + "…"
