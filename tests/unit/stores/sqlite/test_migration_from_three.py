"""A file of schema 3 is brought to the newest: what it holds is there, and its effects and sessions can have workflows."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from handgriff.core.batch import ClaimEffect, ClaimWorkflow, KeepCode, SettleEffect, SettleWorkflow, StartWorkflow
from handgriff.core.rows import Fired
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing import samples
from handgriff.testing.samples import START, TENANT, at, own_workflow, say
from tests.unit.stores.sqlite import version_three
from tests.unit.stores.sqlite.version_three import EFFECTS, PROPOSALS

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    path = tmp_path / "handgriff.db"
    version_three.make(path)
    store = SqliteStore.open(path)
    yield store
    await store.close()


async def test_the_file_of_before_holds_a_row_in_every_table(tmp_path: Path) -> None:
    version_three.make(tmp_path / "three.db")

    with closing(sqlite3.connect(tmp_path / "three.db")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        assert len(tables) == 14
        for table in tables:
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], table  # noqa: S608  # our own table names


async def test_effects_and_proposals_are_what_they_were_and_fire_nothing(store: SqliteStore) -> None:
    assert list(await store.effects(TENANT)) == list(EFFECTS)
    assert {effect.fires for effect in await store.effects(TENANT)} == {None}
    assert list(await store.proposals(TENANT)) == list(PROPOSALS)
    assert [event.id for event in await store.events(TENANT, "full")] == ["e1", "e2", "e3"]
    with pytest.raises(CommitRefused, match="limit"):
        await store.commit((KeepCode(TENANT, "p1", 0, "hash", at(5), START, 1),))


async def test_a_session_of_before_gets_an_instance_and_an_effect_of_before_is_claimed_anew_to_move_it(store: SqliteStore) -> None:
    assert list(await store.workflows(TENANT)) == []
    own = own_workflow("full")
    anew = replace(samples.EFFECT, key="failed", session="full", claim="c2", fires=Fired("chat", "full", "SENT"))
    next_ = ('{"value":"sent"}', "n" * 64)

    await store.commit(
        (StartWorkflow(own), ClaimWorkflow(TENANT, "chat", "full", 0, "c2", anew.tool, anew.key, *next_), ClaimEffect(anew)),
        durable=True,
    )
    assert await store.effect(TENANT, anew.tool, "failed") == anew
    outcome = SettleEffect(TENANT, anew.tool, anew.key, "c2", "done", at(5), "{}")
    await store.commit((say("e4", session="full"), outcome, SettleWorkflow(TENANT, "chat", "full", "c2", moves=True)))

    assert list(await store.workflows(TENANT, session="full")) == [replace(own, snapshot=next_[0], hash=next_[1], version=1)]


async def test_a_migrated_file_has_the_tables_of_a_new_one(store: SqliteStore, tmp_path: Path) -> None:
    await SqliteStore.open(tmp_path / "new.db").close()

    assert _shape(tmp_path / "handgriff.db") == _shape(tmp_path / "new.db")


def _shape(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()
