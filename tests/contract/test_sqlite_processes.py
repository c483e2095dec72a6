"""Several processes on one SQLite file, and processes that are killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import handgriff
from handgriff.core.delta import Value
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.samples import TENANT, USER, create

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


def _run(*commands: tuple[object, ...]) -> None:
    environment = os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.contract.sqlite_process", *map(str, command)], env=environment, stderr=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    for process in started:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
