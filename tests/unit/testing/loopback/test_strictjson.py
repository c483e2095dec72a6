"""`handgriff.testing.loopback.strictjson`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.testing.loopback.strictjson import MalformedError, Member, elements, members, read

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.booleans())
def test_what_json_can_say_is_read_as_it_is(value: object, ascii_only: bool) -> None:
    assert read(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(b'{"x": NaN}', "NaN is not JSON", id="nan"),
        pytest.param(b'{"x": -Infinity}', "-Infinity is not JSON", id="infinity"),
        pytest.param(b'{"x": 1e999}', "1e999 is out of range", id="overflow"),
        pytest.param(b'{"x": 1, "y": 2, "x": 1}', "duplicate key 'x'", id="duplicate"),
        pytest.param(b'{"a": {"x": 1, "x": 2}}', "duplicate key 'x'", id="duplicate-inside"),
        pytest.param(b'{"x": "\\ud99c \\ubcf4"}', "no low surrogate in string", id="lone-high-half"),
        pytest.param(b'{"x": "\\uDC00"}', "no low surrogate in string", id="lone-low-half"),
        pytest.param(b'{"\\ud800": 1}', "no low surrogate in string", id="half-in-a-key"),
        pytest.param(b'{"x": "\xff"}', "invalid UTF-8: invalid start byte at byte 7", id="not-utf8"),
        pytest.param(b'{"x": "\xed\xa0\x80"}', "invalid UTF-8: invalid continuation byte at byte 7", id="half-as-utf8"),
        pytest.param(b"[" * 100_000, "nested too deeply", id="depth"),
        pytest.param(b'{"x": 1', "Expecting ',' delimiter: line 1 column 8 (char 7)", id="cut-off"),
        pytest.param(b"", "Expecting value: line 1 column 1 (char 0)", id="empty"),
    ],
)
def test_what_receivers_read_differently_is_refused_with_a_reason(raw: bytes, reason: str) -> None:
    """B055, B056: not every parser refuses these, so the strict one must."""
    with pytest.raises(MalformedError) as refused:
        read(raw)

    assert str(refused.value) == reason


def test_a_whole_surrogate_pair_and_an_escaped_backslash_are_fine() -> None:
    assert read(b'["\\ud83c\\udf0d", "\\\\ud83c"]') == ["🌍", "\\ud83c"]


def test_members_are_found_where_they_stand() -> None:
    text = '[ { "a" : [1, {"b": 2}] , "c":"}" } ]'

    assert members(text, 2) == (Member("a", 4, 10, 23), Member("c", 26, 30, 33))
    assert [text[found.value : found.end] for found in members(text, 2)] == ['[1, {"b": 2}]', '"}"']


def test_elements_are_found_where_they_stand() -> None:
    text = '[ 1 ,"]",[2, 3] ]'

    assert [text[start:end] for start, end in elements(text)] == ["1", '"]"', "[2, 3]"]
    assert elements("[ ]") == ()
    assert members("{ }") == ()


@given(
    st.lists(VALUES, max_size=4),
    st.dictionaries(st.text(st.characters(codec="utf-8")), VALUES, max_size=4),
    st.sampled_from([None, 1, "\t"]),
)
def test_the_slices_of_a_text_are_its_parts(array: list[object], mapping: dict[str, object], indent: int | str | None) -> None:
    array_text, mapping_text = json.dumps(array, indent=indent), json.dumps(mapping, indent=indent)

    assert [json.loads(array_text[start:end]) for start, end in elements(array_text)] == array
    assert {found.key: json.loads(mapping_text[found.value : found.end]) for found in members(mapping_text)} == mapping
