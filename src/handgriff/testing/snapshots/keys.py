"""What every snapshot store must do with ids: each names itself and nothing else, however the three are made into a key."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace
from itertools import product
from typing import Final

import pytest

from handgriff.ports.snapshots import SnapshotKey, SnapshotStore
from handgriff.testing.scratch.places import HOSTILE as _EVERY
from handgriff.testing.snapshots.records import KEY, record

HOSTILE: Final = tuple(name for name in _EVERY if name and "\x00" not in name)
"""Ids that alias elsewhere: joined, escaped twice, folded, normalised, cut, followed as paths, matched as patterns."""
_JOINED: Final = ("a", "b", "a:b", "b:a", ":", "::", "a/b", "/", "a|b", '","', "a\\", '"', "%3A", "a#b", "a\nb", "x" * 256)
"""Ids that run together with each other, whatever stands between them."""


class KeySuite:
    """Tenant, machine and handle."""

    @pytest.mark.parametrize("part", ["tenant", "machine", "handle"])
    async def test_two_keys_that_differ_in_one_part_are_two(self, snapshots: SnapshotStore, part: str) -> None:
        """B129: who names an instance of another tenant names nothing."""
        keys = [replace(KEY, **{part: name}) for name in HOSTILE]
        for number, key in enumerate(keys):
            assert await snapshots.load(key) is None
            assert await snapshots.compare_and_set(key, 0, record(1, f"{number}"))
        for number, key in enumerate(keys[::2]):
            assert await snapshots.compare_and_set(key, 1, record(2, f"{2 * number} again"))

        expected = [record(1, f"{number}") if number % 2 else record(2, f"{number} again") for number in range(len(keys))]
        assert [await snapshots.load(key) for key in keys] == expected

    async def test_no_two_keys_run_together(self, snapshots: SnapshotStore) -> None:
        keys = [SnapshotKey(*ids) for ids in product(_JOINED, repeat=3)]
        for number, key in enumerate(keys):
            assert await snapshots.compare_and_set(key, 0, record(1, f"{number}"))

        assert [await snapshots.load(key) for key in keys] == [record(1, f"{number}") for number in range(len(keys))]

    @pytest.mark.parametrize("part", ["tenant", "machine", "handle"])
    async def test_removing_one_removes_no_other(self, snapshots: SnapshotStore, part: str) -> None:
        """B135: no id is a wildcard."""
        keys = [replace(KEY, **{part: name}) for name in HOSTILE]
        for key in keys:
            await snapshots.compare_and_set(key, 0, record())

        for key in keys[::2]:
            await snapshots.delete(key)

        assert [key for key in keys if await snapshots.load(key) is not None] == keys[1::2]
