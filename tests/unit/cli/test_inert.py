import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.cli.inert import inert, inert_json, one_line


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colours"),
        pytest.param("\x1b[2J\x1b[1;1Hgone", "gone", id="erasing and moving"),
        pytest.param("\x1b]0;title\x07text", "text", id="a title, ended by BEL"),
        pytest.param("\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\", "text", id="a link, ended by ST"),
        pytest.param("\x1bP1$r0m\x1b\\text", "text", id="a device string"),
        pytest.param("\x9b31mred", "red", id="CSI in one character"),
        pytest.param("a\x08b\x00c\x7fd", "abcd", id="control characters"),
        pytest.param("old\rnew", "oldnew", id="a return that would write over"),
        pytest.param("\u202eevil\u2066", "evil", id="turned round"),
        pytest.param("a\r\nb\u2028c", "a\nb\nc", id="line breaks of every kind"),
        pytest.param("\ttabs\nand lines", "\ttabs\nand lines", id="what may stay"),
        pytest.param("half \ud83d of one", "half \ufffd of one", id="half a character"),
        pytest.param("\x1b[", "[", id="a sequence that never ends"),
    ],
)
def test_text_keeps_its_words_and_loses_its_commands(text: str, left: str) -> None:
    assert inert(text) == left


@given(st.text())
def test_nothing_inert_can_command_a_terminal(text: str) -> None:
    shown = inert(text)

    assert all(character in "\n\t" or not (ord(character) < 0x20 or 0x7F <= ord(character) <= 0x9F) for character in shown)
    assert inert(shown) == shown


def test_one_line_is_one_line() -> None:
    assert one_line(" a\nb\t \x1b[31mc ") == "a b c"


@given(st.text())
def test_json_says_the_same_and_commands_nothing(text: str) -> None:
    told = inert_json({"text": text})

    assert json.loads(told)["text"] == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert all(ord(character) >= 0x20 and not 0x7F <= ord(character) <= 0x9F for character in told)
