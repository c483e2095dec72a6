"""The memory store's scratch keeps what the port promises."""

import pytest

from handgriff.ports.scratch import Scratch
from handgriff.stores.memory import MemoryStore
from handgriff.testing.scratch import ScratchSuite
from handgriff.testing.scratch.stored import SessionsOnDemand


class TestMemoryScratch(ScratchSuite):
    @pytest.fixture
    def scratch(self) -> Scratch:
        return SessionsOnDemand(MemoryStore())
