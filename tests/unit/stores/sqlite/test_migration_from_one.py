"""A file of schema 1 is brought to the newest: everything that stood in it is there, and goes on."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from handgriff.core.batch import ForkSession, IntroduceSeen, RewindSession
from handgriff.core.delta import Increment, Value, replayed
from handgriff.core.rows import Lease, Session
from handgriff.core.state import Totals
from handgriff.stores.sqlite import SqliteStore
from handgriff.stores.sqlite.migration import migrate
from handgriff.testing import samples
from handgriff.testing.samples import START, TENANT, USER, at, change, say
from tests.unit.stores.sqlite import version_one

pytestmark = pytest.mark.anyio
LEASE = Lease(epoch=2, turn="t1", holder="h1", until=at(30), stop=True)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    path = tmp_path / "handgriff.db"
    version_one.make(path)
    store = SqliteStore.open(path)
    yield store
    await store.close()


async def test_the_file_of_before_holds_a_row_in_every_table(tmp_path: Path) -> None:
    version_one.make(tmp_path / "one.db")
    connection = sqlite3.connect(tmp_path / "one.db")
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]

    assert len(tables) == 11
    for table in tables:
        assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], table  # noqa: S608  # our own table names
    connection.close()


async def test_sessions_keep_what_they_are_and_know_when_they_were_active(store: SqliteStore) -> None:
    full = Session(TENANT, USER, "full", START, 3, "Orders", "thread-1", samples.PINNED, LEASE, active_at=at(89_000))
    bare = Session(TENANT, USER, "bare", START, 0, None, None, None, LEASE, active_at=START)

    assert [await store.session(TENANT, id_) for id_ in ("full", "bare")] == [full, bare]
    assert await store.session_by_alias(TENANT, USER, "thread-1") == full
    assert await store.interrupted(at(30)) == ((TENANT, "bare"), (TENANT, "full"))
    assert await store.idle(TENANT, at(1)) == ("bare",)
    assert await store.idle(TENANT, at(89_001)) == ("bare", "full")
    assert await store.tenants() == (TENANT,)


async def test_state_keeps_its_versions_and_places_know_their_totals(store: SqliteStore) -> None:
    assert await store.values(TENANT, "session", "full") == {"topic": Value('"orders"', 2), "é": Value('"👋"', 1)}
    assert await store.totals(TENANT, "session", "full") == Totals(2, 5 + 8 + 2 + 6)
    assert await store.totals(TENANT, "user", USER) == Totals(1, 9)
    assert await store.totals(TENANT, "app", "") == Totals()

    await store.commit((change(Increment("session", "gone", 1), Increment("app", "brand", 1), session="full"),))
    assert (await store.values(TENANT, "session", "full"))["gone"] == Value("1", 5)
    assert await store.values(TENANT, "app", "") == {"brand": Value("1", 8)}
    assert (await store.totals(TENANT, "app", "")).keys == 1


async def test_events_go_on_and_the_last_one_brings_the_state_of_before(store: SqliteStore) -> None:
    events = await store.events(TENANT, "full")

    assert [(event.seq, event.id, bool(event.delta)) for event in events] == [(1, "e1", False), (2, "e2", False), (3, "e3", True)]
    assert replayed([event.delta for event in events]) == {"topic": '"orders"', "é": '"👋"'}
    assert (await store.commit((say("e4", session="full"), say("first", session="bare")))).seqs == (4, 1)


async def test_values_seen_count_as_seen_by_the_last_event(store: SqliteStore) -> None:
    for value, how in (("o_17", "introduced"), ("o_99", "typed")):
        assert await store.seen(TENANT, "full", "order", value) == how

    await store.commit(
        (
            ForkSession("full", Session(TENANT, USER, "whole", START), 3, ()),
            ForkSession("full", Session(TENANT, USER, "half", START), 2, ()),
            IntroduceSeen(TENANT, "full", (("order", "o_17"),)),
            RewindSession(TENANT, "full", 3, 2, ()),
        )
    )

    assert await store.seen(TENANT, "whole", "order", "o_99") == "typed"
    for session in ("half", "full"):
        assert [await store.seen(TENANT, session, "order", value) for value in ("o_17", "o_99")] == [None, None]


async def test_all_other_records_are_what_they_were(store: SqliteStore) -> None:
    assert list(await store.effects(TENANT)) == [replace(samples.EFFECT, arguments="")]
    assert list(await store.proposals(TENANT)) == [samples.PROPOSAL]
    assert list(await store.requests(TENANT)) == [samples.CLOSED_REQUEST]
    assert list(await store.hooks(TENANT)) == [samples.HOOK]
    assert await store.prefix(TENANT, "p") == "You are helpful."


async def test_a_migrated_file_has_the_tables_of_a_new_one(store: SqliteStore, tmp_path: Path) -> None:
    await SqliteStore.open(tmp_path / "new.db").close()

    assert _shape(tmp_path / "handgriff.db") == _shape(tmp_path / "new.db")


def _shape(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()
    connection.close()
    return rows


def test_days_of_before_1970_are_rounded_down(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    version_one.make(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM handgriff_event")
        connection.execute("UPDATE handgriff_session SET created_at = CASE id WHEN 'full' THEN -1 ELSE -86400000000 END")
    connection.close()
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection)

    assert connection.execute("SELECT id, active_day FROM handgriff_session ORDER BY id").fetchall() == [("bare", -1), ("full", -1)]
    connection.close()
