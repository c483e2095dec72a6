"""The SQL files: every statement compiles against the schema, is used, and finds its rows by an index."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from handgriff.stores.sqlite import migration, statements
from handgriff.stores.sqlite.columns import Columns, session_row
from handgriff.stores.sqlite.migration import migrate
from handgriff.stores.sqlite.records import EFFECT, HOOK, PROPOSAL, REQUEST
from handgriff.testing.samples import SESSION

FILES = ("sessions", "events", "effects", "ledger")
ALL = {(file, name): text for file in FILES for name, text in statements.statements(file).items()}
FILTERS = {"effects": ("session", "state"), "proposals": ("user", "session", "state"), "requests": ("session", "turn")}


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    yield connection
    connection.close()


def test_every_file_is_read() -> None:
    folder = Path(statements.__file__).with_name("sql")

    assert {file.stem for file in folder.iterdir()} == set(FILES)


@pytest.mark.parametrize(("file", "name"), ALL)
def test_a_statement_is_used_and_needs_no_scan(connection: sqlite3.Connection, file: str, name: str) -> None:
    sources = "".join(path.read_text() for path in Path(migration.__file__).parent.glob("*.py"))
    # The statements of `DeleteSession` are named after their tables.
    assert f'"{name}"' in sources or f'"{name.removeprefix("delete_")}"' in sources

    for statement in _variants(name, ALL[file, name]):
        marks = statement.count("?")
        values: object = [None] * marks if marks else dict.fromkeys(re.findall(r":(\w+)", statement))
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # type: ignore[arg-type]  # a list or a dictionary
        assert not [step for *_, step in plan if step.startswith("SCAN")], statement


def test_pages_and_windows_are_read_in_the_order_of_an_index(connection: sqlite3.Connection) -> None:
    for place in (("sessions", "newest_sessions"), ("sessions", "older_sessions"), ("events", "events")):
        values = dict.fromkeys(re.findall(r":(\w+)", ALL[place]))
        plan = connection.execute(f"EXPLAIN QUERY PLAN {ALL[place]}", values).fetchall()
        assert not [step for *_, step in plan if "TEMP B-TREE" in step]


@pytest.mark.parametrize(
    ("file", "name", "columns"),
    [
        ("effects", "effects", EFFECT),
        ("effects", "effect", EFFECT),
        ("effects", "proposals", PROPOSAL),
        ("effects", "proposal", PROPOSAL),
        ("effects", "hooks", HOOK),
        ("ledger", "requests", REQUEST),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_records_are_selected_in_the_order_of_their_fields(
    connection: sqlite3.Connection, file: str, name: str, columns: Columns[object]
) -> None:
    statement = statements.filtered(ALL[file, name])

    assert _selected(connection, statement) == columns.names


def test_sessions_are_selected_in_the_order_of_their_row(connection: sqlite3.Connection) -> None:
    for name in ("session", "session_by_alias", "newest_sessions", "older_sessions"):
        assert _selected(connection, ALL["sessions", name]) == tuple(session_row(SESSION))


def test_a_mark_becomes_what_is_asked_for() -> None:
    assert statements.filtered("WHERE tenant = :tenant AND :filters") == "WHERE tenant = :tenant AND TRUE"
    assert statements.filtered("WHERE :filters", "a", "b") == "WHERE a = :a AND b = :b"
    assert statements.listed("key IN (:keys)", 2) == "key IN (:key0, :key1)"
    assert statements.listed("key IN (:keys)", 0) == "key IN ()"


def _variants(name: str, statement: str) -> Iterator[str]:
    filters = FILTERS.get(name, ())
    for chosen in ((), *((column,) for column in filters), filters):
        yield statements.listed(statements.filtered(statement, *chosen), 3)


def _selected(connection: sqlite3.Connection, statement: str) -> tuple[str, ...]:
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 0)
    return tuple(column for column, *_ in connection.execute(statement, values).description)
