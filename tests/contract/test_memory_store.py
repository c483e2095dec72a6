"""The memory store keeps what the port promises.

What the suite covers of the fault cases: B001, B002, B004 and B005 (deadlines), B007 and B008 (garbage), B012 (null), B013 and B014
(concurrent writers), B056 (halves of characters), B129 and B135 (ids).
"""

import pytest

from handgriff.ports.store import Store
from handgriff.stores.memory import MemoryStore
from handgriff.testing.stores import StoreSuite


class TestMemoryStore(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()
