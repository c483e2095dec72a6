"""Memory and PostgreSQL answer the same to any sequence of batches: the functions of `schema/` compute as the core does."""

from collections.abc import Iterator, Sequence

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, given, settings

from handgriff.core.batch import Batch
from handgriff.stores.memory import MemoryStore
from tests.contract.batches import BEGINNING, answer, changing, histories, moving, picture
from tests.contract.postgres import Database, database
from tests.effort import times

# The database is emptied at the beginning of every example.
SHARED = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    """An event loop that lasts, for connections that last."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def opened(portal: BlockingPortal, postgres_url: str) -> Iterator[Database]:
    with portal.wrap_async_context_manager(database(postgres_url)) as found:
        yield found


@settings(max_examples=times(10), suppress_health_check=SHARED)
@given(histories)
def test_memory_and_postgres_agree(portal: BlockingPortal, opened: Database, history: Sequence[Batch]) -> None:
    portal.call(_compare, opened, history)


@settings(max_examples=times(10), suppress_health_check=SHARED)
@given(changing)
def test_memory_and_postgres_agree_on_what_becomes_of_state(portal: BlockingPortal, opened: Database, history: Sequence[Batch]) -> None:
    """P11: also in what they refuse, and by which name."""
    portal.call(_compare, opened, history)


@settings(max_examples=times(10), suppress_health_check=SHARED)
@given(moving)
def test_memory_and_postgres_agree_on_what_becomes_of_workflows(portal: BlockingPortal, opened: Database, history: Sequence[Batch]) -> None:
    """Also in what they refuse, and by which name."""
    portal.call(_compare, opened, history)


async def _compare(opened: Database, history: Sequence[Batch]) -> None:
    memory, postgres = MemoryStore(), await opened.emptied()
    for batch in (BEGINNING, *history):
        assert await answer(postgres, batch) == await answer(memory, batch)
    assert await picture(postgres) == await picture(memory)
