"""The schema of a PostgreSQL database: made once, by whoever comes first and may, and never taken back."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff.core.batch import (
    Batch,
    ClaimEffect,
    ClaimWorkflow,
    CountTry,
    DeleteSession,
    ForkSession,
    HoldProposal,
    KeepCode,
    RewindSession,
    SettleEffect,
    SettleWorkflow,
    StartWorkflow,
)
from handgriff.core.rows import Fired
from handgriff.errors import BackendError
from handgriff.stores.postgres.driver import Connection, Pool, connect
from handgriff.stores.postgres.migration import FOLDER, migrate, newest
from handgriff.stores.postgres.store import PostgresStore
from handgriff.stores.postgres.words import words_of
from handgriff.testing.samples import EFFECT, PROPOSAL, SESSION, START, TENANT, WORKFLOW, at, create, hold, own_workflow, put
from tests.contract.postgres import new_database
from tests.servers.postgres import SUPERUSER, as_user

pytestmark = pytest.mark.anyio

CLERK = "clerk"
"""Works with the tables, and owns nothing."""
UNKNOWN: dict[int, dict[str, tuple[str, ...]]] = {
    9: {
        "record claim": ("arguments", "transaction", "fires", "owes", "outlives"),
        "record hold": ("confirm", "code", "codes_sent", "code_sent_at", "code_tries"),
    },
    10: {"record claim": ("fires", "owes", "outlives")},
}
"""Members that a version did not know."""
OLDER: dict[str, str] = {"session branch": "session fork", "session cut": "session rewind"}
"""Kinds as version 10 and before had them. What came behind their words since is left out."""


@pytest.fixture
async def url(postgres_url: str) -> AsyncIterator[str]:
    async with new_database(postgres_url) as url:
        yield url


async def test_an_empty_database_gets_the_newest_schema_once(url: str) -> None:
    assert await migrate(url) == (0, newest())
    assert await migrate(url) == (newest(), newest())


async def test_opening_makes_the_tables(url: str) -> None:
    async with opened(url) as store:
        await store.commit((create(),))

    assert await migrate(url) == (newest(), newest())
    async with opened(url) as store:
        assert await store.session(TENANT, "s1") == SESSION


async def test_sixteen_that_begin_together_find_one_schema(url: str) -> None:
    found: list[tuple[int, int]] = []

    async def begin() -> None:
        found.append(await migrate(url))

    async with anyio.create_task_group() as tasks:
        for _ in range(16):
            tasks.start_soon(begin)

    assert sorted(found) == [(0, newest()), *[(newest(), newest())] * 15]


async def test_a_database_on_its_way_is_brought_to_the_end(url: str) -> None:
    await bring_to(3, url)

    assert await migrate(url) == (3, newest())
    async with opened(url) as store:
        await store.commit((create(),))


async def test_a_database_of_version_9_keeps_its_rows(url: str) -> None:
    """And its servers, which go on for a while."""
    await bring_to(9, url)
    async with asyncpg.create_pool(url, min_size=1, max_size=1) as pool:
        await send_as(9, pool, (create(), hold("t1"), ClaimEffect(EFFECT), HoldProposal(PROPOSAL)))
        reads = ("SELECT * FROM handgriff.read_effects($1, NULL, NULL)", "SELECT * FROM handgriff.read_proposals($1, NULL, NULL, NULL)")
        for read in reads:
            assert len(await pool.fetch(read, TENANT)) == 1

        assert await migrate(url) == (9, newest())

        store = PostgresStore(pool)
        for read in reads:  # whose plans are older than the tables are now
            assert len(await pool.fetch(read, TENANT)) == 1
        await send_as(9, pool, (ClaimEffect(replace(EFFECT, key="k2")), HoldProposal(replace(PROPOSAL, id="p2"))))
        old, young = replace(EFFECT, arguments=""), replace(EFFECT, key="k2", arguments="")
        assert list(await store.effects(TENANT)) == list(await store.unsettled(TENANT)) == [old, young]
        assert list(await store.proposals(TENANT)) == [PROPOSAL, replace(PROPOSAL, id="p2")]
        assert await store.abandoned(at(3600)) == await store.interrupted(at(3600)) == ((TENANT, "s1"),)

        await store.commit((SettleEffect(TENANT, EFFECT.tool, "k1", "c1", "failed", at(1)),))
        again = replace(EFFECT, claim="c2", transaction=True)
        await store.commit((ClaimEffect(again), KeepCode(TENANT, "p1", 0, "hash", at(1), START, 1), CountTry(TENANT, "p2", 0)))
        assert await store.effect(TENANT, EFFECT.tool, "k1") == again
        assert await store.proposal(TENANT, "p1") == replace(PROPOSAL, code="hash", codes_sent=1, code_sent_at=at(1))
        assert await store.proposal(TENANT, "p2") == replace(PROPOSAL, id="p2", code_tries=1)


async def test_a_database_of_version_10_keeps_its_rows(url: str) -> None:
    """And its servers, which go on for a while, also beside instances that they know nothing of."""
    await bring_to(10, url)
    async with asyncpg.create_pool(url, min_size=1, max_size=1) as pool:
        await send_as(10, pool, (create(), put("k", "1"), ClaimEffect(replace(EFFECT, fires=None))))
        read = "SELECT * FROM handgriff.read_effects($1, NULL, NULL)"
        assert len(await pool.fetch(read, TENANT)) == 1

        assert await migrate(url) == (10, newest())

        store = PostgresStore(pool)
        assert len(await pool.fetch(read, TENANT)) == 1  # whose plan is older than the table is now
        assert list(await store.effects(TENANT)) == [replace(EFFECT, fires=None)]
        await store.commit((StartWorkflow(WORKFLOW), StartWorkflow(own_workflow())))

        fork = ForkSession("s1", replace(SESSION, id="s2"), 1, (("k", "2"),))
        second = ClaimEffect(replace(EFFECT, key="k2", fires=None))
        await send_as(10, pool, (fork, RewindSession(TENANT, "s1", 1, 0, (("k", "3"),)), second))
        assert [(await store.values(TENANT, "session", session))["k"].text for session in ("s1", "s2")] == ["3", "2"]
        assert list(await store.workflows(TENANT)) == [own_workflow(), WORKFLOW]
        await send_as(10, pool, (DeleteSession(TENANT, "s1", START),))
        assert list(await store.workflows(TENANT)) == [WORKFLOW]

        claim = ClaimWorkflow(TENANT, WORKFLOW.machine, WORKFLOW.handle, 0, "c2", EFFECT.tool, "k1", "{}", "n")
        again = replace(EFFECT, claim="c2", fires=Fired(WORKFLOW.machine, WORKFLOW.handle, "SEND"))
        await store.commit((SettleEffect(TENANT, EFFECT.tool, "k1", "c1", "failed", at(1)), ClaimEffect(again), claim))
        assert await store.effect(TENANT, EFFECT.tool, "k1") == again
        await store.commit((SettleWorkflow(TENANT, WORKFLOW.machine, WORKFLOW.handle, "c2", moves=True),))
        assert await store.workflow(TENANT, WORKFLOW.machine, WORKFLOW.handle) == replace(WORKFLOW, snapshot="{}", hash="n", version=1)


async def test_a_newer_schema_is_refused_and_both_versions_are_named(url: str) -> None:
    await migrate(url)
    async with connection(url) as owner:
        await owner.execute("INSERT INTO handgriff.schema_version (version, name) VALUES ($1, 'later')", newest() + 1)

    for attempt in (migrate(url), PostgresStore.open(url)):
        with pytest.raises(BackendError, match=f"schema {newest() + 1} and this version of Handgriff knows {newest()}; upgrade"):
            await attempt


async def test_who_may_make_no_tables_is_told_to_have_them_made(url: str) -> None:
    async with clerk(url) as theirs:
        with pytest.raises(BackendError, match=f"has schema 0 and this version of Handgriff needs {newest()}; run `handgriff migrate`"):
            await PostgresStore.open(theirs)
        with pytest.raises(BackendError, match="has no right"):
            await migrate(theirs)

        await migrate(url)
        with pytest.raises(BackendError, match="grant it USAGE on schema handgriff"):
            await PostgresStore.open(theirs)


async def test_who_owns_nothing_works_with_what_was_granted(url: str) -> None:
    await migrate(url)
    async with clerk(url) as theirs:
        async with connection(url) as owner:
            await owner.execute(f"GRANT USAGE ON SCHEMA handgriff TO {CLERK}")
            await owner.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA handgriff TO {CLERK}")
            await owner.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA handgriff TO {CLERK}")

        async with opened(theirs) as store:
            await store.commit((create(),))
            assert await store.session(TENANT, "s1") == SESSION
            assert await store.tenants() == (TENANT,)


async def test_a_schema_that_somebody_made_for_us_is_filled(url: str) -> None:
    async with connection(as_user(url, SUPERUSER)) as superuser:
        database = await superuser.fetchval("SELECT current_database()")
        await superuser.execute(f"CREATE SCHEMA handgriff AUTHORIZATION handgriff; ALTER DATABASE {database} OWNER TO {SUPERUSER}")

    assert await migrate(url) == (0, newest())


async def test_a_store_on_a_pool_without_tables_says_what_to_do(url: str) -> None:
    async with asyncpg.create_pool(url, min_size=1) as pool:
        store = PostgresStore(pool)
        for attempt in (store.session(TENANT, "s1"), store.commit((create(),)), store.tenants()):
            with pytest.raises(BackendError, match="run `handgriff migrate`"):
                await attempt
        await store.close()
        assert await pool.fetchval("SELECT 1") == 1


async def test_a_database_that_cannot_hold_every_text_is_refused(url: str) -> None:
    async with connection(as_user(url, SUPERUSER)) as superuser:
        await superuser.execute("CREATE DATABASE narrow OWNER handgriff ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")

        with pytest.raises(BackendError, match=r"LATIN1.*UTF8"):
            await migrate(url.rpartition("/")[0] + "/narrow")

        await superuser.execute("DROP DATABASE narrow WITH (FORCE)")


def test_the_files_are_numbered_without_a_gap() -> None:
    assert [int(file.name[:4]) for file in sorted(FOLDER.iterdir())] == list(range(1, newest() + 1))


async def bring_to(version: int, url: str) -> None:
    """Make what an earlier version made."""
    async with connection(url) as owner:
        await owner.execute(
            "CREATE SCHEMA handgriff; CREATE TABLE handgriff.schema_version (version integer PRIMARY KEY, name text NOT NULL)"
        )
        for number, file in enumerate(sorted(FOLDER.glob("*.sql"))[:version], 1):
            await owner.execute(file.read_text())
            await owner.execute("INSERT INTO handgriff.schema_version VALUES ($1, $2)", number, file.stem)


async def send_as(version: int, pool: Pool, batch: Batch) -> None:
    """Send *batch* without what that version did not know."""
    words: list[str | None] = []
    starts: list[int] = []
    for operation in batch:
        starts.append(len(words) + 1)
        words += _as_before(version, words_of((operation,)).words)
    locks = words_of(batch).locks
    await pool.fetch("SELECT seqs, swept FROM handgriff.commit($1, $2, $3, $4, $5)", words, starts, locks, True, False)


def _as_before(version: int, words: Sequence[str | None]) -> Sequence[str | None]:
    kind, tenant, record, *rest = words
    if kind in OLDER:
        assert rest[-1] == "0"
        return OLDER[kind], tenant, record, *rest[:-1]
    unknown = UNKNOWN[version].get(kind or "")
    if unknown is None:
        return words
    known = {name: value for name, value in json.loads(record or "").items() if name not in unknown}
    return kind, tenant, json.dumps(known), *rest


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresStore]:
    store = await PostgresStore.open(url)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def connection(url: str) -> AsyncIterator[Connection]:
    opened = await connect(url)
    try:
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def clerk(url: str) -> AsyncIterator[str]:
    """The address for a role that may connect, for a while."""
    async with connection(as_user(url, SUPERUSER)) as superuser:
        await superuser.execute(f"CREATE ROLE {CLERK} LOGIN NOSUPERUSER NOBYPASSRLS")
        try:
            yield as_user(url, CLERK)
        finally:
            await superuser.execute(f"DROP OWNED BY {CLERK}; DROP ROLE {CLERK}")
