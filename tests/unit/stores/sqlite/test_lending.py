"""Transactions that were lent: what may go wrong with them leaves neither rows nor a lock behind."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from handgriff.core.batch import DeleteSession, Erase
from handgriff.errors import BackendError, DefinitionError
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite import SqliteStore
from handgriff.stores.sqlite.lending import LentTransaction
from handgriff.stores.sqlite.transaction import CHECKPOINT_ROWS
from handgriff.testing.samples import TENANT, USER, create, put, say

pytestmark = pytest.mark.anyio
TABLES = """
    CREATE TABLE app_rows (text TEXT PRIMARY KEY);
    CREATE TABLE app_parts (row TEXT REFERENCES app_rows ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE app_once (text TEXT PRIMARY KEY ON CONFLICT ROLLBACK);
    INSERT INTO app_once VALUES ('taken');
"""
ROW = "INSERT INTO app_rows VALUES (?)"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open(tmp_path / "shop.db")
    await store.commit((create(),))
    with closing(sqlite3.connect(tmp_path / "shop.db")) as application:
        application.executescript(TABLES)
    yield store
    await store.close()


@pytest.fixture
async def hasty(tmp_path: Path, store: SqliteStore) -> AsyncIterator[SqliteStore]:  # the file is there first
    """A store on the same file that waits for nobody."""
    hasty = SqliteStore.open(tmp_path / "shop.db", patience=0.02)
    yield hasty
    await hasty.close()


@pytest.fixture
def other(store: SqliteStore, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """What another process would have: a connection that has nothing to do with the store."""
    with closing(sqlite3.connect(tmp_path / "shop.db", isolation_level=None)) as connection:
        yield connection


async def test_it_reaches_the_disk_and_its_foreign_keys_hold(store: SqliteStore, other: sqlite3.Connection) -> None:
    other.execute("INSERT INTO app_rows VALUES ('one')")
    other.execute("INSERT INTO app_parts VALUES ('one')")
    transaction = await store.begin()
    connection = transaction.connection

    settings = ("synchronous", "secure_delete", "foreign_keys")
    assert [connection.execute(f"PRAGMA {name}").fetchone() for name in settings] == [(2,), (1,), (1,)]
    connection.execute("DELETE FROM app_rows")
    await transaction.commit((say("e1"),))

    assert other.execute("SELECT COUNT(*) FROM app_parts").fetchone() == (0,)


async def test_the_loop_goes_on_while_commits_wait_for_it(store: SqliteStore) -> None:
    transaction = await store.begin()
    done: list[str] = []

    async def work(name: str) -> None:
        await store.commit((say(name),))
        done.append(name)

    async with anyio.create_task_group() as tasks:
        for name in ("e1", "e2", "e3"):
            tasks.start_soon(work, name)
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        done.append("the loop went on")
        await transaction.roll_back()

    assert done[0] == "the loop went on"
    assert [event.id for event in await store.events(TENANT, "s1")] == done[1:] == ["e1", "e2", "e3"]


async def test_a_commit_beside_it_is_not_even_tried_on_the_loop(store: SqliteStore) -> None:
    threads: list[str] = []
    writing = store._writer._transactions._connection
    writing.set_trace_callback(lambda statement: threads.append(threading.current_thread().name) if "BEGIN" in statement else None)
    transaction = await store.begin()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.commit, (say("e1"),))
        await anyio.lowlevel.checkpoint()
        await transaction.roll_back()
    await store.commit((say("e2"),))

    assert threads == ["handgriff-sqlite", threading.current_thread().name]


async def test_transactions_and_commits_come_in_the_order_in_which_they_asked(store: SqliteStore) -> None:
    """Nobody starves: a commit is not passed by transactions that came after it."""
    first = await store.begin()
    order: list[str] = []

    async def transact(name: str) -> None:
        transaction = await store.begin()
        order.append(name)
        await transaction.commit((say(name),))

    async def commit(name: str) -> None:
        await store.commit((say(name),), durable=True)

    async with anyio.create_task_group() as tasks:
        for number, (name, work) in enumerate((("t1", transact), ("c1", commit), ("t2", transact), ("t3", transact))):
            tasks.start_soon(work, name)
            while len(store._writer.turns._waiting) <= number:
                await anyio.lowlevel.checkpoint()
        await first.roll_back()

    assert [event.id for event in await store.events(TENANT, "s1")] == ["t1", "c1", "t2", "t3"]
    assert order == ["t1", "t2", "t3"]


async def test_another_process_that_keeps_the_lock_is_an_error_with_a_hint(hasty: SqliteStore, other: sqlite3.Connection) -> None:
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(BackendError, match="Another process kept the write lock") as failed:
        await hasty.begin()
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)

    other.execute("ROLLBACK")
    await (await hasty.begin()).roll_back()
    await hasty.commit((say("e1"),), durable=True)


async def test_a_handler_that_keeps_the_lock_is_an_error_with_a_hint(hasty: SqliteStore) -> None:
    keeper = await hasty.begin()

    for durable in (False, True):
        with pytest.raises(BackendError, match="A handler of this process kept its transaction open") as failed:
            await hasty.commit((say("e1"),), durable=durable)
        assert isinstance(failed.value.__cause__, TimeoutError)
    with pytest.raises(BackendError, match="A handler of this process kept its transaction open"):
        await hasty.begin()

    await keeper.roll_back()
    await (await hasty.begin()).commit((say("e2"),))
    assert [event.id for event in await hasty.events(TENANT, "s1")] == ["e2"]


async def test_who_is_cancelled_while_another_process_has_the_lock_waits_no_longer(store: SqliteStore, other: sqlite3.Connection) -> None:
    other.execute("BEGIN IMMEDIATE")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(store.begin)
            for _ in range(50):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        other.execute("ROLLBACK")
        await (await store.begin()).commit((say("e1"),))


async def test_what_the_handler_set_and_left_open_is_not_in_the_way(store: SqliteStore, other: sqlite3.Connection) -> None:
    transaction = await store.begin()
    connection = transaction.connection
    connection.row_factory = lambda cursor, row: {column[0]: value for column, value in zip(cursor.description, row, strict=True)}
    connection.text_factory = bytes
    connection.execute("SAVEPOINT part")
    connection.executemany(ROW, [("one",), ("two",)])
    unread = connection.execute("INSERT INTO app_rows VALUES ('three'), ('four') RETURNING text")

    with pytest.raises(CommitRefused):
        await transaction.commit((say("e1"), say("e2", session="never")))
    assert connection.execute("SELECT text FROM app_rows WHERE text = 'one'").fetchone() == {"text": b"one"}
    await transaction.commit((say("e1"), put("k", "1"), put("k", "2")))

    assert sorted(text for (text,) in other.execute("SELECT text FROM app_rows")) == ["four", "one", "three", "two"]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        unread.fetchone()


async def test_a_handler_that_swallows_what_took_all_of_it_back_settles_nothing(store: SqliteStore, other: sqlite3.Connection) -> None:
    transaction = await store.begin()
    transaction.connection.execute(ROW, ("one",))
    with pytest.raises(sqlite3.IntegrityError):
        transaction.connection.execute("INSERT INTO app_once VALUES ('taken')")
    with pytest.raises(DefinitionError, match="the transaction is over"):
        transaction.connection.execute(ROW, ("two",))

    with pytest.raises(BackendError, match="the transaction is over"):
        await transaction.commit((say("e1"),))
    await transaction.roll_back()

    assert other.execute("SELECT COUNT(*) FROM app_rows").fetchone() == (0,)
    assert (await store.commit((say("e2"),))).seqs == (1,)


async def test_a_commit_that_fails_at_its_end_keeps_nothing_and_is_over(store: SqliteStore, other: sqlite3.Connection) -> None:
    """Its batch could not be told apart any more from what the handler wrote."""
    transaction = await store.begin()
    transaction.connection.execute("INSERT INTO app_parts VALUES ('of nothing')")

    with pytest.raises(BackendError, match="FOREIGN KEY"):
        await transaction.commit((say("e1"),))
    with pytest.raises(BackendError, match="the transaction is over"):
        await transaction.commit((say("e2"),))
    await transaction.roll_back()

    assert other.execute("SELECT COUNT(*) FROM app_parts").fetchone() == (0,)
    assert (await store.commit((say("e3"),))).seqs == (1,)


async def test_a_full_disk_keeps_nothing(store: SqliteStore, other: sqlite3.Connection) -> None:
    transaction = await store.begin()
    transaction.connection.execute(ROW, ("one",))
    (pages,) = transaction.connection.execute("PRAGMA page_count").fetchone()
    transaction.connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()

    with pytest.raises(BackendError, match="The disk is full"):
        await transaction.commit((say("e1", "x" * 50_000),))
    await transaction.roll_back()

    assert other.execute("SELECT COUNT(*) FROM app_rows").fetchone() == (0,)
    assert (await store.commit((say("e2"),))).seqs == (1,)


@pytest.mark.parametrize("rounds", ["0", "1", "2", "3", "5", "8"])
async def test_a_commit_whose_task_is_cancelled_is_whole_or_not_at_all(store: SqliteStore, other: sqlite3.Connection, rounds: str) -> None:
    transaction = await store.begin()
    transaction.connection.execute(ROW, ("one",))

    task = asyncio.ensure_future(transaction.commit((say("e1"),)))
    for _ in range(int(rounds)):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await transaction.roll_back()

    rows = [text for (text,) in other.execute("SELECT text FROM app_rows")]
    assert len(rows) == len(await store.events(TENANT, "s1"))
    with anyio.fail_after(5):
        await (await store.begin()).commit((say("e2"),))


async def test_rolling_back_ends_it_although_the_task_is_cancelled(store: SqliteStore, other: sqlite3.Connection) -> None:
    transaction = await store.begin()
    transaction.connection.execute(ROW, ("one",))

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            await transaction.roll_back()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

    assert other.execute("SELECT COUNT(*) FROM app_rows").fetchone() == (0,)
    assert not store._writer.turns.are_taken


async def test_committed_and_rolled_back_at_once_it_is_one_of_both(store: SqliteStore, other: sqlite3.Connection) -> None:
    answers: list[str] = []

    async def commit(transaction: LentTransaction, number: int) -> None:
        try:
            await transaction.commit((say(f"e{number}"),))
        except BackendError:
            return
        answers.append(f"row {number}")

    for number in range(20):
        transaction = await store._lender.begin()
        transaction.connection.execute(ROW, (f"row {number}",))
        async with anyio.create_task_group() as tasks:
            for ends in (True, False)[:: 1 - 2 * (number % 2)]:
                tasks.start_soon(*((transaction.roll_back,) if ends else (commit, transaction, number)))

    rows = [text for (text,) in other.execute("SELECT text FROM app_rows")]
    assert sorted(rows) == sorted(answers)
    assert len(await store.events(TENANT, "s1")) == len(rows)


async def test_loops_of_several_threads_take_turns(store: SqliteStore, other: sqlite3.Connection) -> None:
    async def work(name: int) -> None:
        for number in range(10):
            transaction = await store.begin()
            transaction.connection.execute(ROW, (f"{name} {number}",))
            await transaction.commit((say(f"{name} {number}"),))
            await store.commit((say(f"{name} {number} alone"),), durable=number % 2 == 0)

    async def in_a_thread(name: int) -> None:
        await anyio.to_thread.run_sync(lambda: anyio.run(work, name))

    async with anyio.create_task_group() as tasks:
        for name in range(3):
            tasks.start_soon(in_a_thread, name)

    assert other.execute("SELECT COUNT(*) FROM app_rows").fetchone() == (30,)
    assert [event.seq for event in await store.events(TENANT, "s1")] == list(range(1, 61))


@pytest.mark.parametrize("erases", ["erase", "delete"])
async def test_the_bytes_of_what_its_batch_removes_go_too(store: SqliteStore, tmp_path: Path, erases: str) -> None:
    """P20."""
    await store.commit((say("e1", "canary"),))
    assert _traces(tmp_path)
    transaction = await store.begin()

    await transaction.commit((Erase(TENANT, USER, "gone") if erases == "erase" else DeleteSession(TENANT, "s1"),))

    assert not _traces(tmp_path)


async def test_an_erasure_whose_bytes_stay_is_no_success(hasty: SqliteStore, other: sqlite3.Connection, tmp_path: Path) -> None:
    await hasty.commit((say("e1", "canary"),))
    other.execute("BEGIN")
    assert other.execute("SELECT COUNT(*) FROM handgriff_event").fetchone() == (1,)
    transaction = await hasty.begin()

    with pytest.raises(BackendError, match="erase again"):
        await transaction.commit((Erase(TENANT, USER, "gone"),))
    other.execute("COMMIT")
    await hasty.commit((Erase(TENANT, USER, "gone"),))

    assert not _traces(tmp_path)


async def test_what_it_wrote_counts_for_the_next_checkpoint(store: SqliteStore) -> None:
    trace: list[str] = []
    store._writer._transactions._connection.set_trace_callback(trace.append)
    transaction = await store.begin()
    transaction.connection.executemany(ROW, [(str(number),) for number in range(CHECKPOINT_ROWS)])

    await transaction.commit(())

    with anyio.fail_after(5):
        while "PRAGMA wal_checkpoint(PASSIVE)" not in trace:
            await anyio.lowlevel.checkpoint()
    assert not store._writer._transactions.is_due()


async def test_without_a_thread_the_loop_does_it(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    await store.commit((say("e1"),), durable=True)  # the store's own thread is there
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", none_left)
        transaction = await store.begin()
        await transaction.commit((say("e2"),))
        await (await store.begin()).roll_back()

    assert len(await store.events(TENANT, "s1")) == len(["e1", "e2"])


async def test_who_waits_when_the_store_is_closed_begins_nothing(store: SqliteStore, other: sqlite3.Connection) -> None:
    first = await store.begin()
    first.connection.execute(ROW, ("one",))
    told: list[str] = []

    async def wait() -> None:
        try:
            await store.begin()
        except BackendError as closed:
            told.append(str(closed))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            while not store._writer.turns._waiting:
                await anyio.lowlevel.checkpoint()
            await store.close()
            with pytest.raises(BackendError, match="the store is closed"):
                await first.commit((say("e1"),))
            await first.roll_back()

    assert told == ["'sqlite' failed at begin. the store is closed."]
    assert other.execute("SELECT COUNT(*) FROM app_rows").fetchone() == (0,)
    assert not store._writer.turns.are_taken


async def test_whoever_lets_go_last_leaves_one_file(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "shop.db")
    transaction = await store.begin()

    await store.close()
    await transaction.roll_back()

    assert _files(tmp_path) == ["shop.db"]


async def test_what_has_not_begun_has_no_connection(store: SqliteStore) -> None:
    transaction = LentTransaction("shop.db", store._writer)

    with pytest.raises(BackendError, match="has not begun"):
        _ = transaction.connection


async def test_the_file_is_the_same_one_when_the_working_folder_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    monkeypatch.chdir(one)
    store = SqliteStore.open("what? 100%#.db")
    await store.commit((create(),))
    monkeypatch.chdir(two)

    await (await store.begin()).commit((say("e1"),))

    assert len(await store.events(TENANT, "s1")) == 1
    await store.close()
    assert (_files(one), _files(two)) == (["what? 100%#.db"], [])


async def test_a_file_that_went_away_is_an_error_and_none_is_made_in_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    store = SqliteStore.open(folder / "shop.db")
    folder.rename(tmp_path / "elsewhere")
    folder.mkdir()

    with pytest.raises(BackendError, match="could not be opened"):
        await store.begin()

    assert (store._writer.turns.are_taken, _files(folder)) == (False, [])
    await store.close()


def _traces(folder: Path) -> bool:
    return any(b"canary" in file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-shm"))


def _files(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]
