"""The grammar of keys and namespaces, as one table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.scope import Key, Scope, parse_key, parse_namespace, parse_scratch_key, scope_id
from handgriff.errors import DefinitionError

LONGEST = "k" * 256

KEYS = (
    ("topic", "session", "topic"),
    ("user:x", "user", "x"),
    ("app:x", "app", "x"),
    ("temp:x", "temp", "x"),
    ("users:x", "session", "users:x"),
    ("apple:x", "session", "apple:x"),
    ("session:x", "session", "session:x"),
    ("scratch:x", "session", "scratch:x"),
    ("user", "session", "user"),
    ("app", "session", "app"),
    ("user:user", "user", "user"),
    ("user:users:x", "user", "users:x"),
    ("wizard:user:x", "session", "wizard:user:x"),
    ("app:a:b", "app", "a:b"),
    ("user:a:", "user", "a:"),
    ("a::b", "session", "a::b"),
    ("A-z_0.9", "session", "A-z_0.9"),
    ("-", "session", "-"),
    ("..", "session", ".."),
    ("7", "session", "7"),
    (LONGEST, "session", LONGEST),
    (f"user:{LONGEST}", "user", LONGEST),
    (f"app:{LONGEST}", "app", LONGEST),
    (f"temp:{LONGEST}", "temp", LONGEST),
)
"""What is a key, the lifetime it has, and its name there."""

NO_KEYS = (
    *("", ":", "::", "user:", "app:", "temp:", ":x", "::x"),
    *(" user:x", "user:x ", "user: x", "user :x", "a b", "x\n", "user:x\n", "a\tb", "a\x00b", "\ufeffuser:x"),
    *("USER:x", "User:x", "uSer:x", "App:x", "APP:x", "TEMP:x", "Temp:x"),
    *("user::x", "app::x", "temp::x"),
    *("app:temp:x", "user:app:x", "temp:user:x", "user:user:x", "user:USER:x", "app:app:x", "app:User:x"),
    *("größe", "user:größe", "\uff55ser:x", "user\uff1ax", "k\u200bk", "\ud83d", "user:\u0131d", "ké"),
    *("a/b", "a{b}", "a?", "a*", "a%", "a'b", 'a"b', "a\\b", "a,b", "a[0]", "$a", "#a"),
    *(f"{LONGEST}k", f"user:{LONGEST}k", f"app:{LONGEST}k", f"temp:{LONGEST}k"),
)


@pytest.mark.parametrize(("key", "scope", "name"), KEYS)
def test_a_key_is_an_optional_prefix_and_a_name(key: str, scope: str, name: str) -> None:
    parsed = parse_key(key)

    assert parsed == Key(scope, name)  # type: ignore[arg-type]  # the table's words
    assert str(parsed) == key


@pytest.mark.parametrize("key", NO_KEYS, ids=ascii)
def test_anything_else_is_no_key(key: str) -> None:
    """P11."""
    with pytest.raises(DefinitionError, match="is no key"):
        parse_key(key)


@pytest.mark.parametrize("key", [None, 5, b"topic", ("user", "x"), True], ids=repr)
def test_a_key_is_text(key: object) -> None:
    with pytest.raises(DefinitionError, match=f"it is {type(key).__name__}, not text"):
        parse_key(key)


@given(st.sampled_from(["", "app:", "user:", "temp:"]), st.from_regex(r"[A-Za-z0-9_.-]{1,256}", fullmatch=True))
def test_every_plain_name_is_one_key_in_each_scope(prefix: str, name: str) -> None:
    assert parse_key(prefix + name) == Key(prefix.rstrip(":") or "session", name)  # type: ignore[arg-type]  # one of the four


@given(st.text(max_size=12))
def test_a_key_that_parses_is_written_as_it_was(key: str) -> None:
    try:
        parsed = parse_key(key)
    except DefinitionError:
        return

    assert str(parsed) == key
    assert key.isascii()


@pytest.mark.parametrize("key", ["codes", "a:b", "users:x", "7", "A-z_0.9", LONGEST])
def test_a_note_has_a_name(key: str) -> None:
    assert parse_scratch_key(key) == key


@pytest.mark.parametrize(
    "key", ["", ":x", "user:x", "app:x", "temp:x", "USER:x", "a b", "größe", "x\n", f"{LONGEST}k", "\ud83d", None, 5, b"x"], ids=ascii
)
def test_a_note_has_no_prefix_and_the_same_letters(key: object) -> None:
    with pytest.raises(DefinitionError, match="is no key"):
        parse_scratch_key(key)


@pytest.mark.parametrize("namespace", ["relabeling", "a-b_C", "7", "_", "n" * 64])
def test_a_namespace_is_letters_digits_hyphens_and_underscores(namespace: str) -> None:
    assert parse_namespace(namespace) == namespace


@pytest.mark.parametrize("namespace", ["", "a:b", "a.b", "a b", "a/b", "..", "größe", "n\n", "n" * 65, "a\x00", None, 5, b"n"], ids=ascii)
def test_anything_else_is_no_namespace(namespace: object) -> None:
    with pytest.raises(DefinitionError, match="is none"):
        parse_namespace(namespace)


def test_a_scope_belongs_to_nobody_a_user_or_a_session() -> None:
    owners: dict[Scope, str] = {"app": "", "user": "ada", "session": "s1", "scratch": "s1"}

    assert {scope: scope_id(scope, "ada", "s1") for scope in owners} == owners
