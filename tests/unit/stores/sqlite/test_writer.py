"""The writer: at once when it can, in groups when it must, and never half."""

import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
import pytest

from handgriff.core.batch import Batch
from handgriff.errors import BackendError
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite import log
from handgriff.stores.sqlite.migration import migrate
from handgriff.stores.sqlite.pace import AHEAD
from handgriff.stores.sqlite.transaction import CHECKPOINT_ROWS
from handgriff.stores.sqlite.writer import GROUP, GroupWriter
from handgriff.testing.samples import create, put, say

pytestmark = pytest.mark.anyio


@dataclass
class Desk:
    """A writer, what its connection was told, and a second connection to the same file."""

    writer: GroupWriter
    connection: sqlite3.Connection
    other: sqlite3.Connection
    trace: list[str] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)

    def note(self, statement: str) -> None:
        self.trace.append(statement)
        self.threads.add(threading.current_thread().name)

    def said(self) -> list[str]:
        """The first words of what it was told since the last question, without the rows themselves."""
        said = [statement for statement in self.trace if statement.split()[0] not in {"INSERT", "SELECT", "UPDATE"}]
        self.trace.clear()
        return said

    def count(self, table: str) -> int:
        (number,) = self.other.execute(f"SELECT COUNT(*) FROM handgriff_{table}").fetchone()  # noqa: S608  # our own table names
        return int(number)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    path = tmp_path / "handgriff.db"
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection)
    other = sqlite3.connect(path, isolation_level=None)
    desk = Desk(GroupWriter(connection, patience=30_000), connection, other)
    await desk.writer.commit((create(), create("s2")), durable=False)
    connection.set_trace_callback(desk.note)
    yield desk
    other.close()
    await desk.writer.close()


@pytest.fixture
def locked(desk: Desk) -> Iterator[Desk]:
    """Somebody else holds the write lock until the test gives it back."""
    desk.other.execute("BEGIN IMMEDIATE")
    yield desk
    if desk.other.in_transaction:
        desk.other.execute("ROLLBACK")


async def test_an_idle_writer_commits_at_once_without_a_thread(desk: Desk) -> None:
    await desk.writer.commit((say("e1"), put("k", "1")), durable=False)

    assert desk.said() == ["BEGIN IMMEDIATE", "COMMIT"]
    assert desk.threads == {threading.current_thread().name}


async def test_a_durable_commit_is_written_at_once_and_the_thread_brings_it_to_the_disk(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, Sequence[str]]] = []
    monkeypatch.setattr(os, log.TO_DISK, lambda _: synced.append((threading.current_thread().name, desk.trace[-1:])))

    await desk.writer.commit((say("e1"),), durable=True)

    assert desk.said() == ["BEGIN IMMEDIATE", "COMMIT"]
    assert desk.threads == {threading.current_thread().name}
    assert synced == [("handgriff-sqlite", ["COMMIT"])]


async def test_one_that_meets_a_lock_waits_and_syncs_in_the_thread_and_the_next_does_neither(locked: Desk) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(locked.writer.commit, (say("e1"),), durable=True))
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        locked.other.execute("ROLLBACK")
    met, *waited = locked.said()
    assert (met, waited) == ("BEGIN IMMEDIATE", ["PRAGMA busy_timeout = 30000", "PRAGMA synchronous = FULL", "BEGIN IMMEDIATE", "COMMIT"])

    await locked.writer.commit((say("e2"),), durable=False)

    assert locked.said() == ["PRAGMA busy_timeout = 0", "PRAGMA synchronous = NORMAL", "BEGIN IMMEDIATE", "COMMIT"]


async def test_an_inline_commit_does_not_wait_on_the_loop_for_another_process(locked: Desk) -> None:
    done: list[str] = []

    async def work() -> None:
        await locked.writer.commit((say("e1"),), durable=False)
        done.append("committed")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        done.append("the loop went on")
        locked.other.execute("ROLLBACK")

    assert done == ["the loop went on", "committed"]


async def test_what_waits_is_written_in_one_transaction(locked: Desk) -> None:
    seqs = await _queue(locked, [(say(f"e{n}"), put("k", str(n))) for n in range(5)])

    assert seqs == {0: (1, 2), 1: (3, 4), 2: (5, 6), 3: (7, 8), 4: (9, 10)}
    # The first met the lock, and was written by the thread; then the four that came meanwhile.
    met, *said = [word for word in locked.said() if not word.startswith("PRAGMA")]
    assert (met, said) == ("BEGIN IMMEDIATE", ["BEGIN IMMEDIATE", "COMMIT"] * 2)


async def test_a_refused_batch_of_a_group_is_taken_back_alone(locked: Desk) -> None:
    batches: list[Batch] = [(say("e0"),), (say("e1"),), (say("e2"), say("e1", "other")), (say("e3"),)]

    answers = await _queue(locked, batches)

    assert answers[2] == "the event guard of 'e1' does not hold"
    assert (answers[1], answers[3]) == ((2,), (3,))
    said = locked.said()
    assert said.count("ROLLBACK") == said.count("ROLLBACK TO batch") == 1
    assert said.count("SAVEPOINT batch") == said.count("RELEASE batch") == 3
    assert [row[0] for row in locked.other.execute("SELECT id FROM handgriff_event ORDER BY seq")] == ["e0", "e1", "e3"]


async def test_a_group_has_a_bound(locked: Desk) -> None:
    answers = await _queue(locked, [(say(f"e{n}"),) for n in range(GROUP + 3)])

    assert len(answers) == GROUP + 3
    assert locked.said().count("COMMIT") == 3


async def test_a_lock_that_is_never_given_back_is_an_error_with_a_hint(tmp_path: Path, locked: Desk) -> None:
    connection = sqlite3.connect(tmp_path / "handgriff.db", isolation_level=None, check_same_thread=False)
    hasty = GroupWriter(connection, patience=1)

    for durable in (False, True):
        with pytest.raises(BackendError, match="Another process kept the write lock") as failed:
            await hasty.commit((say("e1"),), durable=durable)
        assert isinstance(failed.value.__cause__, sqlite3.OperationalError)
    await hasty.close()

    assert locked.count("event") == 0


async def test_a_commit_that_was_accepted_outlives_its_task(locked: Desk) -> None:
    async def work() -> None:
        await locked.writer.commit((say("e1"), put("k", "1")), durable=True)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert locked.count("event") == 0

    locked.other.execute("ROLLBACK")
    await locked.writer.commit((say("e2"),), durable=True)
    ids = [row[0] for row in locked.other.execute("SELECT id FROM handgriff_event ORDER BY seq")]
    assert (ids[0], len(ids), ids[2]) == ("e1", 3, "e2")
    assert locked.count("state") == 1


async def test_what_tasks_write_in_one_iteration_of_the_loop_is_one_transaction(desk: Desk) -> None:
    async def work(name: str) -> None:
        for number in range(3):
            await desk.writer.commit((say(f"{name} {number}"),), durable=False)

    async with anyio.create_task_group() as tasks:
        for name in ("a", "b", "c", "d"):
            tasks.start_soon(work, name)

    # Whoever came first went ahead three times; the others then wrote together, three times.
    assert desk.said() == ["BEGIN IMMEDIATE", "COMMIT"] * 6
    assert desk.threads == {threading.current_thread().name}
    ids = [row[0] for row in desk.other.execute("SELECT id FROM handgriff_event ORDER BY seq")]
    assert ids[:3] == ["a 0", "a 1", "a 2"]
    assert [sorted(ids[place : place + 3]) for place in (3, 6, 9)] == [[f"{name} {number}" for name in "bcd"] for number in range(3)]


async def test_a_task_that_is_alone_again_goes_ahead_again(desk: Desk) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(_commit, desk, (say(f"e{number}"),))
    await _commit(desk, (say("waits once more"),))
    desk.said()

    await _commit(desk, (say("alone"),))

    assert desk.said() == ["BEGIN IMMEDIATE", "COMMIT"]
    assert desk.count("event") == 6


async def test_a_task_that_only_writes_lets_the_loop_go_on(desk: Desk) -> None:
    others = anyio.Event()

    async def work() -> None:
        await _commit(desk, (say("other"),))
        others.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        with anyio.fail_after(5):
            number = 0
            while not others.is_set():
                number += 1
                await desk.writer.commit((say(f"e{number}"),), durable=False)

    assert number <= 2 * AHEAD


async def test_a_refused_batch_is_taken_back_alone_when_tasks_write_together(desk: Desk) -> None:
    answers: dict[str, object] = {}

    async def work(name: str, batch: Batch) -> None:
        try:
            answers[name] = (await desk.writer.commit(batch, durable=False)).seqs
        except CommitRefused as refused:
            answers[name] = refused.guard

    for number in range(2):
        async with anyio.create_task_group() as tasks:
            for name in ("a", "b", "c"):
                tasks.start_soon(work, f"{name}{number}", (say(f"{name}{number}"), *((say("a0", "other"),) if name == "b" else ())))

    assert answers == {"a0": (1,), "b0": "event", "c0": (2,), "a1": (3,), "b1": "event", "c1": (4,)}
    # The second time nobody tried without savepoints.
    assert (desk.said().count("ROLLBACK"), desk.count("event")) == (1, 4)


async def test_tasks_that_write_together_do_not_wait_on_the_loop_for_another_process(desk: Desk) -> None:
    done: list[str] = []

    async def work(number: int) -> None:
        await _commit(desk, (say(f"e{number}"),))
        done.append(f"e{number}")

    async def lock() -> None:
        desk.other.execute("BEGIN IMMEDIATE")
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        done.append("the loop went on")
        desk.other.execute("ROLLBACK")

    async with anyio.create_task_group() as tasks:
        for number in range(3):
            tasks.start_soon(work, number)
        tasks.start_soon(lock)

    assert done[:2] == ["e0", "the loop went on"]
    assert sorted(done[2:]) == ["e1", "e2"]
    assert [row[0] for row in desk.other.execute("SELECT id FROM handgriff_event ORDER BY seq")] == ["e0", "e1", "e2"]


async def test_what_is_too_much_for_one_transaction_is_written_in_two(desk: Desk) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(GROUP + 4):
            tasks.start_soon(_commit, desk, (say(f"e{number}"),))

    assert desk.said() == ["BEGIN IMMEDIATE", "COMMIT"] * 3
    assert desk.count("event") == GROUP + 4


async def test_what_waits_for_the_next_iteration_is_written_when_the_store_is_closed(desk: Desk) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(_commit, desk, (say(f"e{number}"),))
        await anyio.lowlevel.checkpoint()
        await desk.writer.close()

    assert desk.count("event") == 4


async def test_loops_of_several_threads_write_one_file(desk: Desk) -> None:
    async def work(name: int) -> None:
        async def each(number: int) -> None:
            await desk.writer.commit((say(f"{name} {number}"),), durable=number % 7 == 0)

        async with anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(each, number)

    async def in_a_thread(name: int) -> None:
        await anyio.to_thread.run_sync(lambda: anyio.run(work, name))

    async with anyio.create_task_group() as tasks:
        for name in range(3):
            tasks.start_soon(in_a_thread, name)

    seqs = [row[0] for row in desk.other.execute("SELECT seq FROM handgriff_event ORDER BY seq")]
    assert seqs == list(range(1, 121))


@pytest.mark.parametrize("durable", [False, True])
async def test_a_full_disk_fails_the_commit_and_the_next_one_works(desk: Desk, *, durable: bool) -> None:
    (pages,) = desk.connection.execute("PRAGMA page_count").fetchone()
    desk.connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()
    with pytest.raises(BackendError, match="The disk is full") as failed:
        await desk.writer.commit((say("e1", "x" * 50_000), put("k", "1")), durable=durable)
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)

    desk.connection.execute("PRAGMA max_page_count = 10000").fetchone()
    assert (await desk.writer.commit((say("e2"),), durable=durable)).seqs == (1,)
    assert (desk.count("event"), desk.count("state")) == (1, 0)


async def test_a_full_disk_leaves_no_half_of_a_group(locked: Desk) -> None:
    (pages,) = locked.connection.execute("PRAGMA page_count").fetchone()
    locked.connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()

    answers = await _queue(locked, [(say("e0"),), (say("e1"),), (say("e2", "x" * 50_000), put("k", "1")), (say("e3"),)])

    assert "disk is full" in str(answers[2])
    told = {f"e{number}" for number, answer in answers.items() if isinstance(answer, tuple)}
    assert {row[0] for row in locked.other.execute("SELECT id FROM handgriff_event")} == told
    assert locked.count("state") == 0


@pytest.mark.parametrize("durable", [False, True])
async def test_a_transaction_that_fails_at_its_end_is_taken_back(desk: Desk, *, durable: bool) -> None:
    desk.connection.execute("PRAGMA foreign_keys = TRUE")
    for statement in (
        "CREATE TABLE theirs (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES theirs DEFERRABLE INITIALLY DEFERRED)",
        "CREATE TRIGGER follow AFTER INSERT ON handgriff_state BEGIN INSERT INTO theirs (parent) VALUES (7); END",
    ):
        desk.connection.execute(statement)

    with pytest.raises(BackendError, match="FOREIGN KEY"):
        await desk.writer.commit((say("e1"), put("k", "1")), durable=durable)
    assert (await desk.writer.commit((say("e2"),), durable=durable)).seqs == (1,)


async def test_a_file_that_turned_read_only_is_an_error_with_a_hint(desk: Desk) -> None:
    desk.connection.execute("PRAGMA query_only = TRUE")

    with pytest.raises(BackendError, match="read-only"):
        await desk.writer.commit((say("e1"),), durable=False)


async def test_a_fault_of_the_program_reaches_the_task_that_made_it(desk: Desk) -> None:
    broken: Batch = (say("e1"), "no operation")  # type: ignore[assignment]  # what a fault looks like

    for durable in (False, True):
        with pytest.raises(AssertionError, match="unreachable"):
            await desk.writer.commit(broken, durable=durable)
    assert (await desk.writer.commit((say("e2"),), durable=True)).seqs == (1,)


async def test_the_log_is_moved_into_the_file_by_the_thread(desk: Desk) -> None:
    for number in range(CHECKPOINT_ROWS // 2):
        await desk.writer.commit((say(f"e{number}"),), durable=False)

    with anyio.fail_after(5):
        while "PRAGMA wal_checkpoint(PASSIVE)" not in desk.trace:
            await anyio.lowlevel.checkpoint()
    assert "handgriff-sqlite" in desk.threads
    assert (await desk.writer.commit((say("last"),), durable=False)).seqs == (CHECKPOINT_ROWS // 2 + 1,)


async def test_closing_twice_and_writing_after_it(desk: Desk) -> None:
    await desk.writer.close()
    await desk.writer.close()

    for durable in (False, True):
        with pytest.raises(BackendError, match="closed"):
            await desk.writer.commit((say("e1"),), durable=durable)


async def _commit(desk: Desk, batch: Batch) -> None:
    await desk.writer.commit(batch, durable=False)


async def _queue(desk: Desk, batches: list[Batch]) -> dict[int, object]:
    """Commit *batches* while somebody else holds the lock, give it back when all wait, and answer what each got."""
    answers: dict[int, object] = {}

    async def work(number: int) -> None:
        try:
            answers[number] = (await desk.writer.commit(batches[number], durable=True)).seqs
        except (CommitRefused, BackendError) as refused:
            answers[number] = str(refused)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work, 0)
        with anyio.fail_after(5):
            while desk.trace.count("BEGIN IMMEDIATE") < 2:  # on the loop, and then in the thread
                await anyio.lowlevel.checkpoint()
        for number in range(1, len(batches)):
            tasks.start_soon(work, number)
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        desk.other.execute("ROLLBACK")
    return answers
