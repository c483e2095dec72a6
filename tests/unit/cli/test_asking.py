import io
import sys

import pytest

from handgriff.cli.asking import check_can_ask, is_agreed
from handgriff.cli.faults import WrongUse


class Keyboard(io.StringIO):
    """A standard input somebody types into."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Keyboard:
    keyboard = Keyboard()
    monkeypatch.setattr(sys, "stdin", keyboard)
    return keyboard


def test_without_a_person_only_yes_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))

    check_can_ask(yes=True)
    with pytest.raises(WrongUse, match="--yes"):
        check_can_ask(yes=False)


def test_a_person_at_a_terminal_can_be_asked(typed: Keyboard) -> None:
    check_can_ask(yes=False)


def test_with_yes_nobody_is_asked(typed: Keyboard, capsys: pytest.CaptureFixture[str]) -> None:
    assert is_agreed("Erase everything?", yes=True, as_json=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("answers", "agreed"),
    [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False), ("what?\nj\n", True), ("perhaps\n", False)],
    ids=["y", "yes", "n", "enter", "end", "asked again", "no answer"],
)
def test_only_yes_is_yes(typed: Keyboard, answers: str, agreed: bool) -> None:
    typed.write(answers)
    typed.seek(0)

    assert is_agreed("Erase everything?", yes=False, as_json=True) is agreed


def test_the_question_holds_nothing_a_terminal_obeys_and_leaves_stdout_alone(typed: Keyboard, capsys: pytest.CaptureFixture[str]) -> None:
    is_agreed("Erase \x1b[2Jeverything\nof user \u202eada?", yes=False, as_json=True)

    assert capsys.readouterr() == ("", "Erase everything of user ada? [y/N] ")
