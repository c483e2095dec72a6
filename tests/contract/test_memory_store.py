"""The memory store keeps what the port promises."""

import pytest

from handgriff.ports.store import Store
from handgriff.stores.memory import MemoryStore
from handgriff.testing.stores import StoreSuite


class TestMemoryStore(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()
