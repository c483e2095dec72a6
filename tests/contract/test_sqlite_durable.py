"""A commit of the SQLite store that must be on the disk is not answered before the log is; and many wait for one such call."""

import os
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from handgriff.core.batch import Batch, ClaimEffect
from handgriff.errors import BackendError
from handgriff.stores.sqlite import SqliteStore
from handgriff.stores.sqlite.log import TO_DISK
from handgriff.testing.samples import EFFECT, TENANT

pytestmark = pytest.mark.anyio


class Disk:
    """The system's call, counted, and held up until it may return."""

    def __init__(self) -> None:
        self.calls = 0
        self.begun, self.may_return = Event(), Event()
        self.fails = False
        self._call = getattr(os, TO_DISK)

    def __call__(self, file: Any) -> None:
        self.calls += 1
        self.begun.set()
        self.may_return.wait(30)
        if self.fails:
            raise OSError(5, "Input/output error")
        self._call(file)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(os, TO_DISK, disk)
    return disk


@pytest.fixture
async def store(tmp_path: Path, disk: Disk) -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    yield store
    disk.may_return.set()
    await store.close()


def claim(key: str) -> Batch:
    return (ClaimEffect(replace(EFFECT, key=key)),)


async def has_begun(disk: Disk) -> None:
    while not disk.begun.is_set():
        await anyio.lowlevel.checkpoint()


async def test_it_is_answered_once_it_is_on_the_disk_and_meanwhile_others_write(store: SqliteStore, disk: Disk) -> None:
    answered: list[str] = []

    async def durably() -> None:
        await store.commit(claim("kept"), durable=True)
        answered.append("kept")

    async with anyio.create_task_group() as group:
        group.start_soon(durably)
        await has_begun(disk)
        await store.commit(claim("beside"))
        assert await store.effect(TENANT, EFFECT.tool, "beside") is not None
        assert answered == []
        disk.may_return.set()

    assert answered == ["kept"]


async def test_whoever_comes_while_the_disk_is_busy_shares_the_next_call(store: SqliteStore, disk: Disk) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(partial(store.commit, claim("first"), durable=True))
        await has_begun(disk)
        for number in range(16):
            group.start_soon(partial(store.commit, claim(f"k{number}"), durable=True))
        while await store.effect(TENANT, EFFECT.tool, "k15") is None:
            await anyio.lowlevel.checkpoint()
        assert disk.calls == 1
        disk.may_return.set()

    assert disk.calls == 2
    assert len(await store.effects(TENANT)) == 17


async def test_what_is_committed_already_does_not_wait_for_another_process(store: SqliteStore, disk: Disk, tmp_path: Path) -> None:
    answered: list[str] = []

    async def durably(key: str) -> None:
        await store.commit(claim(key), durable=True)
        answered.append(key)

    other = sqlite3.connect(tmp_path / "handgriff.db", isolation_level=None)
    async with anyio.create_task_group() as group:
        group.start_soon(durably, "first")
        await has_begun(disk)
        group.start_soon(durably, "committed")
        while await store.effect(TENANT, EFFECT.tool, "committed") is None:
            await anyio.lowlevel.checkpoint()
        other.execute("BEGIN IMMEDIATE")
        group.start_soon(durably, "meets the lock")
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        disk.may_return.set()
        with anyio.fail_after(10):
            while len(answered) < 2:
                await anyio.lowlevel.checkpoint()
        assert answered == ["first", "committed"]
        other.execute("ROLLBACK")

    other.close()
    assert answered == ["first", "committed", "meets the lock"]


async def test_a_disk_that_fails_is_told_and_later_commits_go_on(store: SqliteStore, disk: Disk) -> None:
    disk.may_return.set()
    disk.fails = True
    with pytest.raises(BackendError, match="commit"):
        await store.commit(claim("lost"), durable=True)

    disk.fails = False
    await store.commit(claim("kept"), durable=True)
    assert await store.effect(TENANT, EFFECT.tool, "kept") is not None


async def test_what_waits_for_the_disk_when_the_store_closes_is_answered(store: SqliteStore, disk: Disk) -> None:
    answered: list[str] = []

    async def durably() -> None:
        await store.commit(claim("kept"), durable=True)
        answered.append("kept")

    async with anyio.create_task_group() as group:
        group.start_soon(durably)
        await has_begun(disk)
        group.start_soon(store.close)
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        assert answered == []
        disk.may_return.set()

    assert answered == ["kept"]
