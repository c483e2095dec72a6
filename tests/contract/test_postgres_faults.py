"""What goes wrong between a store and its PostgreSQL server, and what the operator is told."""

import traceback
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import anyio
import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff.core.batch import Batch, ClaimEffect, SettleEffect
from handgriff.core.delta import Increment
from handgriff.core.scope import Scope
from handgriff.errors import BackendError, DefinitionError
from handgriff.host.adapters import open_store
from handgriff.ports.store import Store
from handgriff.stores.postgres.driver import Connection, connect
from handgriff.stores.postgres.migration import migrate
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import EFFECT, TENANT, USER, at, change, create, hold, say
from tests.contract.postgres import Database, database, new_database
from tests.servers.postgres import LOCKED, OWNER, PASSWORD, SUPERUSER, as_user

pytestmark = pytest.mark.anyio

SECRET = "s3cret-horse"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def opened(anyio_backend: str, postgres_url: str) -> AsyncIterator[Database]:
    """A database of its own, where waiting in a circle is noticed at once."""
    async with new_database(postgres_url) as url:
        superuser = await connect(as_user(url, SUPERUSER))
        await superuser.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET deadlock_timeout = '20ms'")
        await superuser.close()
        async with database(url) as opened:
            yield opened


@pytest.fixture
async def store(opened: Database) -> AsyncIterator[PostgresStore]:
    store = await opened.emptied()
    yield store
    await store.close()


def address(url: str, *, user: str = OWNER, password: str = SECRET, port: int | None = None, name: str | None = None) -> str:
    """*url* with a password, and with what is to be wrong about it."""
    host, _, database = url.rpartition("@")[2].rpartition("/")
    host = host if port is None else f"127.0.0.1:{port}"
    return f"postgresql://{user}:{password}@{host}/{database if name is None else name}"


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"port": 1}, "No server answers at the address"),
        ({"user": LOCKED}, "The role or its password is wrong"),
        ({"user": "nobody_at_all"}, "does not let this role in|The role or its password is wrong"),
        ({"name": "nowhere"}, "The database does not exist"),
    ],
    ids=["no server", "password", "role", "database"],
)
async def test_who_cannot_connect_is_told_why_and_no_password(postgres_url: str, wrong: dict[str, str], hint: str) -> None:
    dsn = address(postgres_url, **wrong)  # type: ignore[arg-type]  # each of its own kind

    for attempt in (PostgresStore.open(dsn), open_store(dsn), migrate(dsn)):
        with pytest.raises(BackendError, match=hint) as failed:
            await attempt
        assert failed.value.__cause__ is not None
        assert SECRET not in "".join(traceback.format_exception(failed.value))


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://u:{SECRET}/x@127.0.0.1/db",
        f"postgresql://u:{SECRET}@[::1/db",
        f"postgresql://u:{SECRET}@127.0.0.1:port/db",
        f"postgresql://u:{SECRET}@127.0.0.1/db?sslmode=nonsense",
    ],
    ids=["slash", "bracket", "port", "option"],
)
async def test_an_address_that_cannot_be_read_is_not_repeated(dsn: str) -> None:
    for attempt in (open_store(dsn), migrate(dsn)):
        with pytest.raises(DefinitionError, match="postgresql://user:password@host") as failed:
            await attempt
        assert SECRET not in "".join(traceback.format_exception(failed.value))


async def test_an_address_of_another_kind_is_none() -> None:
    with pytest.raises(DefinitionError, match="can't be read"):
        await PostgresStore.open("mysql://127.0.0.1/db")


@pytest.mark.parametrize("pool", ["0", "-1", "many", "1001", ""])
async def test_a_pool_is_a_number_of_connections(postgres_url: str, pool: str) -> None:
    with pytest.raises(DefinitionError, match="from 1 to 1000"):
        await PostgresStore.open(f"{postgres_url}?pool={pool}")


async def test_the_right_password_opens(postgres_url: str) -> None:
    with pytest.raises(BackendError, match="run `handgriff migrate`"):
        await PostgresStore.open(address(postgres_url, user=LOCKED, password=PASSWORD, name="template1"))


async def test_a_pool_is_as_large_as_the_address_says(opened: Database) -> None:
    store = await PostgresStore.open(f"{opened.url}?pool=3&application_name=counted")

    async with anyio.create_task_group() as tasks:
        for number in range(16):
            tasks.start_soon(store.session, TENANT, f"s{number}")

    assert await opened.superuser.fetchval("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'") == 3
    await store.close()


async def test_a_server_without_a_free_connection_says_so(opened: Database) -> None:
    await opened.superuser.execute(f"ALTER ROLE {LOCKED} CONNECTION LIMIT 0")

    with pytest.raises(BackendError, match="no connection left; lower `\\?pool=`"):
        await PostgresStore.open(address(opened.url, user=LOCKED, password=PASSWORD))
    await opened.superuser.execute(f"ALTER ROLE {LOCKED} CONNECTION LIMIT -1")


async def test_a_closed_store_reads_and_writes_nothing(store: PostgresStore) -> None:
    await store.close()

    for attempt in (store.session(TENANT, "s1"), store.commit((create(),)), store.tenants(), store.commit(())):
        with pytest.raises(BackendError, match="The store is closed"):
            await attempt


async def test_a_batch_that_may_come_twice_is_sent_again_when_its_connection_is_lost(opened: Database, store: PostgresStore) -> None:
    await store.commit((create(),))

    done = await lost_on_the_way(opened, store, (change(Increment("session", "n", 1), event="e1"),))

    assert done == "(1,)"
    assert (await store.values(TENANT, "session", "s1"))["n"].text == "1"


async def test_a_batch_that_may_not_come_twice_fails_when_its_connection_is_lost(opened: Database, store: PostgresStore) -> None:
    await store.commit((create(),))

    done = await lost_on_the_way(opened, store, (hold("t1"), say("e1")))

    assert "The connection was lost; what was sent may have been written or not. from ConnectionDoesNotExistError" in done
    session = await store.session(TENANT, "s1")
    assert session is not None
    assert (session.head, session.lease.turn) == (0, None)


async def lost_on_the_way(opened: Database, store: Store, batch: Batch) -> str:
    """What becomes of a *batch* that waits for a lock when somebody ends its connection: its seqs, or the error."""
    answers: list[str] = []

    async def send() -> None:
        try:
            answers.append(str((await store.commit(batch)).seqs))
        except BackendError as error:
            answers.append(f"{error} from {type(error.__cause__).__name__}")

    blocked = "SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
    other = await connect(as_user(opened.url, SUPERUSER))
    async with anyio.create_task_group() as tasks, other.transaction():
        await other.fetch("SELECT FROM handgriff.session FOR UPDATE")
        tasks.start_soon(send)
        with anyio.fail_after(5):
            while not (waiting := await opened.superuser.fetch(blocked)):
                pass
        await opened.superuser.fetch("SELECT pg_terminate_backend($1, 5000)", waiting[0]["pid"])
    await other.close()
    return answers[0]


async def test_batches_that_stand_in_each_others_way_are_tried_again(opened: Database, store: PostgresStore) -> None:
    keys = ("k1", "k2")
    await store.commit(tuple(ClaimEffect(replace(EFFECT, key=key, state="indeterminate")) for key in keys))
    settles = [SettleEffect(TENANT, EFFECT.tool, key, EFFECT.claim, "indeterminate", at(1)) for key in keys]

    async def settle(batch: Batch) -> None:
        for _ in range(10):
            await store.commit(batch)

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(settle, tuple(settles if number % 2 else reversed(settles)))

    assert [effect.settled_at for effect in await store.effects(TENANT)] == [at(1), at(1)]


async def test_changes_of_shared_scopes_never_wait_in_a_circle(postgres_url: str) -> None:
    async def work(store: Store, number: int) -> None:
        scopes: tuple[Scope, ...] = ("app", "user") if number % 2 else ("user", "app")
        sessions = (f"s{number}", f"s{3 - number}")
        for _ in range(15):
            appends = [change(Increment(scope, "n", 1), session=session) for scope, session in zip(scopes, sessions, strict=True)]
            both = change(*(Increment(scope, "n", 1) for scope in scopes), session=f"s{number}")
            await store.commit((*appends, both))

    async with new_database(postgres_url) as url:
        store = await PostgresStore.open(url)
        await store.commit(tuple(create(f"s{number}") for number in range(4)))
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(work, store, number)
        counted = [(await store.values(TENANT, *place))["n"].text for place in (("app", ""), ("user", USER))]
        await store.close()

        superuser = await connect(as_user(url, SUPERUSER))
        # A connection tells its last numbers when it is closed.
        await superuser.fetch(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1 AND datname = current_database()", OWNER
        )
        deadlocks = await superuser.fetchval("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        await superuser.close()
    assert deadlocks == 0
    assert counted == ["120", "120"]


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (asyncpg.DiskFullError("could not extend file"), "disk is full"),
        (asyncpg.OutOfMemoryError("out of memory"), "out of memory"),
        (asyncpg.ReadOnlySQLTransactionError("cannot execute"), "address of the primary"),
        (asyncpg.CannotConnectNowError("the database system is starting up"), "just starting"),
        (asyncpg.InsufficientPrivilegeError("permission denied"), "grant it USAGE on schema handgriff"),
        (asyncpg.UndefinedTableError("no such table"), "run `handgriff migrate`"),
        (asyncpg.DataError(f"invalid input for query argument $1: {SECRET}"), "."),
        (asyncpg.InterfaceError(f"invalid input for query argument $1: {SECRET}"), "The driver refused"),
        (TimeoutError(), "No server answers"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_what_cannot_be_brought_about_here_has_a_hint_all_the_same(error: Exception, hint: str) -> None:
    store = PostgresStore(Broken(error))

    for attempt in (store.commit((create(), hold("t1"))), store.session(TENANT, "s1")):
        with pytest.raises(BackendError, match=hint) as failed:
            await attempt
        assert failed.value.__cause__ is error
        assert not isinstance(error, asyncpg.InterfaceError) or SECRET not in str(failed.value)


class Broken:
    """A pool whose every statement fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def fetch(self, statement: str, *values: object) -> list[object]:
        raise self._error

    def acquire(self) -> AbstractAsyncContextManager[Connection]:
        raise self._error

    async def close(self) -> None:
        """Nothing is open."""
