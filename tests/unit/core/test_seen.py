"""What counts as seen in a typed text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.seen import stands_alone


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("o_17", "o_17"),
        ("o_17", "please cancel o_17."),
        ("o_17", "(o_17)"),
        ("o_17", "o_1712 and o_17"),
        ("o_17", "ao_17 o_17b o_17"),
        ("aba", "ababa aba"),
        ("aaa", "aaaa-aaa"),
        ("two words", "some two words here"),
        ("größe", "größe?"),
        ("17.50", "17.50 €"),
        ("abc", "x_abc_y"),
        ("#17", "no. #17"),
        ("日本語", "「日本語」"),
        ("a\x00b", "\x00a\x00b\x00"),
        ("👋👋👋", "a 👋👋👋 b"),
    ],
)
def test_a_value_without_letters_or_digits_beside_it_stands_alone(value: str, text: str) -> None:
    assert stands_alone(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("o_17", "o_18"),
        ("o_17", "O_17"),
        ("o_17", "o_171"),
        ("o_17", "xo_17"),
        ("o_17", "o_17é"),
        ("o_17", "äo_17"),
        ("o_17", "o_17²"),
        ("o_17", "o_17٣"),
        ("cafe", "cafe\u0301"),
        ("नमस", "नमस्ते"),
        ("aaa", "aaaa"),
        ("日本語", "日本語版"),
        ("17", "the 17 of them"),
        ("", ""),
        ("", "anything"),
        ("ab", "ab"),
        ("abc", ""),
    ],
)
def test_a_part_of_a_word_and_a_short_value_do_not(value: str, text: str) -> None:
    assert not stands_alone(value, text)


@given(st.text(), st.text(), st.text(min_size=3))
def test_between_spaces_every_value_of_three_characters_stands_alone(before: str, after: str, value: str) -> None:
    assert stands_alone(value, f"{before} {value} {after}")


@given(st.text(alphabet="ab1 _é", max_size=12), st.text(alphabet="ab1 _é", max_size=5))
def test_it_agrees_with_looking_at_every_place(text: str, value: str) -> None:
    places = [n for n in range(len(text)) if text.startswith(value, n)]
    free = [n for n in places if not text[:n][-1:].isalnum() and not text[n + len(value) :][:1].isalnum()]

    assert stands_alone(value, text) == (len(value) >= 3 and bool(free))
