from datetime import UTC, datetime

import pytest

from handgriff.cli.output import moment, print_fields, print_json, print_table, working


def test_ids_in_a_table_are_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("ID", "WHAT"), [("s_" + "0" * 32, "[red]a[/red]\nb\x1b[2J")])

    head, row, *_ = capsys.readouterr().out.split("\n")
    assert head.split() == ["ID", "WHAT"]
    assert row.split() == ["s_" + "0" * 32, "[red]a[/red]", "b"]


def test_an_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("ID",), [])

    assert capsys.readouterr().out == "None.\n"


def test_absent_fields_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_fields([("a", "[b]x"), ("b", None), ("c", "")])

    assert capsys.readouterr().out == "a: [b]x\n"


def test_json_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": ["ü\n\x9b"]})

    assert capsys.readouterr().out == '{"a":["ü\\n\\u009b"]}\n'


def test_a_moment_that_never_came_is_empty() -> None:
    assert moment(None) == ""
    assert len(moment(datetime(2026, 7, 1, 12, tzinfo=UTC))) == 19


def test_work_shows_itself_on_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    with working("Collecting \x1b[2J"):
        pass

    assert capsys.readouterr() == ("", "")
