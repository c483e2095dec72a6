"""A store seen through the scratch port. What every scratch does is shown by the suite; this is what only a store does."""

from datetime import UTC, datetime, timedelta

import pytest

from handgriff.core.batch import CreateSession
from handgriff.core.delta import Renew, Set
from handgriff.core.events import OperatorChange
from handgriff.core.rows import Session
from handgriff.core.state import LIMITS
from handgriff.ports.store import CommitRefused
from handgriff.runtime.store_scratch import StoreScratch
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import CountedIds

NOW = datetime(2026, 3, 4, tzinfo=UTC)
DELTA = (Renew("pad", NOW, NOW + timedelta(hours=1)), Set("scratch", "a", "1", "pad"))


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def scratch(store: MemoryStore) -> StoreScratch:
    return StoreScratch(store, CountedIds(), by="ops")


@pytest.mark.anyio
async def test_what_is_written_and_forgotten_leaves_its_events(store: MemoryStore, scratch: StoreScratch) -> None:
    await store.commit((CreateSession(Session("acme", "ada", "s1", NOW)),))
    await scratch.write("acme", "s1", (*DELTA, Set("session", "b", "1")), now=NOW, limits=LIMITS)
    await scratch.write("acme", "s1", (Set("session", "b", "1"),), now=NOW, limits=LIMITS)
    await scratch.forget("acme")

    events = await store.events("acme", "s1")
    assert [event.body for event in events] == [OperatorChange("scratch", "ops")] * 2
    assert await store.values("acme", "session", "s1") == {}
    assert list(await store.records("acme", now=NOW)) == []


@pytest.mark.anyio
async def test_a_session_that_is_not_there_can_not_be_written_to(scratch: StoreScratch) -> None:
    with pytest.raises(CommitRefused) as refused:
        await scratch.write("acme", "nobody", DELTA, now=NOW, limits=LIMITS)

    assert refused.value.guard == "session"


@pytest.mark.anyio
async def test_the_store_stays_open(store: MemoryStore, scratch: StoreScratch) -> None:
    await scratch.close()

    await store.commit((CreateSession(Session("acme", "ada", "s1", NOW)),))
