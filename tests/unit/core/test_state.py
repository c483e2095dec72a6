"""State keys and what may be stored at them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.state import VALUE_BYTES, Key, Value, check_value, parse_key
from handgriff.errors import DefinitionError

LONGEST = "k" * 256


@pytest.mark.parametrize(
    ("key", "scope", "name"),
    [
        ("topic", "session", "topic"),
        ("user:x", "user", "x"),
        ("app:x", "app", "x"),
        ("temp:x", "temp", "x"),
        ("users:x", "session", "users:x"),
        ("user", "session", "user"),
        ("user:user", "user", "user"),
        ("wizard:user:x", "session", "wizard:user:x"),
        ("app:a:b", "app", "a:b"),
        ("A-z_0.9", "session", "A-z_0.9"),
        ("7", "session", "7"),
        (LONGEST, "session", LONGEST),
        (f"user:{LONGEST}", "user", LONGEST),
    ],
)
def test_a_key_is_an_optional_prefix_and_a_name(key: str, scope: str, name: str) -> None:
    assert parse_key(key) == Key(scope, name)  # type: ignore[arg-type]  # the table's words


@pytest.mark.parametrize(
    "key",
    [
        *("", ":", "user:", "app:", "temp:", ":x"),
        *(" user:x", "user:x ", "user: x", "user :x", "a b", "x\n", "user:x\n", "a\tb", "a\x00b"),
        *("USER:x", "User:x", "App:x", "TEMP:x"),
        *("user::x", "app::x"),
        *("app:temp:x", "user:app:x", "temp:user:x", "user:user:x", "user:USER:x"),
        *("größe", "user:größe", "\uff55ser:x", "user\uff1ax", "k\u200bk", "\ud83d"),
        *("a/b", "a{b}", "a?", "a*"),
        *(f"{LONGEST}k", f"user:{LONGEST}k"),
    ],
    ids=repr,
)
def test_anything_else_is_no_key(key: str) -> None:
    with pytest.raises(DefinitionError, match="is no key"):
        parse_key(key)


@pytest.mark.parametrize("key", [None, 5, b"topic", ("user", "x")], ids=repr)
def test_a_key_is_text(key: object) -> None:
    with pytest.raises(DefinitionError, match=f"it is {type(key).__name__}, not text"):
        parse_key(key)


@given(st.sampled_from(["", "app:", "user:", "temp:"]), st.from_regex(r"[A-Za-z0-9_.-]{1,256}", fullmatch=True))
def test_every_plain_name_is_one_key_in_each_scope(prefix: str, name: str) -> None:
    assert parse_key(prefix + name) == Key(prefix.rstrip(":") or "session", name)  # type: ignore[arg-type]  # one of the four


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
        (2**63 + 1, "9223372036854775809"),
        (1.0, "1.0"),
        ("ä🌍", '"ä🌍"'),
        ("a\udc00b", '"a\ufffdb"'),
    ],
)
def test_a_json_value_is_stored_as_its_text(value: object, text: str) -> None:
    """B012: null is a value like another. B056: half a character is replaced."""
    assert check_value("topic", value) == text


@dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (float("nan"), "NaN"),
        ({"mean": float("inf")}, "mean"),
        ([1.0, float("-inf")], "infinities"),
        ({1, 2}, "type set"),
        (b"x", "type bytes"),
        (datetime(2026, 1, 1, tzinfo=UTC), "type datetime"),
        (Decimal(1), "type Decimal"),
        ({"place": Point(1)}, "type Point isn.t JSON at place"),
        ({1: "a"}, "a key of type int"),
        (10**101, "100 digits"),
    ],
)
def test_anything_else_is_refused_by_name_and_type(value: object, named: str) -> None:
    """B055: also numbers that JSON has no word for."""
    with pytest.raises(DefinitionError, match=named) as raised:
        check_value("user:stats", value)
    assert raised.value.member == "'user:stats'"


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)

    with pytest.raises(DefinitionError, match="too deep"):
        check_value("topic", value)


def test_a_value_is_measured_in_bytes() -> None:
    assert len(check_value("topic", "é" * (VALUE_BYTES // 2 - 1)).encode()) == VALUE_BYTES

    with pytest.raises(DefinitionError, match="more than 65536 bytes"):
        check_value("topic", "é" * (VALUE_BYTES // 2))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_is_stored_is_read_back_and_every_read_is_a_fresh_copy(value: Json) -> None:
    stored = Value(check_value("topic", value), 1)

    assert stored.json() == value
    assert jsontext.dumps(stored.json()) == stored.text
    if isinstance(value, (list, dict)):
        assert stored.json() is not stored.json()
