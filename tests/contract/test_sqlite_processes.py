"""Several processes on one SQLite file, and processes that are killed."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import anyio
import pytest

import handgriff
from handgriff.core.delta import Value
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.samples import TENANT, USER, create, say

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(handgriff.__file__).parents[1]
PROCESSES = ("one", "two", "three")


@pytest.mark.anyio
async def test_processes_that_open_a_new_file_together_lose_no_event(tmp_path: Path) -> None:
    """B013: also the seqs of several machines' worth of writers are integers without gap or twin."""
    path = tmp_path / "handgriff.db"
    _run(*(("append", path, name, 100) for name in PROCESSES))

    store = SqliteStore.open(path)
    events = await store.events(TENANT, "s1")
    assert [event.seq for event in events] == list(range(1, 301))
    expected = {f"{name}-{number}" for name in PROCESSES for number in range(100)}
    assert {event.id for event in events} == expected
    assert (await store.values(TENANT, "app", "")).keys() == expected
    assert (await store.values(TENANT, "user", USER))["hot"] == Value("300", 300)
    await store.close()


@pytest.mark.anyio
async def test_a_lease_is_held_by_one_process_at_a_time(tmp_path: Path) -> None:
    """B014: whoever holds the lease writes without another's event in between."""
    path = tmp_path / "handgriff.db"
    store = SqliteStore.open(path)
    await store.commit((create(),))

    _run(*(("contend", path, name, 30) for name in PROCESSES))

    ids = [event.id for event in await store.events(TENANT, "s1")]
    assert len(ids) == 2 * 30 * len(PROCESSES)
    for begins, ends in zip(ids[::2], ids[1::2], strict=True):
        assert begins.removesuffix(" begins") == ends.removesuffix(" ends")
    session = await store.session(TENANT, "s1")
    assert session is not None
    assert (session.lease.epoch, session.lease.turn) == (30 * len(PROCESSES), None)
    await store.close()


def test_a_killed_process_leaves_every_event_with_all_of_its_delta_or_none(tmp_path: Path) -> None:
    """P1: in places of every kind; and the totals of each place are what a recount finds."""
    _run(("crash", tmp_path / "handgriff.db", 25, 7))


@pytest.mark.anyio
async def test_processes_that_transact_and_append_lose_neither_rows_nor_events(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    store = await _shared_file(path)

    _run(("transact", path, "one", 40), ("transact", path, "two", 40), ("append", path, "three", 40))

    kept = [f"{name}-{number}" for name in ("one", "two") for number in range(40) if number % 4]
    assert sorted(_rows(path)) == sorted(kept)
    events = await store.events(TENANT, "s1")
    assert {event.id for event in events} == {*kept, *(f"three-{number}" for number in range(40))}
    assert [event.seq for event in events] == list(range(1, 101))
    assert (await store.values(TENANT, "user", USER))["hot"] == Value("100", 100)
    await store.close()


@pytest.mark.anyio
async def test_a_process_that_is_killed_in_a_transaction_leaves_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    store = await _shared_file(path)
    done: list[str] = []

    async def commit(name: str, *, durable: bool) -> None:
        await store.commit((say(name),), durable=durable)
        done.append(name)

    with _in_a_transaction(path) as holder, anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for name in ("inline", "durable"):
                tasks.start_soon(partial(commit, name, durable=name == "durable"))
            for _ in range(20):
                await anyio.lowlevel.checkpoint()
            assert (done, _rows(path), list(await store.events(TENANT, "s1"))) == ([], [], [])
            holder.kill()
        transaction = await store.begin()
        transaction.connection.execute("INSERT INTO app_rows (text) VALUES ('after')")
        await transaction.commit((say("after"),))

    assert _rows(path) == ["after"]
    assert sorted(event.id for event in await store.events(TENANT, "s1")) == ["after", "durable", "inline"]
    await store.close()


@pytest.mark.anyio
async def test_a_killed_process_leaves_every_row_with_its_event_or_neither(tmp_path: Path) -> None:
    """P1: what the application wrote is part of the commit."""
    path = tmp_path / "handgriff.db"
    await (await _shared_file(path)).close()

    _run(("crash-transactions", path, 25, 11))


async def _shared_file(path: Path) -> SqliteStore:
    """A store with a session, and a table of the application's beside it."""
    store = SqliteStore.open(path)
    await store.commit((create(),))
    with closing(sqlite3.connect(path)) as application:
        application.execute("CREATE TABLE app_rows (text TEXT NOT NULL)")
    return store


def _rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as application:
        return [text for (text,) in application.execute("SELECT text FROM app_rows ORDER BY rowid")]


@contextmanager
def _in_a_transaction(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has begun, and written a row."""
    (holder,) = _start(("hold", path, "x", 1))
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        yield holder
    finally:
        holder.kill()
        holder.communicate()


def _start(*commands: tuple[object, ...]) -> list[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    module = (sys.executable, "-m", "tests.contract.sqlite_process")
    return [
        subprocess.Popen([*module, *map(str, command)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]


def _run(*commands: tuple[object, ...]) -> None:
    for process in _start(*commands):
        _, errors = process.communicate()
        assert process.returncode == 0, errors
