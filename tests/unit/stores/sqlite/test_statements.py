"""The SQL files: every statement compiles against the schema, is used, and finds its rows by an index."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from handgriff.stores.sqlite import migration, places, statements
from handgriff.stores.sqlite.columns import Columns, session_row
from handgriff.stores.sqlite.effects import EFFECT
from handgriff.stores.sqlite.migration import migrate
from handgriff.stores.sqlite.proposals import PROPOSAL
from handgriff.stores.sqlite.records import HOOK, REQUEST
from handgriff.stores.sqlite.workflows import WORKFLOW
from handgriff.testing.samples import SESSION

FILES = ("sessions", "events", "state", "copies", "removal", "effects", "workflows", "ledger", "operator")
ALL = {(file, name): text for file in FILES for name, text in statements.statements(file).items()}
FILTERS = {
    "effects": ("session", "state"),
    "unsettled": ("session",),
    "proposals": ("user", "session", "state"),
    "workflows": ("session",),
    "requests": ("session", "turn"),
    "pseudonymise": ("user",),
}
MADE = {("made", f"reading {count} keys"): places._reading(count) for count in (0, 1, 3, places.AT_ONCE)} | {
    ("made", f"writing {count} keys"): places._writing(count) for count in (1, 3, places.AT_ONCE)
}


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    yield connection
    connection.close()


def test_every_file_is_read() -> None:
    folder = Path(statements.__file__).with_name("sql")

    assert {file.stem for file in folder.iterdir()} == set(FILES)


@pytest.mark.parametrize(("file", "name"), [*ALL, *MADE])
def test_a_statement_needs_no_scan(connection: sqlite3.Connection, file: str, name: str) -> None:
    for statement in _variants(name, {**ALL, **MADE}[file, name]):
        scans = [step for step in _plan(connection, statement) if step.startswith("SCAN")]
        # A recursive query looks at what it has just found, one row.
        assert [step for step in scans if not re.fullmatch(r"SCAN (by_\w+|(\d+ )?CONSTANT ROWS?)", step)] == [], statement


@pytest.mark.parametrize(("file", "name"), ALL)
def test_a_statement_is_used(file: str, name: str) -> None:
    sources = "".join(path.read_text() for path in Path(migration.__file__).parent.glob("*.py"))

    assert f'"{name}"' in sources


@pytest.mark.parametrize(
    ("place", "index"),
    [
        (("events", "head"), "SEARCH handgriff_session USING PRIMARY KEY (tenant=? AND id=?)"),
        (("events", "move_head"), "SEARCH handgriff_session USING PRIMARY KEY (tenant=? AND id=?)"),
        (("made", "reading 3 keys"), "USING PRIMARY KEY (tenant=? AND scope=? AND scope_id=? AND namespace=? AND key=?)"),
        (("made", "reading 3 keys"), "SEARCH handgriff_place USING PRIMARY KEY (tenant=? AND scope=? AND scope_id=? AND namespace=?)"),
        (("state", "some_values"), "USING PRIMARY KEY (tenant=? AND scope=? AND scope_id=? AND namespace=? AND key=?)"),
        (("events", "events"), "SEARCH handgriff_event USING PRIMARY KEY (tenant=? AND session=? AND seq>?)"),
        (("operator", "interrupted"), "USING INDEX handgriff_session_by_lease (lease_until<?)"),
        (("operator", "idle"), "USING INDEX handgriff_session_by_day (tenant=? AND active_day<?)"),
        (("operator", "tenants"), "SEARCH handgriff_session USING"),
        (("operator", "abandoned"), "USING INDEX handgriff_effect_by_lease (lease_until<?)"),
        (("operator", "uncertain"), "USING INDEX handgriff_effect_unsettled ((tenant,session)>(?,?))"),
        (("operator", "queueing"), "SEARCH handgriff_hook USING"),
        (("effects", "waiting"), "USING INDEX handgriff_proposal_waiting (tenant=? AND user=? AND expires_at>?)"),
        (("effects", "unsettled"), "USING INDEX handgriff_effect_unsettled (tenant=? AND session=?)"),
        (("effects", "for_second_person"), "USING INDEX handgriff_proposal_for_second_person (tenant=?)"),
        (("effects", "codes_of_user"), "USING PRIMARY KEY (tenant=? AND user=?)"),
        (("effects", "forget_codes"), "USING PRIMARY KEY (tenant=? AND user=? AND at<?)"),
        (("effects", "running_in_session"), "USING INDEX handgriff_effect_unsettled (tenant=? AND session=?)"),
        (("effects", "running_of_user"), "USING INDEX handgriff_effect_unsettled (tenant=?)"),
        (("effects", "sweep_effects"), "USING INDEX handgriff_effect_by_state (tenant=? AND state=? AND claimed_at<?)"),
        (("effects", "owner_of_code"), "USING INDEX sqlite_autoindex_handgriff_proposal_1 (tenant=? AND id=?)"),
        (("effects", "count_try"), "USING INDEX sqlite_autoindex_handgriff_proposal_1 (tenant=? AND id=?)"),
        (("workflows", "claim_workflow"), "USING INDEX sqlite_autoindex_handgriff_workflow_1 (tenant=? AND machine=? AND handle=?)"),
        (("workflows", "settle_workflow"), "USING INDEX sqlite_autoindex_handgriff_workflow_1 (tenant=? AND machine=? AND handle=?)"),
        (("workflows", "workflow_version"), "USING INDEX sqlite_autoindex_handgriff_workflow_1 (tenant=? AND machine=? AND handle=?)"),
        (("workflows", "sweep_workflows"), "USING INDEX handgriff_workflow_by_deadline (tenant=? AND expires_at<?)"),
        (("workflows", "own_workflows"), "USING INDEX handgriff_workflow_by_session (tenant=? AND session=?)"),
        (("workflows", "workflows"), "USING INDEX handgriff_workflow_by_session (tenant=? AND session=?)"),
        (("removal", "delete_workflows"), "USING INDEX handgriff_workflow_by_session (tenant=? AND session=?)"),
        (("state", "expired_records"), "USING COVERING INDEX handgriff_place_by_deadline (tenant=? AND expires_at<?)"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_is_asked_often_or_over_many_rows_is_found_by_its_index(
    connection: sqlite3.Connection, place: tuple[str, str], index: str
) -> None:
    statement = statements.filtered({**ALL, **MADE}[place], *FILTERS.get(place[1], ()))
    plan = _plan(connection, statements.listed(statement, 3))

    assert [step for step in plan if index in step], plan


def test_an_append_with_its_delta_makes_no_table_on_the_way(connection: sqlite3.Connection) -> None:
    statement = MADE["made", "reading 16 keys"]
    for text in (statement, ALL["events", "append_event"], ALL["events", "move_head"], MADE["made", "writing 16 keys"]):
        assert not [step for step in _plan(connection, text) if "TEMP B-TREE" in step or "LIST SUBQUERY" in step]
        assert "RETURNING" not in text


def test_an_index_that_changes_with_every_event_is_none(connection: sqlite3.Connection) -> None:
    set_there = set(re.findall(r"(\w+) = \?", ALL["events", "move_head"].partition("WHERE")[0]))

    assert set_there == {"head", "active_at"}
    for _, index, *_ in connection.execute("PRAGMA index_list(handgriff_session)").fetchall():
        assert not set_there & {name for _, _, name in connection.execute(f"PRAGMA index_info({index})")}


def test_what_claims_and_settles_an_instance_changes_no_index(connection: sqlite3.Connection) -> None:
    set_there = {
        column
        for name in ("claim_workflow", "settle_workflow")
        for column in re.findall(r"^ *(?:SET )?(\w+) = |, (\w+) = \?", ALL["workflows", name].partition("WHERE")[0], re.MULTILINE)
        for column in column
        if column
    }

    assert set_there == {"claim", "tool", "key", "next", "next_hash", "snapshot", "hash", "version"}
    for _, index, *_ in connection.execute("PRAGMA index_list(handgriff_workflow)").fetchall():
        assert not set_there & {name for _, _, name in connection.execute(f"PRAGMA index_info({index})")}


def test_pages_and_windows_are_read_in_the_order_of_an_index(connection: sqlite3.Connection) -> None:
    for place in (("sessions", "newest_sessions"), ("sessions", "older_sessions"), ("events", "events"), ("operator", "interrupted")):
        assert not [step for step in _plan(connection, ALL[place]) if "TEMP B-TREE" in step]
    # Of one day, because the order within it is not in the index.
    assert [step for step in _plan(connection, ALL["operator", "idle"]) if "B-TREE" in step] == [
        "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"
    ]


@pytest.mark.parametrize(
    ("file", "name", "columns"),
    [
        ("effects", "effects", EFFECT),
        ("effects", "effect", EFFECT),
        ("effects", "unsettled", EFFECT),
        ("effects", "proposals", PROPOSAL),
        ("effects", "proposal", PROPOSAL),
        ("effects", "for_second_person", PROPOSAL),
        ("effects", "waiting", PROPOSAL),
        ("effects", "hooks", HOOK),
        ("workflows", "workflow", WORKFLOW),
        ("workflows", "workflows", WORKFLOW),
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
    assert statements.listed("key IN (:list)", 2) == "key IN (?, ?)"
    assert statements.listed("key IN (:list)", 0) == "key IN ()"


def test_a_comment_belongs_to_the_statement_below_it() -> None:
    assert not [place for place, text in ALL.items() if text.splitlines()[-1].startswith("--") or text.endswith(";")]


def _plan(connection: sqlite3.Connection, statement: str) -> list[str]:
    numbered = {int(number) for number in re.findall(r"\?(\d+)", statement)}
    count = max(numbered) if numbered else statement.count("?")
    values: object = [None] * count if count else dict.fromkeys(re.findall(r":(\w+)", statement))
    rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # type: ignore[arg-type]  # a list or a dictionary
    return [step for *_, step in rows]


def _variants(name: str, statement: str) -> Iterator[str]:
    filters = FILTERS.get(name, ())
    for chosen in ((), *((column,) for column in filters), filters):
        yield statements.listed(statements.filtered(statement, *chosen), 3)


def _selected(connection: sqlite3.Connection, statement: str) -> tuple[str, ...]:
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 0)
    return tuple(column for column, *_ in connection.execute(statement, values).description)
