"""Texts as PostgreSQL keeps them: without NUL, and no two alike that were not."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.stores.postgres.texts import given as given_back
from handgriff.stores.postgres.texts import kept, kept_all, kept_tenant
from handgriff.testing.stores import HOSTILE

odd = st.text(st.sampled_from("\x00\x01\x0201eab"))


@given(st.text() | odd)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert given_back(kept(text)) == text
    assert given_back(kept_tenant(text)) == text


@given(odd)
def test_no_nul_is_written_and_no_tenant_is_empty(text: str) -> None:
    assert "\x00" not in kept(text)
    assert kept_tenant(text)


@given(st.text().filter(lambda text: not {"\x00", "\x01"} & set(text)))
def test_a_text_without_control_characters_is_written_as_it_is(text: str) -> None:
    assert kept(text) == text


@given(odd, odd)
def test_the_order_of_texts_stays(one: str, other: str) -> None:
    assert (kept(one) < kept(other)) == (one < other)


@given(odd, odd)
def test_what_stands_in_a_text_stands_in_the_written_one(part: str, text: str) -> None:
    assert part not in text or kept(part) in kept(text)


def test_hostile_ids_stay_apart() -> None:
    for write in (kept, kept_tenant):
        assert not [pair for pair in combinations(map(write, HOSTILE), 2) if pair[0] == pair[1]]


def test_texts_are_written_together_and_none_stays_none() -> None:
    assert list(kept_all(("a", None, "", "b\x00"))) == ["a", None, "", kept("b\x00")]
    plain = ("a", None, "é")
    assert kept_all(plain) is plain


def test_half_a_character_cannot_be_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        kept_all(("a", "\ud83d"))
