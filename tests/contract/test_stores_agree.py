"""Memory and SQLite answer the same to any sequence of batches. What the suite forgot to ask, chance asks."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
from hypothesis import given, settings

from handgriff.core.batch import Batch
from handgriff.stores.memory import MemoryStore
from handgriff.stores.sqlite import SqliteStore
from tests.contract.batches import BEGINNING, answer, changing, histories, moving, picture
from tests.effort import times


@settings(max_examples=times(20))
@given(histories)
def test_memory_and_sqlite_agree(history: Sequence[Batch]) -> None:
    anyio.run(_compare, history)


@settings(max_examples=times(20))
@given(changing)
def test_memory_and_sqlite_agree_on_what_becomes_of_state(history: Sequence[Batch]) -> None:
    """P11: also in what they refuse, and by which name."""
    anyio.run(_compare, history)


@settings(max_examples=times(20))
@given(moving)
def test_memory_and_sqlite_agree_on_what_becomes_of_workflows(history: Sequence[Batch]) -> None:
    """Also in what they refuse, and by which name."""
    anyio.run(_compare, history)


async def _compare(history: Sequence[Batch]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory, sqlite = MemoryStore(), SqliteStore.open(Path(folder) / "handgriff.db")
        try:
            for batch in (BEGINNING, *history):
                assert await answer(sqlite, batch) == await answer(memory, batch)
            assert await picture(sqlite) == await picture(memory)
        finally:
            await sqlite.close()
