import io
import sys
from collections.abc import Callable
from typing import get_args

import pytest
from rich.console import Console

from handgriff.cli.lines import Lines
from handgriff.cli.questions import Question, ask_code, ask_yes_or_no, prompt


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Lines]:
    def given(text: str) -> Lines:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return Lines(Console(file=io.StringIO()), is_quiet=True)

    return given


@pytest.mark.parametrize("question", get_args(Question))
@pytest.mark.parametrize("locale", ["en", "de", "fr"])
def test_every_question_has_words_and_room_behind_them(question: Question, locale: str) -> None:
    assert prompt(question, locale).endswith(" ")


@pytest.mark.parametrize(
    ("typed", "said", "hints"),
    [
        pytest.param("y\n", True, 0, id="yes"),
        pytest.param(" JA \n", True, 0, id="ja"),
        pytest.param("\n", False, 0, id="enter"),
        pytest.param("1\ntrue\noui\n", True, 2, id="in the end"),
        pytest.param("0\nfalse\n", None, 2, id="never"),
        pytest.param("", None, 0, id="nothing"),
    ],
)
def test_only_words_for_yes_and_no_answer(piped: Callable[[str], Lines], typed: str, said: bool | None, hints: int) -> None:
    given: list[str] = []

    assert ask_yes_or_no(piped(typed), "?", lambda: given.append("hint")) is said
    assert len(given) == hints


@pytest.mark.parametrize(
    ("typed", "code", "sent"),
    [("123456\n", "123456", 0), ("\n \n123 456\n", "123 456", 2), ("no\n", "no", 0), ("\n", None, 1)],
    ids=["a code", "empty lines first", "a word", "never"],
)
def test_an_empty_line_asks_for_another_code(piped: Callable[[str], Lines], typed: str, code: str | None, sent: int) -> None:
    sends: list[str] = []

    assert ask_code(piped(typed), "?", lambda: sends.append("sent")) == code
    assert len(sends) == sent


class Interrupted(Lines):
    """A keyboard on which somebody presses Ctrl-C."""

    def __init__(self) -> None:
        super().__init__(Console(file=io.StringIO()), is_quiet=True)

    def read(self, prompt: str) -> str | None:
        raise KeyboardInterrupt

    def ask_unseen(self, question: str) -> str | None:
        raise KeyboardInterrupt


def test_ctrl_c_decides_nothing() -> None:
    assert ask_yes_or_no(Interrupted(), "?", lambda: None) is None
    assert ask_code(Interrupted(), "?", lambda: None) is None
