"""Row-level security is a fence of its own: it keeps tenants apart where a statement has forgotten to."""

# ruff: noqa: S608  # the tables are named here

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff.core.batch import (
    Batch,
    CheckNothingRuns,
    CheckWorkflow,
    ClaimEffect,
    ClaimWorkflow,
    CountTry,
    Erase,
    ForkSession,
    HoldProposal,
    KeepCode,
    KeepPrefix,
    RewindSession,
    SettleWorkflow,
    StartWorkflow,
    SweepEffects,
    SweepScratch,
    SweepWorkflows,
)
from handgriff.core.rows import Session
from handgriff.ports.store import Store
from handgriff.stores.postgres.driver import Connection, connect
from handgriff.stores.postgres.migration import FOLDER, migrate
from handgriff.testing.samples import EFFECT, PROPOSAL, START, WORKFLOW, at, furnish, hold, own_workflow, say
from handgriff.testing.stores.ids import IdSuite
from tests.contract.postgres import TABLES, Database, database, new_database

pytestmark = pytest.mark.anyio

MINE, THEIRS = "acme", "globex"
OVER_ALL = ("session", "place", "request", "effect", "hook", "workflow")
"""Tables that are asked over all tenants."""
FUNCTION = re.compile(r"^CREATE (?:OR REPLACE )?(FUNCTION .*?^\$\$;)", re.MULTILINE | re.DOTALL)
WITHIN = "SELECT set_config('handgriff.tenant', $1, TRUE)"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def opened(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    async with database(postgres_url) as opened:
        yield opened


@pytest.fixture
async def store(opened: Database) -> AsyncIterator[Store]:
    """Two tenants with one of everything."""
    store = await opened.emptied()
    for tenant in (MINE, THEIRS):
        await store.commit((*furnished(tenant), *coded(tenant)))
    yield store
    await store.close()


@pytest.fixture
async def role(opened: Database, store: Store) -> AsyncIterator[Connection]:
    """A connection of the role that owns the tables, with rows of two tenants behind the fence."""
    connection = await connect(opened.url)
    yield connection
    await connection.close()


async def test_the_role_of_these_tests_is_bound_by_the_fence(role: Connection) -> None:
    [found] = await role.fetch("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")

    assert tuple(found) == (False, False)


async def test_every_table_has_the_fence_and_so_have_its_parts(role: Connection) -> None:
    rows = await role.fetch(
        "SELECT relname, relrowsecurity AND relforcerowsecurity AS fenced, relispartition AS is_part FROM pg_class "
        "WHERE relnamespace = 'handgriff'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'schema_version'"
    )
    policies = await role.fetch("SELECT tablename, policyname, cmd, qual FROM pg_policies WHERE schemaname = 'handgriff'")

    assert all(row["fenced"] for row in rows)
    assert {row["relname"] for row in rows if not row["is_part"]} == set(TABLES)
    assert len([row for row in rows if row["is_part"]]) == 8 * 6
    own = {row["tablename"]: (row["cmd"], row["qual"]) for row in policies if row["policyname"] == "own_tenant"}
    qual = "(tenant = NULLIF(current_setting('handgriff.tenant'::text, true), ''::text))"
    assert own == dict.fromkeys(TABLES, ("ALL", qual))
    others = {(row["tablename"], row["cmd"]) for row in policies if row["policyname"] != "own_tenant"}
    assert others == {(table, "SELECT") for table in OVER_ALL}


async def test_tenant_is_the_first_column_of_every_key(role: Connection) -> None:
    rows = await role.fetch(
        "SELECT indrelid::regclass::text AS name, attname FROM pg_index "
        "JOIN pg_class ON pg_class.oid = indrelid AND relnamespace = 'handgriff'::regnamespace AND relname <> 'schema_version' "
        "JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] WHERE indisunique"
    )

    assert {row["attname"] for row in rows} == {"tenant"}
    assert {row["name"].removeprefix("handgriff.") for row in rows} >= set(TABLES)


@pytest.mark.parametrize("table", TABLES)
async def test_who_names_no_tenant_sees_and_changes_nothing(opened: Database, role: Connection, table: str) -> None:
    assert await opened.superuser.fetchval(f"SELECT count(DISTINCT tenant) FROM handgriff.{table}") == 2

    assert await rows_of(role, table) == []
    async with role.transaction():
        await role.fetch(WITHIN, MINE)
    assert await rows_of(role, table) == []  # a setting that was taken back is none
    assert await role.execute(f"DELETE FROM handgriff.{table}") == "DELETE 0"
    assert await role.execute(f"UPDATE handgriff.{table} SET tenant = tenant") == "UPDATE 0"


@pytest.mark.parametrize("table", TABLES)
async def test_without_a_condition_a_statement_sees_and_changes_one_tenant(opened: Database, role: Connection, table: str) -> None:
    every = f"SELECT t::text FROM handgriff.{table} AS t ORDER BY 1"
    theirs = [row for row in await opened.superuser.fetch(every) if row["t"].startswith(f"({THEIRS},")]
    assert theirs

    async with role.transaction():
        await role.fetch(WITHIN, MINE)
        assert {row["tenant"] for row in await rows_of(role, table)} == {MINE}
        assert await role.execute(f"UPDATE handgriff.{table} SET tenant = tenant WHERE tenant = '{THEIRS}'") == "UPDATE 0"
        await role.execute(f"DELETE FROM handgriff.{table}")

    assert await opened.superuser.fetch(every) == theirs


@pytest.mark.parametrize("table", TABLES)
async def test_no_row_is_written_for_another_tenant(role: Connection, table: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await within(role, MINE, f"UPDATE handgriff.{table} SET tenant = '{THEIRS}x'")

    columns = await role.fetch("SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 1", f"handgriff.{table}")
    names = ", ".join(f'"{row["attname"]}"' for row in columns)
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await within(role, MINE, f"INSERT INTO handgriff.{table} SELECT '{THEIRS}', {names} FROM handgriff.{table} LIMIT 1")


async def test_past_its_table_nobody_sees_a_part(opened: Database, role: Connection) -> None:
    parts = [row["name"] for row in await role.fetch("SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r'")]
    held = [await opened.superuser.fetchval(f"SELECT count(*) FROM handgriff.{part}") for part in parts]
    assert sum(held) > 0

    async with role.transaction():
        await role.fetch(WITHIN, MINE)
        await role.fetch("SELECT set_config('handgriff.every_tenant', 'on', TRUE)")
        for part in parts:
            assert await rows_of(role, part) == []


async def test_what_is_asked_over_all_tenants_leaves_no_door_open(role: Connection, store: Store) -> None:
    assert await store.tenants() == (MINE, THEIRS)
    await store.commit((replace(hold("t1"), tenant=MINE), replace(hold("t2"), tenant=THEIRS)))
    assert await store.interrupted(at(99)) == ((MINE, "s1"), (THEIRS, "s1"))
    assert await store.abandoned(at(99)) == ((MINE, "s1"), (THEIRS, "s1"))
    assert await store.queueing() == (MINE, THEIRS)
    assert await store.uncertain(["none"]) == ()

    async with role.transaction():
        await role.fetch("SELECT handgriff.read_tenants(), handgriff.read_interrupted(now(), 9), handgriff.read_abandoned(now(), 9)")
        await role.fetch("SELECT handgriff.read_queueing('', 9), handgriff.read_uncertain(ARRAY['none'], '', '', 9)")
        for table in TABLES:
            assert await rows_of(role, table) == []


async def test_the_second_setting_opens_reading_alone_and_six_tables_alone(role: Connection) -> None:
    async with role.transaction():
        await role.fetch("SELECT set_config('handgriff.every_tenant', 'on', TRUE)")
        seen = {table: {row["tenant"] for row in await rows_of(role, table)} for table in TABLES}
        assert seen == {table: {MINE, THEIRS} if table in OVER_ALL else set() for table in TABLES}
        for table in TABLES:
            assert await role.execute(f"DELETE FROM handgriff.{table}") == "DELETE 0"


async def test_five_functions_make_the_second_setting(role: Connection) -> None:
    rows = await role.fetch("SELECT proname FROM pg_proc WHERE pronamespace = 'handgriff'::regnamespace AND prosrc LIKE '%every\\_tenant%'")

    assert {row["proname"] for row in rows} == {
        "read_tenants",
        "read_interrupted",
        "read_abandoned",
        "read_uncertain",
        "read_queueing",
    }


class TestTheFenceAlone(IdSuite):
    """Every condition on the tenant is taken out of every statement. The fence is what is left, and it suffices."""

    @pytest.fixture(scope="class")
    @classmethod
    def anyio_backend(cls) -> str:
        return "asyncio"

    @pytest.fixture
    async def store(self, unconditional: Database) -> AsyncIterator[Store]:
        store = await unconditional.emptied()
        yield store
        await store.close()

    async def test_what_is_done_to_one_tenant_is_done_to_no_other(self, store: Store) -> None:
        for tenant in (MINE, THEIRS):
            await store.commit(furnished(tenant))
        await store.commit((*coded(THEIRS), *outlived(THEIRS)))
        theirs = await everything(store, THEIRS)
        assert all(theirs)

        cuts: Sequence[Batch] = (
            coded(MINE),
            moved(MINE),
            (
                ForkSession("s1", Session(MINE, "ada", "s2", START), 9, (), (own_workflow("s2", tenant=MINE),)),
                RewindSession(MINE, "s1", 6, 0, (), ("proposal of s1",), (own_workflow("s1", "other", tenant=MINE),)),
            ),
            (RewindSession(MINE, "s1", 6, 0, ()),),
            (SweepScratch(MINE, at(999), 99), *outlived(MINE), SweepEffects(MINE, at(999), 99)),
            (StartWorkflow(replace(WORKFLOW, tenant=MINE)), SweepWorkflows(MINE, at(999), 99)),
            (CheckNothingRuns(MINE, at(999)), CheckNothingRuns(MINE, at(999), "s1"), Erase(MINE, "ada", "gone")),
            (*furnished(MINE), Erase(MINE, None, "gone")),
        )
        for batch in cuts:
            await store.commit(batch)
            assert await everything(store, THEIRS) == theirs
        assert not any(await everything(store, MINE))


@pytest.fixture(scope="class")
async def unconditional(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    async with new_database(postgres_url) as url, database(url) as opened, removed_conditions(url):
        yield opened


@asynccontextmanager
async def removed_conditions(url: str) -> AsyncIterator[None]:
    """The functions at *url*, made anew without what they say of tenants."""
    await migrate(url)
    condition = re.compile(
        r"\b(?:\w+\.)?tenant = (?:p_tenant|v_tenant|p_pseudonym|v_new\.tenant|p_row\.tenant|p_locks\[3 \* n \+ 2\]|p\[i \+ 1\])"
    )
    connection = await connect(url)
    found = 0
    for file in sorted(FOLDER.glob("*.sql"))[2:]:
        text, count = condition.subn("TRUE", file.read_text())
        assert not re.search(r"\btenant = (?!excluded)(?!'')", re.sub(r"--.*|SET tenant.*|CREATE POLICY.*", "", text)), file.name
        found += count
        for function in FUNCTION.findall(text):
            await connection.execute(f"CREATE OR REPLACE {function}")
    assert found > 90
    await connection.close()
    yield


def furnished(tenant: str) -> Batch:
    """One of everything, of *tenant*."""
    batch = tuple(_of(operation, tenant) for operation in furnish("s1"))
    second = HoldProposal(replace(PROPOSAL, tenant=tenant, id="second", confirm="second_person"))
    return (*batch, second, KeepPrefix(tenant, "h1", "text"), replace(say("last"), tenant=tenant))


def coded(tenant: str) -> Batch:
    """The only code that its user may be sent, and a try."""
    return KeepCode(tenant, "second", 0, "hash", at(1), START, 1), CountTry(tenant, "second", 0)


def moved(tenant: str) -> Batch:
    """The session's own instance, and one with a handle, looked at, claimed and settled."""
    began = StartWorkflow(replace(WORKFLOW, tenant=tenant, handle="w2", expires_at=None))
    held = [(each.machine, each.handle) for each in (own_workflow("s1"), began.workflow)]
    return (
        began,
        *(CheckWorkflow(tenant, *names, 0) for names in held),
        *(ClaimWorkflow(tenant, *names, 0, "c1", EFFECT.tool, EFFECT.key, "{}", "n") for names in held),
        *(SettleWorkflow(tenant, *names, "c1", moves=True) for names in held),
    )


def outlived(tenant: str) -> Batch:
    """An effect whose session is gone."""
    return (ClaimEffect(replace(EFFECT, tenant=tenant, session="gone", key="outlived", state="done")),)


def _of(operation: Any, tenant: str) -> Any:
    if hasattr(operation, "tenant"):
        return replace(operation, tenant=tenant)
    [(name, record)] = [
        (name, getattr(operation, name))
        for name in ("session", "effect", "proposal", "hook", "request", "workflow")
        if hasattr(operation, name)
    ]
    return replace(operation, **{name: replace(record, tenant=tenant)})


async def everything(store: Store, tenant: str) -> list[object]:
    return [
        await store.session(tenant, "s1"),
        list(await store.sessions(tenant, "ada")),
        list(await store.events(tenant, "s1")),
        await store.values(tenant, "session", "s1"),
        await store.values(tenant, "user", "ada"),
        await store.values(tenant, "app", ""),
        list(await store.records(tenant, now=START)),
        await store.seen(tenant, "s1", "order", "o_17"),
        await store.seen(tenant, "s1", "order", "o_99"),
        list(await store.effects(tenant)),
        list(await store.unsettled(tenant)),
        list(await store.proposals(tenant)),
        list(await store.for_second_person(tenant, START)),
        list(await store.waiting(tenant, "ada", START)),
        list(await store.hooks(tenant)),
        list(await store.requests(tenant)),
        await store.prefix(tenant, "h1"),
        await store.workflow(tenant, "chat", "s1"),
        list(await store.workflows(tenant)),
        list(await store.workflows(tenant, session="s1")),
    ]


async def within(connection: Connection, tenant: str, statement: str) -> None:
    """Carry out *statement* within a tenant."""
    async with connection.transaction():
        await connection.fetch(WITHIN, tenant)
        await connection.execute(statement)


async def rows_of(connection: Connection, table: str) -> list[Any]:
    return await connection.fetch(f"SELECT * FROM handgriff.{table}")
