import os
import pty
import sys
import termios
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


def test_what_is_unseen_is_not_in_the_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, shown = lines(monkeypatch, "123456\n")

    assert [reader.ask_unseen("Code: "), reader.ask_unseen("Code: ")] == ["123456", None]
    assert shown.getvalue() == "Code: \nCode: \n"


def test_a_program_reads_no_question_for_what_is_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, shown = lines(monkeypatch, "123456\n", is_quiet=True)

    assert reader.ask_unseen("Code: ") == "123456"
    assert shown.getvalue() == ""


def test_at_a_terminal_nothing_is_echoed_while_it_is_typed_and_everything_after(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, its = pty.openpty()
    try:
        with os.fdopen(its, "r", encoding="utf-8", closefd=False) as keyboard:
            monkeypatch.setattr(sys, "stdin", keyboard)
            reader = Lines(Console(file=StringIO()), is_quiet=False)
            echoed: list[bool] = []

            def typed() -> str:
                echoed.append(bool(termios.tcgetattr(its)[3] & termios.ECHO))
                return "123456\n"

            monkeypatch.setattr(keyboard, "readline", typed)
            code = reader.ask_unseen("Code: ")
            echoed.append(bool(termios.tcgetattr(its)[3] & termios.ECHO))
    finally:
        os.close(mine)
        os.close(its)

    assert (code, echoed) == ("123456", [False, True])
    assert capsys.readouterr() == ("", "Code: \n"), "where no terminal shows the output, the question is on stderr"
