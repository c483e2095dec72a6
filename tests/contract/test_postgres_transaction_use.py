"""What a handler may do with the connection of its transaction, and what it is told where it may not."""

# ruff: noqa: S608  # the tables are ours, and so are the names

import asyncio
from typing import Any

import anyio
import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff.core.delta import Increment, Value
from handgriff.errors import BackendError
from handgriff.ports.store import CommitRefused, Committed
from handgriff.stores.postgres.driver import ERRORS, Connection
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import TENANT, change, put, say
from tests.contract import postgres_transactions as transactions
from tests.contract.postgres import TABLES, Database, store_at
from tests.contract.postgres_transactions import (
    GATE,
    ONE,
    TRANSACTING,
    TWO,
    begins_and_ends,
    blocked,
)
from tests.servers.postgres import OWNER

pytestmark = pytest.mark.anyio
anyio_backend, opened, emptied = transactions.anyio_backend, transactions.opened, transactions.emptied
store, other = transactions.store, transactions.other


async def test_a_part_of_a_transaction_can_be_taken_back(opened: Database, store: PostgresStore) -> None:
    transaction = await store.begin()
    await transaction.connection.execute(ONE)

    with pytest.raises(asyncpg.DivisionByZeroError):
        await fail_in_a_part_of(transaction.connection)
    async with transaction.connection.transaction():
        await transaction.connection.execute("INSERT INTO app_rows VALUES ('three')")
    assert await transaction.commit((say("e1"),)) == Committed((1,))

    assert await opened.rows() == ["one", "three"]


async def fail_in_a_part_of(connection: Connection) -> None:
    async with connection.transaction():
        await connection.execute(TWO)
        await connection.execute("SELECT 1 / 0")


async def test_who_has_the_connection_sees_nothing_of_ours(store: PostgresStore) -> None:
    """It is bound by the fence, and no batch of ours leaves a tenant behind in its settings."""
    transaction = await store.begin()
    connection = transaction.connection
    assert await sees(connection) == 0

    with pytest.raises(CommitRefused):
        await transaction.commit((say("e1"), put("k", "1", "app"), say("e2", session="never")))
    assert await sees(connection) == 0
    assert await connection.fetchval("SELECT coalesce(current_setting('handgriff.tenant', TRUE), '')") == ""

    await transaction.commit((say("e1"),))
    transaction = await store.begin()
    assert await sees(transaction.connection) == 0
    await transaction.roll_back()


async def sees(connection: Connection) -> int:
    """How many rows of ours it sees."""
    return sum([await connection.fetchval(f"SELECT count(*) FROM handgriff.{table}") for table in TABLES])


async def test_an_event_that_is_stored_already_is_stored_once(opened: Database, store: PostgresStore) -> None:
    await store.commit((say("e1"), say("e2")))
    transaction = await store.begin()
    await transaction.connection.execute(ONE)

    with pytest.raises(CommitRefused) as refused:
        await transaction.commit((say("e1"), say("e2", "something else")))
    assert (refused.value.guard, refused.value.subject) == ("event", "e2")
    assert await transaction.commit((say("e3"), say("e2"), say("e4"))) == Committed((3, 2, 4))

    assert await opened.rows() == ["one"]


async def test_a_transaction_reads_what_is_committed_and_may_ask_for_more(opened: Database, store: PostgresStore) -> None:
    for asked, count in (("READ COMMITTED", 1), ("REPEATABLE READ", 0)):
        await opened.superuser.execute("DELETE FROM app_rows")
        transaction = await store.begin()
        await transaction.connection.execute(f"SET TRANSACTION ISOLATION LEVEL {asked}")
        assert await transaction.connection.fetchval("SELECT count(*) FROM app_rows") == 0
        await opened.superuser.execute(ONE)
        assert await transaction.connection.fetchval("SELECT count(*) FROM app_rows") == count
        await transaction.commit((say(asked),))

    transaction = await store.begin()
    assert await transaction.connection.fetchval("SHOW transaction_isolation") == "read committed"
    await transaction.roll_back()


@pytest.mark.parametrize("how", ["COMMIT", "ROLLBACK", "COMMIT; BEGIN", "ROLLBACK; BEGIN", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN"])
async def test_who_ends_it_by_hand_is_told_what_to_do_instead(store: PostgresStore, how: str) -> None:
    transaction = await store.begin()
    await transaction.connection.execute(ONE)
    await transaction.connection.execute(how)

    with pytest.raises(BackendError, match=r"ended by hand.*use `async with connection.transaction\(\):`"):
        await transaction.commit((say("e1"), put("k", "1", "app")))

    await transaction.roll_back()
    assert await store.values(TENANT, "app", "") == {}
    assert (await store.commit((say("e1"),))).seqs == (1,)
    await begins_and_ends(store)


async def test_a_failed_statement_that_was_passed_over_keeps_nothing(opened: Database, store: PostgresStore) -> None:
    transaction = await store.begin()
    await transaction.connection.execute(ONE)
    with pytest.raises(asyncpg.UndefinedTableError):
        await transaction.connection.execute("SELECT FROM no_such_table")

    with pytest.raises(BackendError, match=r"error was passed over\. Nothing of the transaction was kept"):
        await transaction.commit((say("e1"),))

    assert await opened.rows() == []
    await begins_and_ends(store)


async def test_a_role_that_may_not_write_our_tables_keeps_nothing(opened: Database, store: PostgresStore, other: Connection) -> None:
    await other.execute(f"CREATE ROLE tenant_role; GRANT tenant_role TO {OWNER}")
    transaction = await store.begin()
    await transaction.connection.execute(ONE)
    await transaction.connection.execute("SET LOCAL ROLE tenant_role")

    with pytest.raises(BackendError, match=r"has no right to that; .* Nothing of the transaction was kept"):
        await transaction.commit((say("e1"),))

    assert await opened.rows() == []
    await begins_and_ends(store)
    await other.execute("DROP ROLE tenant_role")


async def test_what_a_handler_left_running_is_cut_off(opened: Database, store: PostgresStore, other: Connection) -> None:
    for last in ("commit", "roll back"):
        transaction = await store.begin()
        await transaction.connection.execute(ONE)
        await other.execute(f"SELECT pg_advisory_lock({GATE})")
        left = asyncio.create_task(transaction.connection.execute("SELECT pg_advisory_xact_lock($1)", GATE))
        await blocked(opened, TRANSACTING)

        if last == "commit":
            with pytest.raises(BackendError, match=r"left something running on it\. Nothing of the transaction was kept"):
                await transaction.commit((say("e1"),))
        else:
            await transaction.roll_back()
        with pytest.raises(ERRORS):
            await left
        await other.execute(f"SELECT pg_advisory_unlock({GATE})")

        assert await opened.rows() == []
        await begins_and_ends(store)


async def test_with_one_connection_a_handler_reads_and_writes_outside_of_its_transaction(store: PostgresStore) -> None:
    transaction = await store.begin()
    await transaction.connection.execute(ONE)

    with anyio.fail_after(10):
        assert await store.values(TENANT, "app", "") == {}
        await store.commit((put("k", "1", "app"),), durable=True)
        assert (await transaction.commit((change(Increment("app", "k", 1)),))).seqs == (2,)

    assert await store.values(TENANT, "app", "") == {"k": Value("2", 2)}


async def test_the_next_one_finds_nothing_of_the_one_before(store: PostgresStore, other: Connection) -> None:
    """It may be a call of another tenant."""
    await other.execute(f"CREATE ROLE tenant_role; GRANT tenant_role TO {OWNER}")
    first = await store.begin()
    server = await first.connection.fetchval("SELECT pg_backend_pid()")
    await first.connection.execute(
        f"CREATE TEMP TABLE kept (text text); INSERT INTO kept VALUES ('mine'); SET app.tenant = 'acme'; SELECT pg_advisory_lock({GATE})"
    )
    await first.commit((say("e1"),))
    by_role = await store.begin()
    await by_role.connection.execute("SET ROLE tenant_role")
    await by_role.connection.execute("COMMIT")
    await by_role.roll_back()

    second = await store.begin()
    assert await second.connection.fetchval("SELECT pg_backend_pid()") == server
    assert await second.connection.fetchval("SELECT to_regclass('kept')") is None
    assert not await second.connection.fetchval("SELECT current_setting('app.tenant', TRUE)")
    assert await second.connection.fetchval("SELECT current_user::text") == OWNER
    assert await other.fetchval(f"SELECT pg_try_advisory_lock({GATE})")
    await second.roll_back()
    await other.execute(f"SELECT pg_advisory_unlock({GATE}); DROP ROLE tenant_role")


async def test_connections_for_transactions_are_opened_with_the_first_and_closed_with_the_store(emptied: Database) -> None:
    async with store_at(f"{emptied.url}?pool=3&application_name=counted") as store:
        await store.session(TENANT, "s1")
        assert await open_connections(emptied) == 1

        begun = [await store.begin() for _ in range(3)]
        assert await open_connections(emptied) == 1 + 3
        for each in begun:
            await each.roll_back()
        await begins_and_ends(store)
        assert await open_connections(emptied) == 1 + 3

    with anyio.fail_after(10):
        while await open_connections(emptied):
            pass


async def open_connections(opened: Database) -> Any:
    return await opened.superuser.fetchval("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'")


async def test_a_transaction_costs_two_statements_before_and_two_after(store: PostgresStore) -> None:
    await begins_and_ends(store)  # with its first statement the driver asks for types
    transaction = await store.begin()
    asked: list[str] = []
    transaction.connection.add_query_logger(lambda record: asked.append(record.query.split()[0]))

    await transaction.connection.execute(ONE)
    await transaction.commit((say("e1"), put("k", "1"), say("e2")))

    # The last one makes the connection clean for the next.
    assert asked == ["INSERT", "SELECT", "COMMIT;", "RESET"]
