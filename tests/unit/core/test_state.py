"""What may be stored at a key."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.delta import Value
from handgriff.core.jsontext import Json
from handgriff.core.state import LIMITS, StateLimits, Totals, check_value
from handgriff.errors import DefinitionError
from tests.ids import stable


def _check(value: object, limits: StateLimits = LIMITS, *, is_stored: bool = True) -> str:
    return check_value("call.state", "user:stats", value, limits, is_stored=is_stored)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (False, "false"),
        (0, "0"),
        ("", '""'),
        ([], "[]"),
        ((1, 2), "[1,2]"),
        ({"b": 1, "a": [None]}, '{"b":1,"a":[null]}'),
        (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
        (2**63 + 1, "9223372036854775809"),
        (2**70, "1180591620717411303424"),
        (-(10**100) + 1, "-" + "9" * 100),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e22, "1e+22"),
        ("ä🌍", '"ä🌍"'),
        ("a\x00b", '"a\\u0000b"'),
        ("a\udc00b", '"a\ufffdb"'),
        ("\ud83d\ude00", '"😀"'),
    ],
    ids=ascii,
)
def test_a_json_value_is_stored_as_its_text(value: object, text: str) -> None:
    """B012: null is a value like another. B056: half a character is replaced. P11."""
    assert _check(value) == text


@dataclass
class Point:
    x: int


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (float("nan"), "NaN"),
        ({"mean": float("inf")}, "mean"),
        ([1.0, float("-inf")], "infinities"),
        (lambda: 1, "type function"),
        ({1, 2}, "type set"),
        (frozenset(), "type frozenset"),
        (b"x", "type bytes"),
        (bytearray(), "type bytearray"),
        (datetime(2026, 1, 1, tzinfo=UTC), "type datetime"),
        (date(2026, 1, 1), "type date"),
        (timedelta(1), "type timedelta"),
        (Decimal(1), "type Decimal"),
        (Fraction(1, 2), "type Fraction"),
        (1j, "type complex"),
        (UUID(int=0), "type UUID"),
        (PurePath("a"), "type Pure"),
        (Colour.RED, "type Colour"),
        (range(2), "type range"),
        (Point, "type type"),
        (iter([1]), "type list_iterator"),
        ({"place": Point(1)}, "type Point isn.t JSON at place"),
        ({"a": [{"b": {1}}]}, "type set isn.t JSON at a/0/b"),
        ({1: "a"}, "a key of type int"),
        ({None: 1}, "a key of type NoneType"),
        ({True: 1}, "a key of type bool"),
        ({("a",): 1}, "a key of type tuple|type tuple"),
        (10**100, "100 digits"),
        ({"a\x00b": 1}, "whose name holds NUL"),
        ([{"a": {"\x00": 1}}], "whose name holds NUL"),
        ({chr(0xD83D): 1, chr(0xDC00): 2}, "given twice"),
    ],
    ids=stable,
)
def test_anything_else_is_refused_by_name_and_type(value: object, named: str) -> None:
    """P12. B055: also numbers that JSON has no word for."""
    with pytest.raises(DefinitionError, match=named) as raised:
        _check(value)
    assert (raised.value.subject, raised.value.member) == ("call.state", "'user:stats'")
    assert raised.value.mend


@pytest.mark.parametrize("kind", [list, dict])
def test_a_depth_bomb_is_refused_at_one_level_more_than_can_be_read(kind: type) -> None:
    """P11."""
    value: object = 1
    for _ in range(64):
        value = [value] if kind is list else {"k": value}

    assert jsontext.loads(_check(value)) == value
    with pytest.raises(DefinitionError, match="too deep: more than 64 levels"):
        _check([value] if kind is list else {"k": value})
    for _ in range(100_000):
        value = [value]
    with pytest.raises(DefinitionError, match="too deep"):
        _check(value)
    while isinstance(value, list):  # taken apart by hand, because a hundred thousand levels are too many for the collector's stack
        value = value[0]


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)

    with pytest.raises(DefinitionError, match="too deep"):
        _check(value)


def test_a_key_given_twice_in_a_text_never_becomes_a_value() -> None:
    """P11: what was read from JSON text went through the reader that refuses it."""
    with pytest.raises(jsontext.JsonError, match="given twice"):
        jsontext.loads('{"a":1,"a":2}')


def test_a_value_is_measured_in_bytes() -> None:
    """P11: at n and n+1."""
    assert len(_check("é" * (LIMITS.value_bytes // 2 - 1)).encode()) == LIMITS.value_bytes

    with pytest.raises(DefinitionError, match="more than 65536 bytes"):
        _check("é" * (LIMITS.value_bytes // 2))
    with pytest.raises(DefinitionError, match="more than 5 bytes"):
        _check("1234", StateLimits(value_bytes=5))
    assert _check("123", StateLimits(value_bytes=5)) == '"123"'


@pytest.mark.parametrize("value", ["sk-ant-" + "api03-abcdefgh12345678", {"a": ["x\n" + "ghp_" + "a1" * 18]}, {"redis://:" + "pw@h": 1}])
def test_what_looks_like_a_secret_is_not_stored_and_not_repeated(value: object) -> None:
    """P14, B139."""
    with pytest.raises(DefinitionError, match=r"looks like an? ") as refused:
        _check(value)

    text = jsontext.dumps(value)
    assert not any(text[start : start + 12] in str(refused.value) for start in range(len(text) - 12))
    assert _check(value, is_stored=False) == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_what_is_stored_is_read_back_and_every_read_is_a_fresh_copy(value: Json) -> None:
    stored = Value(_check(value), 1)

    assert stored.json() == value
    assert jsontext.dumps(stored.json()) == stored.text
    if isinstance(value, (list, dict)):
        assert stored.json() is not stored.json()


def test_what_larger_bounds_let_in_can_be_read_again() -> None:
    large = [0] * 150_000

    stored = Value(_check(large, StateLimits(value_bytes=2**20)), 1)

    assert stored.json() == large


@pytest.mark.parametrize("bound", ["value_bytes", "keys", "scope_bytes", "delta_bytes", "scratch_bytes"])
@pytest.mark.parametrize("number", [0, -1, 1.5, True, "64", None], ids=repr)
def test_a_bound_is_a_whole_number_above_zero(bound: str, number: object) -> None:
    with pytest.raises(DefinitionError, match="is no bound") as refused:
        StateLimits(**{bound: number})  # type: ignore[arg-type]  # what the test is about

    assert refused.value.member == bound


def test_the_bounds_are_those_of_the_specification() -> None:
    assert StateLimits() == StateLimits(value_bytes=65_536, keys=1_000, scope_bytes=1_048_576, delta_bytes=262_144, scratch_bytes=65_536)


@pytest.mark.parametrize(
    ("after", "before", "is_too_much"),
    [
        (Totals(2, 20), Totals(), False),
        (Totals(3, 20), Totals(2, 20), True),
        (Totals(2, 21), Totals(2, 20), True),
        (Totals(3, 10), Totals(3, 30), False),
        (Totals(4, 30), Totals(5, 30), False),
        (Totals(5, 10), Totals(4, 30), True),
        (Totals(1, 31), Totals(5, 30), True),
        (Totals(1, 29), Totals(5, 30), False),
    ],
    ids=stable,
)
def test_what_is_too_much_may_shrink_and_not_grow(after: Totals, before: Totals, *, is_too_much: bool) -> None:
    assert after.exceeds(2, 20, before) is is_too_much
