"""Bytes of what was removed: tried again until readers let it happen, and admitted where they don't."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from handgriff.core.batch import DeleteSession, Erase
from handgriff.errors import BackendError
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite import SqliteStore
from handgriff.stores.sqlite.removal import erases, removes
from handgriff.testing.samples import TENANT, USER, create, say

pytestmark = pytest.mark.anyio


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "handgriff.db", isolation_level=None, check_same_thread=False)
    yield connection
    connection.close()


@pytest.fixture
async def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore.open(tmp_path / "handgriff.db", patience=0.02)
    await store.commit((create(), say("e1", "canary"), create("s2", user="bob"), say("e2", session="s2")))
    return store


def _read(reader: sqlite3.Connection) -> None:
    reader.execute("BEGIN")
    assert len(reader.execute("SELECT id FROM handgriff_event").fetchall()) == 2


async def test_an_erasure_whose_bytes_stay_is_no_success_and_erasing_again_helps(
    store: SqliteStore, reader: sqlite3.Connection, tmp_path: Path
) -> None:
    _read(reader)

    with pytest.raises(BackendError, match="erase again") as failed:
        await store.commit((Erase(TENANT, USER, "gone"),))
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)
    assert await store.session(TENANT, "s1") is None

    reader.execute("COMMIT")
    await store.commit((Erase(TENANT, USER, "gone"),))
    assert not _traces(tmp_path)
    assert len(await store.events(TENANT, "s2")) == 1
    await store.close()


async def test_a_file_that_cannot_be_written_anew_is_no_success_either(
    store: SqliteStore, reader: sqlite3.Connection, tmp_path: Path
) -> None:
    def hold(statement: str) -> None:
        if statement == "VACUUM" and not reader.in_transaction:
            reader.execute("BEGIN IMMEDIATE")

    store._writer._transactions._connection.set_trace_callback(hold)

    with pytest.raises(BackendError, match=r"erase again\. Another process kept the write lock"):
        await store.commit((Erase(TENANT, USER, "gone"),))

    reader.execute("ROLLBACK")
    store._writer._transactions._connection.set_trace_callback(None)
    await store.commit((Erase(TENANT, USER, "gone"),))
    assert not _traces(tmp_path)
    await store.close()


async def test_only_who_erased_hears_of_it(store: SqliteStore, reader: sqlite3.Connection) -> None:
    _read(reader)
    answers: dict[str, object] = {}

    async def work(name: str, *batch: object) -> None:
        try:
            answers[name] = await store.commit(batch, durable=True)  # type: ignore[arg-type]  # operations of several kinds
        except (BackendError, CommitRefused) as problem:
            answers[name] = type(problem).__name__

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work, "erase", Erase(TENANT, USER, "gone"))
        tasks.start_soon(work, "refused", Erase(TENANT, USER, "gone"), say("e9", session="never"))
        tasks.start_soon(work, "say", say("e3", session="s2"))

    assert (answers["erase"], answers["refused"]) == ("BackendError", "CommitRefused")
    assert getattr(answers["say"], "seqs", None) == (2,)
    reader.execute("COMMIT")
    await store.close()


async def test_a_log_that_a_reader_kept_is_emptied_later_without_anybody_asking(
    store: SqliteStore, reader: sqlite3.Connection, tmp_path: Path
) -> None:
    _read(reader)
    await store.commit((DeleteSession(TENANT, "s1"),))
    assert _traces(tmp_path)
    reader.execute("COMMIT")

    with anyio.fail_after(10):
        while _traces(tmp_path):
            await anyio.lowlevel.checkpoint()
    await store.close()


async def test_a_refused_removal_leaves_the_log_alone(store: SqliteStore, tmp_path: Path) -> None:
    before = (tmp_path / "handgriff.db-wal").stat().st_size

    with pytest.raises(CommitRefused):
        await store.commit((DeleteSession(TENANT, "s1"), say("e9", session="never")))

    assert (tmp_path / "handgriff.db-wal").stat().st_size == before > 0
    await store.close()


def test_what_removes_and_what_erases() -> None:
    deletion, erasure = (DeleteSession(TENANT, "s1"),), (say("e1"), Erase(TENANT, None, "gone"))

    assert [removes(batch) for batch in ((say("e1"),), deletion, erasure, ())] == [False, True, True, False]
    assert [erases(batch) for batch in ((say("e1"),), deletion, erasure, ())] == [False, False, True, False]


def _traces(folder: Path) -> bool:
    return any(b"canary" in file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-shm"))
