"""A file of schema 2 is brought to the newest: what it holds is there, and takes part in what came since."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from handgriff.core.batch import ClaimEffect, CountTry, KeepCode
from handgriff.core.delta import Value
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing import samples
from handgriff.testing.samples import START, TENANT, USER, at, say
from tests.unit.stores.sqlite import version_two
from tests.unit.stores.sqlite.version_two import EFFECTS, PROPOSALS

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    path = tmp_path / "handgriff.db"
    version_two.make(path)
    store = SqliteStore.open(path)
    yield store
    await store.close()


async def test_the_file_of_before_holds_a_row_in_every_table(tmp_path: Path) -> None:
    version_two.make(tmp_path / "two.db")

    with closing(sqlite3.connect(tmp_path / "two.db")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        assert len(tables) == 13
        for table in tables:
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], table  # noqa: S608  # our own table names


async def test_conversations_and_state_are_what_they_were(store: SqliteStore) -> None:
    found = await store.session(TENANT, "full")

    assert found is not None
    assert (found.head, found.alias, found.pinned) == (3, "thread-1", samples.PINNED)
    assert [event.id for event in await store.events(TENANT, "full")] == ["e1", "e2", "e3"]
    assert await store.values(TENANT, "user", USER) == {"name": Value('"Ada"', 1)}
    (record,) = await store.records(TENANT, now=START)
    assert (record.namespace, record.values, record.expires_at) == ("notes", {"k": Value("1", 8)}, at(60))
    assert (await store.commit((say("e4", session="full"),))).seqs == (4,)


async def test_effects_have_no_arguments_and_no_transaction_and_are_found_by_the_new_reads(store: SqliteStore) -> None:
    kept = [replace(effect, arguments="") for effect in EFFECTS]

    assert list(await store.effects(TENANT)) == kept
    assert [effect.key for effect in await store.unsettled(TENANT)] == ["k1", "running", "indeterminate"]
    assert [effect.key for effect in await store.unsettled(TENANT, session="full")] == ["running", "indeterminate"]
    assert await store.abandoned(at(60)) == ((TENANT, "full"), (TENANT, "s1"))

    anew = replace(samples.EFFECT, key="failed", claim="c2", transaction=True)
    await store.commit((ClaimEffect(anew),))
    assert await store.effect(TENANT, anew.tool, "failed") == anew


async def test_proposals_wait_for_a_person_and_were_sent_no_code(store: SqliteStore) -> None:
    assert list(await store.proposals(TENANT)) == list(PROPOSALS)
    assert list(await store.for_second_person(TENANT, START)) == []

    await store.commit((KeepCode(TENANT, "p1", 0, "hash", at(5), START, 1), CountTry(TENANT, "p1", 0)))
    assert await store.proposal(TENANT, "p1") == replace(PROPOSALS[0], code="hash", codes_sent=1, code_sent_at=at(5), code_tries=1)


async def test_a_migrated_file_has_the_tables_of_a_new_one(store: SqliteStore, tmp_path: Path) -> None:
    await SqliteStore.open(tmp_path / "new.db").close()

    assert _shape(tmp_path / "handgriff.db") == _shape(tmp_path / "new.db")


def _shape(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()
