"""Snapshots in memory keep what the port promises."""

import pytest

from handgriff.ports.snapshots import SnapshotStore
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.snapshots import SnapshotSuite


class TestMemorySnapshots(SnapshotSuite):
    @pytest.fixture
    def snapshots(self) -> SnapshotStore:
        return MemorySnapshots()
