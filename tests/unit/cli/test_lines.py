import sys
from io import StringIO

import pytest
from rich.console import Console

from handgriff.cli.lines import Lines


def lines(monkeypatch: pytest.MonkeyPatch, text: str, *, is_quiet: bool = False) -> tuple[Lines, StringIO]:
    monkeypatch.setattr(sys, "stdin", StringIO(text))
    shown = StringIO()
    return Lines(Console(file=shown), is_quiet=is_quiet), shown


def test_piped_lines_come_one_by_one_and_end_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, shown = lines(monkeypatch, "one\n\n two \nlast")

    assert [reader.read("> ") for _ in range(5)] == ["one", "", " two ", "last", None]
    assert shown.getvalue() == ""
    assert not reader.is_typed


def test_a_transcript_holds_question_and_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, shown = lines(monkeypatch, "[y]\n")

    assert [reader.ask("Sure? [y/N] "), reader.ask("Sure? [y/N] ")] == ["[y]", None]
    assert shown.getvalue() == "Sure? [y/N] [y]\nSure? [y/N] \n"


def test_a_program_reads_no_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, shown = lines(monkeypatch, "y\n", is_quiet=True)

    assert reader.ask("Sure?") == "y"
    assert shown.getvalue() == ""
