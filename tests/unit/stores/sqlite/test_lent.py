"""A lent connection: everything but ending the transaction and writing our tables, and a refusal says what to do instead."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from handgriff.errors import DefinitionError
from handgriff.stores.sqlite.lent import LentConnection
from handgriff.stores.sqlite.migration import migrate

Work = Callable[[sqlite3.Connection], object]


@pytest.fixture
def lent(tmp_path: Path) -> Iterator[LentConnection]:
    """A connection in a transaction, lent, on a file with our tables and two of the application's."""
    connection = sqlite3.connect(tmp_path / "shop.db", isolation_level=None, factory=LentConnection, cached_statements=0)
    migrate(connection)
    connection.execute("CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER, picture BLOB)")
    connection.execute("INSERT INTO stock VALUES ('pear', 3, x'00'), ('apple', 5, x'00')")
    connection.execute("CREATE TABLE strict_stock (item TEXT PRIMARY KEY ON CONFLICT ROLLBACK)")
    connection.execute("INSERT INTO strict_stock VALUES ('pear')")
    connection.execute("BEGIN IMMEDIATE")
    connection.lend()
    yield connection
    connection.let_go()


ENDS: Mapping[str, Work] = {
    "commit": lambda connection: connection.commit(),
    "rollback": lambda connection: connection.rollback(),
    "close": lambda connection: connection.close(),
    "script": lambda connection: connection.executescript("INSERT INTO stock VALUES ('fig', 1, NULL);"),
    "script of a cursor": lambda connection: connection.cursor().executescript("SELECT 1;"),
    "with": lambda connection: connection.__enter__(),  # as `with connection:` calls it
    "COMMIT": lambda connection: connection.execute("COMMIT"),
    "END": lambda connection: connection.execute("/* now */ end transaction"),
    "ROLLBACK": lambda connection: connection.execute("ROLLBACK"),
    "BEGIN": lambda connection: connection.execute("BEGIN"),
    "of a cursor": lambda connection: connection.cursor().execute("COMMIT"),
    "authorizer": lambda connection: connection.set_authorizer(None),
}
TOUCHES: Mapping[str, str] = {
    "insert": "INSERT INTO handgriff_prefix VALUES ('acme', 'h', 't')",
    "upper case": "INSERT INTO HANDGRIFF_PREFIX VALUES ('acme', 'h', 't')",
    "replace": "REPLACE INTO handgriff_prefix VALUES ('acme', 'h', 't')",
    "update": "UPDATE main.handgriff_effect SET state = 'done'",
    "delete": 'DELETE FROM "handgriff_event"',
    "drop": "DROP TABLE handgriff_hook",
    "drop an index": "DROP INDEX handgriff_effect_by_state",
    "add a column": "ALTER TABLE handgriff_hook ADD COLUMN more TEXT",
    "rename": "ALTER TABLE handgriff_hook RENAME TO hooks",
    "index": "CREATE INDEX fast ON handgriff_event (turn)",
    "trigger": "CREATE TRIGGER follow AFTER INSERT ON handgriff_event BEGIN SELECT 1; END",
    "trigger of this connection": "CREATE TEMP TRIGGER follow AFTER INSERT ON handgriff_event BEGIN SELECT 1; END",
    "shadow": "CREATE TEMP TABLE handgriff_event (tenant TEXT)",
    "view": "CREATE TEMP VIEW handgriff_session AS SELECT 1",
    "new table": "CREATE TABLE handgriff_more (id TEXT)",
    "schema": "PRAGMA writable_schema = TRUE",
    "bytes that stay": "PRAGMA secure_delete = FALSE",
    "another file": "ATTACH ':memory:' AS elsewhere",
}
LIBRARY: Mapping[str, Work] = {
    "commit": sqlite3.Connection.commit,
    "rollback": sqlite3.Connection.rollback,
    "script": lambda connection: sqlite3.Connection.executescript(connection, "SELECT 1"),
    "isolation level": lambda connection: setattr(connection, "isolation_level", None),
    "cursor": lambda connection: sqlite3.Cursor(connection).execute("COMMIT"),
    "statement": lambda connection: sqlite3.Connection.execute(connection, "COMMIT"),
    "cursor of another kind": lambda connection: connection.cursor(sqlite3.Cursor).execute("DELETE FROM handgriff_event"),
}


@pytest.mark.parametrize("work", ENDS.values(), ids=ENDS.keys())
def test_what_would_end_the_transaction_is_refused_with_a_mend(lent: LentConnection, work: Work) -> None:
    lent.execute("UPDATE stock SET count = 2 WHERE item = 'pear'")

    with pytest.raises(DefinitionError, match=r"call\.transaction\(\).*Mend: ") as refused:
        work(lent)

    assert refused.value.mend
    assert lent.in_transaction
    assert lent.execute("SELECT count FROM stock WHERE item = 'pear'").fetchone() == (2,)


@pytest.mark.parametrize("statement", TOUCHES.values(), ids=TOUCHES.keys())
def test_our_tables_are_not_for_handlers(lent: LentConnection, statement: str) -> None:
    before = lent.execute("SELECT name, sql FROM sqlite_schema").fetchall()

    with pytest.raises(DefinitionError, match=r"Mend: ") as refused:
        lent.execute(statement)

    assert refused.value.subject == "call.transaction()"
    assert lent.in_transaction
    assert lent.execute("SELECT name, sql FROM sqlite_schema").fetchall() == before


@pytest.mark.parametrize("work", LIBRARY.values(), ids=LIBRARY.keys())
def test_no_way_round_leads_past_sqlite(lent: LentConnection, work: Work) -> None:
    """Whoever calls the library's own methods hears less, and gets no further."""
    lent.execute("UPDATE stock SET count = 2 WHERE item = 'pear'")

    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        work(lent)

    assert lent.in_transaction
    assert lent.execute("SELECT count FROM stock WHERE item = 'pear'").fetchone() == (2,)


def test_a_trigger_of_the_application_does_not_write_for_a_handler_either(lent: LentConnection) -> None:
    lent.execute("CREATE TRIGGER sly AFTER UPDATE ON stock BEGIN DELETE FROM handgriff_event; END")

    with pytest.raises(DefinitionError, match="handgriff_event"):
        lent.execute("UPDATE stock SET count = 0")


def test_our_tables_can_be_read_and_the_applications_be_made_and_changed(lent: LentConnection) -> None:
    assert lent.execute("SELECT COUNT(*) FROM handgriff_event").fetchone() == (0,)
    assert lent.execute("PRAGMA table_info(handgriff_event)").fetchall()

    lent.execute("CREATE TABLE orders (id TEXT, handgriff_call TEXT)")
    lent.executemany("INSERT INTO orders VALUES (?, ?)", [("o_1", "c1"), ("o_2", "c2")])
    lent.execute("UPDATE orders SET handgriff_call = NULL WHERE id = :id", {"id": "o_1"})
    lent.execute("ALTER TABLE orders ADD COLUMN note TEXT")
    lent.execute("CREATE INDEX orders_by_note ON orders (note)")

    assert lent.execute("SELECT id, handgriff_call, note FROM orders").fetchall() == [("o_1", None, None), ("o_2", "c2", None)]


def test_savepoints_are_the_handlers(lent: LentConnection) -> None:
    lent.execute("SAVEPOINT part")
    lent.execute("DELETE FROM stock")
    lent.execute("ROLLBACK TO part")
    lent.execute("RELEASE part")

    assert lent.execute("SELECT COUNT(*) FROM stock").fetchone() == (2,)
    assert lent.in_transaction


def test_errors_of_the_database_are_its_own(lent: LentConnection) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        lent.execute("INSERT INTO stock VALUES ('pear', 1, NULL)")
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        lent.executemany("INSERT INTO stock VALUES (?, 1, NULL)", [("fig",), ("pear",)])
    with pytest.raises(sqlite3.ProgrammingError):
        lent.execute("SELECT 1; SELECT 2")

    assert lent.in_transaction


def test_after_an_error_that_took_all_of_it_back_nothing_is_written_by_itself(lent: LentConnection, tmp_path: Path) -> None:
    """SQLite would commit each further statement at once, without any outcome."""
    lent.execute("UPDATE stock SET count = 0")
    with pytest.raises(sqlite3.IntegrityError):
        lent.execute("INSERT INTO strict_stock VALUES ('pear')")
    assert not lent.in_transaction

    further: tuple[Work, ...] = (
        lambda connection: connection.execute("UPDATE stock SET count = 0"),
        lambda connection: connection.executemany("UPDATE stock SET count = ?", [(0,)]),
        lambda connection: connection.execute("BEGIN"),
        lambda connection: connection.blobopen("stock", "picture", 1),
    )
    for work in further:
        with pytest.raises(DefinitionError, match="the transaction is over"):
            work(lent)

    with sqlite3.connect(tmp_path / "shop.db") as other:
        assert other.execute("SELECT SUM(count) FROM stock").fetchone() == (8,)
    other.close()


def test_blobs_of_our_tables_are_not_for_handlers(lent: LentConnection) -> None:
    with lent.blobopen("stock", "picture", 1) as picture:
        picture.write(b"\xff")
    assert lent.execute("SELECT picture FROM stock WHERE rowid = 1").fetchone() == (b"\xff",)

    with pytest.raises(DefinitionError, match="handgriff_hook"):
        lent.blobopen("handgriff_hook", "payload", 1)


def test_what_was_left_half_read_is_closed_when_it_is_taken_back(lent: LentConnection) -> None:
    reading, writing = lent.execute("SELECT item FROM stock"), lent.cursor()
    writing.execute("INSERT INTO stock VALUES ('fig', 1, NULL), ('plum', 2, NULL) RETURNING item")
    blob: Any = lent.blobopen("stock", "picture", 1)

    lent.take_back()
    sqlite3.Cursor(lent).execute("COMMIT")

    for late in (reading.fetchone, writing.fetchone, blob.read):
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            late()


def test_what_is_lent_again_is_fenced_again(lent: LentConnection) -> None:
    lent.take_back()
    sqlite3.Cursor(lent).execute("INSERT INTO handgriff_prefix VALUES ('acme', 'h', 't')")
    lent.lend()

    with pytest.raises(DefinitionError):
        lent.execute("DELETE FROM handgriff_prefix")
    assert lent.execute("SELECT text FROM handgriff_prefix").fetchone() == ("t",)
