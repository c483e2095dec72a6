"""What every snapshot store must do when many write at once: of those that have read the same version, one is right."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

import anyio
import pytest

from handgriff.ports.snapshots import SnapshotStore
from handgriff.testing.snapshots.records import KEY, record

WRITERS: Final = 50


class RaceSuite:
    """Compared and set in one step."""

    @pytest.mark.parametrize("version", [0, 1])
    async def test_of_fifty_at_once_one_is_right_and_its_record_stands(self, snapshots: SnapshotStore, version: int) -> None:
        """Where none is there yet, and where all have read the same."""
        for stored in range(version):
            await snapshots.compare_and_set(KEY, stored, record(stored + 1))
        right: list[int] = []

        async def contend(number: int) -> None:
            if await snapshots.compare_and_set(KEY, version, record(version + 1, f"{number}")):
                right.append(number)

        await _together(contend)

        assert len(right) == 1
        assert await snapshots.load(KEY) == record(version + 1, f"{right[0]}")

    async def test_no_move_of_fifty_writers_is_lost(self, snapshots: SnapshotStore) -> None:
        async def work(number: int) -> None:
            while True:
                found = await snapshots.load(KEY)
                version = 0 if found is None else found.version
                if await snapshots.compare_and_set(KEY, version, record(version + 1, f"{number}")):
                    return

        await _together(work)

        found = await snapshots.load(KEY)
        assert found is not None
        assert found.version == WRITERS

    async def test_fifty_writers_of_their_own_records_are_all_right(self, snapshots: SnapshotStore) -> None:
        right: list[int] = []

        async def work(number: int) -> None:
            key = replace(KEY, handle=f"h{number}")
            for version in range(3):
                right.append(await snapshots.compare_and_set(key, version, record(version + 1, f"{number}")))  # noqa: PERF401  # awaits

        await _together(work)

        assert right == [True] * 3 * WRITERS
        loaded = [await snapshots.load(replace(KEY, handle=f"h{number}")) for number in range(WRITERS)]
        assert loaded == [record(3, f"{number}") for number in range(WRITERS)]


async def _together(work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(WRITERS):
            tasks.start_soon(work, number)
