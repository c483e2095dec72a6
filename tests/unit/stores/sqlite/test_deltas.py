"""Deltas applied: the short way answers what the core computes, and nobody pays for what a delta does not name."""

import sqlite3
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.batch import StateChange
from handgriff.core.delta import Add, Append, Clear, Delete, Delta, Expect, Increment, Merge, Operation, Remove, Renew, Set, encode_delta
from handgriff.core.scope import Scope
from handgriff.core.state import LIMITS, StateLimits
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.apply import apply
from handgriff.stores.sqlite.deltas import apply_change, apply_changes, read_delta
from handgriff.stores.sqlite.migration import migrate
from handgriff.stores.sqlite.places import AT_ONCE
from handgriff.testing.samples import USER, change, create, renew

SMALL = StateLimits(value_bytes=12, keys=3, scope_bytes=40, delta_bytes=100, scratch_bytes=40)
WIDE = StateLimits(keys=100_000, scope_bytes=10**9)

_scopes: st.SearchStrategy[Scope] = st.sampled_from(("app", "user", "session"))
_keys = st.sampled_from(("k", "l", "é", "m", 'quo"te'))
_texts = st.sampled_from(("1", "null", '"x"', '"é"', '"👋👋"', '"' + "x" * 12 + '"', "[1,2]", "{}", '{"a":1}'))
_sets = st.builds(Set, _scopes, _keys, _texts)
_broken = st.builds(Set, st.just("app"), st.just("k"), st.just('"\ud800"'))
_changes: st.SearchStrategy[Operation] = st.one_of(
    _sets,
    _sets,
    st.builds(Increment, _scopes, _keys, st.integers(-2, 2) | st.just(10**99)),
    st.builds(Delete, _scopes, _keys),
    st.builds(Append, _scopes, _keys, _texts),
    st.builds(Add, _scopes, _keys, _texts),
    st.builds(Remove, _scopes, _keys, _texts),
    st.builds(Merge, _scopes, _keys, st.sampled_from(('{"a":null}', '{"b":[]}'))),
)
_guards: st.SearchStrategy[Operation] = st.builds(Expect, _scopes, _keys, st.none() | st.integers(0, 2)) | st.sampled_from(
    (Clear("n"), renew("n"), Set("scratch", "k", "1", "n"))
)


@given(st.lists(_sets, max_size=AT_ONCE + 2).map(tuple) | st.lists(_changes | _guards | _broken, max_size=4).map(tuple))
def test_the_text_of_a_delta_is_the_cores(delta: Delta) -> None:
    text, changes = read_delta(delta)

    assert text == encode_delta(delta)
    has_others = any(isinstance(each, (Expect, Clear, Renew)) or each.namespace for each in delta)
    assert (changes is None) == (has_others or not 0 < len(delta) <= AT_ONCE)


@given(st.lists(st.tuples(st.lists(_changes, min_size=1, max_size=6).map(tuple), st.sampled_from((SMALL, LIMITS))), max_size=6))
def test_the_short_way_leaves_what_the_core_computes(given_: list[tuple[Delta, StateLimits]]) -> None:
    """P11: also in what it refuses."""
    short, long = _database(), _database()

    for delta, limits in given_:
        _, changes = read_delta(delta)
        assert changes is not None
        both = StateChange(USER, delta, limits)
        assert _answer(short, partial(apply_changes, short, "t", "s", both, changes)) == _answer(
            long, partial(apply_change, long, "t", "s", both)
        )
        assert _rows(short) == _rows(long)


@pytest.mark.parametrize("count", [AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 1])
def test_a_delta_of_many_keys_is_written_in_portions(cursor: sqlite3.Cursor, count: int) -> None:
    keys = [f"k{number}" for number in range(count)]
    apply(cursor, (create(), change(*(Set("session", key, "1") for key in keys))))
    apply(cursor, (change(*(Increment("session", key, 1) for key in keys)),))

    cells = cursor.execute("SELECT key, value, version FROM handgriff_state").fetchall()
    assert sorted(cells) == sorted((key, "2", 2) for key in keys)
    assert cursor.execute("SELECT keys, bytes FROM handgriff_place").fetchall() == [(count, sum(len(key) + 1 for key in keys))]


@pytest.mark.parametrize("scope", ["app", "user", "session"])
def test_an_append_does_the_same_however_much_there_is(cursor: sqlite3.Cursor, scope: Scope) -> None:
    """P11: it reads nothing it does not change and rewrites nothing else."""
    apply(cursor, (create(), change(*(Set(scope, f"k{number}", "1") for number in range(10)))))
    few = _cost(cursor, scope)
    for start in range(10, 3000, 100):
        apply(cursor, (change(*(Set(scope, f"k{number}", "1") for number in range(start, start + 100)), limits=WIDE),))
    apply(cursor, tuple(change() for _ in range(1000)))

    assert _cost(cursor, scope) == few


def test_totals_that_stay_are_not_written(cursor: sqlite3.Cursor) -> None:
    apply(cursor, (create(), change(Set("session", "k", "1"), Set("session", "n", "1"))))
    said: list[str] = []
    cursor.connection.set_trace_callback(said.append)

    apply(cursor, (change(Set("session", "k", "2")), change(Increment("session", "n", 1), Delete("session", "never"))))

    assert not [statement for statement in said if "INTO handgriff_place" in statement]


def _cost(cursor: sqlite3.Cursor, scope: Scope) -> tuple[list[str], int]:
    said: list[str] = []
    cursor.connection.set_trace_callback(said.append)
    changes = cursor.connection.total_changes
    apply(cursor, (change(Set(scope, "k1", "5"), Set(scope, "k9", "6"), limits=WIDE),))
    apply(cursor, (change(Append(scope, "l", "1"), Increment(scope, "n", 7), Delete(scope, "l"), Delete(scope, "n"), limits=WIDE),))
    cursor.connection.set_trace_callback(None)
    return [" ".join(statement.split()[:4]) for statement in said], cursor.connection.total_changes - changes


def _database() -> sqlite3.Cursor:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statement in _tables():
        connection.execute(statement)
    return connection.cursor()


@cache
def _tables() -> list[str]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    names = "'handgriff_state', 'handgriff_place'"
    tables = connection.execute(f"SELECT sql FROM sqlite_schema WHERE name IN ({names})").fetchall()  # noqa: S608  # our own names
    connection.close()
    return [sql for (sql,) in tables]


def _answer(cursor: sqlite3.Cursor, write: Any) -> object:
    cursor.execute("BEGIN")
    try:
        write()
    except CommitRefused as refused:
        cursor.execute("ROLLBACK")
        return refused.guard
    cursor.execute("COMMIT")
    return None


def _rows(cursor: sqlite3.Cursor) -> list[Any]:
    return [cursor.execute(f"SELECT * FROM handgriff_{table}").fetchall() for table in ("state", "place")]  # noqa: S608  # our own tables
