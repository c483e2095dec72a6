"""What a PostgreSQL store asks of its server: one statement a question, by indexes, and the disk where it must."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from handgriff.core.batch import (
    CheckLease,
    CheckNothingRuns,
    CheckWorkflow,
    ClaimEffect,
    ClaimWorkflow,
    CountTry,
    DeleteSession,
    FollowEffect,
    KeepCode,
    OpenRequest,
    RewindSession,
    SettleEffect,
    SettleWorkflow,
    SweepWorkflows,
)
from handgriff.core.delta import Append, Increment, Set
from handgriff.stores.postgres.driver import Connection, Pool, Row
from handgriff.stores.postgres.store import PostgresStore
from handgriff.stores.postgres.words import words_of
from handgriff.testing.samples import EFFECT, REQUEST, START, TENANT, USER, at, change, create, furnish, hold, put, renew, say
from tests.contract.postgres import TABLES, Database, database

pytestmark = pytest.mark.anyio

READS: dict[str, Callable[[PostgresStore], Awaitable[Any]]] = {
    "session": lambda store: store.session(TENANT, "s1"),
    "alias": lambda store: store.session_by_alias(TENANT, USER, "a"),
    "sessions": lambda store: store.sessions(TENANT, USER),
    "older sessions": lambda store: store.sessions(TENANT, USER, before="s1"),
    "events": lambda store: store.events(TENANT, "s1"),
    "introduced": lambda store: store.seen(TENANT, "s1", "order", "o_17"),
    "typed": lambda store: store.seen(TENANT, "s1", "order", "o_99"),
    "values": lambda store: store.values(TENANT, "session", "s1"),
    "some values": lambda store: store.values(TENANT, "app", "", ["brand"]),
    "totals": lambda store: store.totals(TENANT, "user", USER),
    "session values": lambda store: store.session_values(TENANT, ["s1", "s2"]),
    "record": lambda store: store.record(TENANT, "s1", "notes", now=START),
    "records": lambda store: store.records(TENANT, now=START),
    "prefix": lambda store: store.prefix(TENANT, "h"),
    "effect": lambda store: store.effect(TENANT, "t", "k"),
    "effects": lambda store: store.effects(TENANT, session="s1", state="running"),
    "effects of a state": lambda store: store.effects(TENANT, state="running"),
    "unsettled": lambda store: store.unsettled(TENANT),
    "unsettled of a session": lambda store: store.unsettled(TENANT, session="s1"),
    "owing": lambda store: store.owing(TENANT, user=USER),
    "owing in a session": lambda store: store.owing(TENANT, session="s1"),
    "proposal": lambda store: store.proposal(TENANT, "p1"),
    "proposals": lambda store: store.proposals(TENANT, user=USER, session="s1", state="pending"),
    "proposals of a state": lambda store: store.proposals(TENANT, state="pending"),
    "for second person": lambda store: store.for_second_person(TENANT, START),
    "waiting": lambda store: store.waiting(TENANT, USER, START),
    "waiting in a session": lambda store: store.waiting(TENANT, USER, START, session="s1"),
    "hooks": lambda store: store.hooks(TENANT),
    "requests": lambda store: store.requests(TENANT, session="s1"),
    "workflow": lambda store: store.workflow(TENANT, "chat", "s1"),
    "workflows": lambda store: store.workflows(TENANT),
    "workflows of a session": lambda store: store.workflows(TENANT, session="s1"),
    "idle": lambda store: store.idle(TENANT, at(9)),
    "interrupted": lambda store: store.interrupted(at(99)),
    "abandoned": lambda store: store.abandoned(at(99)),
    "uncertain": lambda store: store.uncertain(["t"]),
    "queueing": lambda store: store.queueing(),
    "tenants": lambda store: store.tenants(),
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def opened(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    async with database(postgres_url) as opened:
        yield opened


@pytest.fixture
async def counted(opened: Database) -> "Counted":
    await (await opened.emptied()).commit(furnish("s1"))
    return Counted(opened.pool)


@pytest.mark.parametrize("read", READS)
async def test_a_question_is_one_statement(counted: "Counted", read: str) -> None:
    await READS[read](PostgresStore(counted))

    assert counted.statements == 1


async def test_a_batch_is_one_statement_however_much_it_holds(counted: "Counted") -> None:
    store = PostgresStore(counted)

    await store.commit((*furnish("s2"), *furnish("s3"), say("e", session="s2")))
    assert counted.statements == 1
    await store.commit((say("e2"),), durable=True)
    assert counted.statements == 2


async def test_an_event_that_is_stored_already_takes_a_second_statement(counted: "Counted") -> None:
    store = PostgresStore(counted)
    done = await store.commit((say("again"),))
    assert counted.statements == 1

    assert await store.commit((say("again"),)) == done
    assert counted.statements == 3


async def test_a_connection_goes_back_to_the_pool_without_a_statement(opened: Database, counted: "Counted") -> None:
    await PostgresStore(counted).session(TENANT, "s1")

    rows = await opened.superuser.fetch("SELECT DISTINCT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'")
    assert not [row["query"] for row in rows if "RESET" in row["query"] or "UNLISTEN" in row["query"]]


@pytest.mark.parametrize(("default", "durable", "expected"), [("on", False, "off"), ("off", True, "on"), ("local", True, "local")])
async def test_the_disk_is_waited_for_where_it_must_be(opened: Database, default: str, *, durable: bool, expected: str) -> None:
    """Who waits for more than the disk, such as a second server, goes on doing so."""
    sent = words_of((put("k", "1"), put("l", "1")))
    await (await opened.emptied()).commit((create(),))

    statements: list[tuple[str, tuple[object, ...]]] = [
        ("SELECT handgriff.commit($1, $2, $3, $4, FALSE)", (sent.words, sent.starts, sent.locks, durable)),
        ("SELECT handgriff.append_sets($1, 's1', 'e', NULL, $2, 'k', '', NULL, 1, 1, '{}', '{}', $3)", (TENANT, START, durable)),
    ]
    if durable:
        statements.append(("SELECT handgriff.commit_within($1, $2, $3)", (sent.words, sent.starts, sent.locks)))

    async with opened.pool.acquire() as connection:
        for statement, values in statements:
            async with connection.transaction():
                await connection.execute(f"SET LOCAL synchronous_commit = {default}; SET LOCAL handgriff.begun = 'on'")
                await connection.fetch(statement, *values)
                assert await connection.fetchval("SHOW synchronous_commit") == expected
            assert await connection.fetchval("SHOW synchronous_commit") == "on"


async def test_settings_of_the_planner_end_with_the_call(opened: Database) -> None:
    """The connection may be the application's, in the midst of a transaction of its own."""
    await (await opened.emptied()).commit((create(),))
    sent = words_of((put("k", "1"), put("l", "1")))
    settings = "SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode')"

    async with opened.pool.acquire() as connection, connection.transaction():
        before = await connection.fetch(settings)
        await connection.fetch("SELECT handgriff.commit($1, $2, $3, TRUE, FALSE)", sent.words, sent.starts, sent.locks)
        await connection.fetch("SELECT handgriff.read_session($1, 's1')", TENANT)
        assert await connection.fetch(settings) == before


async def test_no_table_is_read_from_end_to_end(opened: Database) -> None:
    """P15: what an append or a question costs does not grow with what is stored."""
    store = await opened.emptied()
    await store.commit((*furnish("s1"), *furnish("s2"), hold("t1")))
    before = await scans(opened)

    await store.commit((say("e2"),))
    await store.commit((change(Set("session", "a", "1"), Set("session", "b", "1")),))
    await store.commit((KeepCode(TENANT, "proposal of s1", 0, "h", at(1), START, 9), CountTry(TENANT, "proposal of s1", 0)))
    mixed = (Increment("session", "n", 1), Append("user", "l", "1"), Set("app", "k", "1"), renew(), Set("scratch", "k", "1", "notes"))
    await store.commit((CheckLease(TENANT, "s1", "t1", 1), change(*mixed), OpenRequest(REQUEST)))
    claim = ClaimWorkflow(TENANT, "chat", "s1", 0, "c1", EFFECT.tool, EFFECT.key, "{}", "n")
    await store.commit((CheckWorkflow(TENANT, "chat", "s2", 0), claim, ClaimEffect(EFFECT)), durable=True)
    outcome = SettleEffect(TENANT, EFFECT.tool, EFFECT.key, "c1", "done", at(1))
    await store.commit((outcome, SettleWorkflow(TENANT, "chat", "s1", "c1", moves=True, expires_at=at(1)), say("e3")), durable=True)
    await store.commit((SweepWorkflows(TENANT, at(9), 9), FollowEffect(TENANT, EFFECT.tool, EFFECT.key, "c1")))
    await store.commit((CheckNothingRuns(TENANT, at(9999)), CheckNothingRuns(TENANT, at(9999), "s2")))
    await store.commit((RewindSession(TENANT, "s2", 5, 5, ()), DeleteSession(TENANT, "s2")))
    for read in READS.values():
        await read(store)

    assert await scans(opened) == before


async def scans(opened: Database) -> dict[str, int]:
    """How often each table was read from end to end."""
    # Each connection counts for itself, and tells it when it is asked to.
    await opened.superuser.fetch("SELECT pg_stat_force_next_flush()")
    async with opened.pool.acquire() as connection:
        await connection.fetch("SELECT pg_stat_force_next_flush()")
    rows = await opened.superuser.fetch("SELECT relname, seq_scan FROM pg_stat_all_tables WHERE schemaname = 'handgriff'")
    return {row["relname"]: row["seq_scan"] for row in rows if row["relname"].rstrip("_01234567") in TABLES}


class Counted:
    """A pool that counts what is asked of it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.statements = 0

    async def fetch(self, statement: str, *values: object) -> list[Row]:
        """The rows of *statement*."""
        self.statements += 1
        return await self._pool.fetch(statement, *values)

    def acquire(self) -> AbstractAsyncContextManager[Connection]:
        """A store asks through `fetch` alone."""
        raise AssertionError("no connection is held over several statements")

    async def close(self) -> None:
        """It belongs to somebody else."""
