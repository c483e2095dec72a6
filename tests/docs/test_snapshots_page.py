"""docs/snapshots.md: its example is the file that passes the suite, runs on a real Valkey, and loses what the page says and no more."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from examples.snapshots.valkey import ValkeySnapshots
from handgriff import Assistant, Caller, Machine, Result, Toolbox
from handgriff.machine import State
from handgriff.ports.snapshots import Kept, SnapshotKey, SnapshotStore
from handgriff.stores.memory import MemoryStore
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.harness import Harness, harness
from handgriff.testing.snapshots import SnapshotSuite
from tests.servers.valkey import Server, valkey

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "snapshots.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
ADA = Caller("acme", "ada")
WORDS = "Use when: it is tested. Not for: anything else. Needs: nothing. Effect: as declared."

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with valkey() as server:
        yield server


@pytest.fixture
async def snapshots(server: Server) -> AsyncIterator[ValkeySnapshots]:
    opened = ValkeySnapshots(server.url)
    await opened.client.flushall()
    yield opened
    await opened.client.aclose()


def paper() -> Assistant:
    """Tools that send a paper and then file it."""
    machine = Machine("paper", State("draft", on={"SEND": "sent"}), State("sent", on={"FILE": "filed"}), State("filed", type="final"))
    box = Toolbox("papers")

    @box.tool(effect="write", at=machine.at("draft"), fires="SEND", description=WORDS)
    async def send() -> Result[None]:
        return Result("Sent.")

    @box.tool(effect="write", at=machine.at("sent"), fires="FILE", description=WORDS)
    async def file() -> Result[None]:
        return Result("Filed.")

    return Assistant("papers", instructions="You help with papers.", toolboxes=[box])


class Failing:
    """A snapshot store that fails at one of its sets, as one that can't be reached does."""

    def __init__(self, store: SnapshotStore, at: int) -> None:
        self.load, self.delete = store.load, store.delete
        self._store = store
        self._at = at

    async def compare_and_set(self, key: SnapshotKey, version: int, record: Kept) -> bool:
        """Set, or fail."""
        self._at -= 1
        if self._at == 0:
            raise ConnectionError("nobody answers")
        return await self._store.compare_and_set(key, version, record)


@asynccontextmanager
async def talking(snapshots: SnapshotStore) -> AsyncIterator[Harness]:
    async with harness(paper(), ADA, snapshots=snapshots) as chat:
        yield chat


async def code(chat: Harness, tool: str) -> str | None:
    return (await chat.host.call(ADA, tool, {}, session=chat.session.id)).code


async def states(chat: Harness) -> Mapping[str, str]:
    return await chat.host.workflows.states(ADA, chat.session.id)


def test_the_page_shows_the_example_as_it_is() -> None:
    assert BLOCKS[0] == (ROOT / "examples" / "snapshots" / "valkey.py").read_text(encoding="utf-8")
    assert "`examples/snapshots/valkey.py`" in PAGE


async def test_a_host_keeps_its_instances_there(server: Server, snapshots: ValkeySnapshots) -> None:
    found: dict[str, Any] = {"__name__": "page"}
    for block in BLOCKS:
        exec(block, found)  # noqa: S102  # the page's own text

    async def everybody(tenant: str, user: str) -> Caller | None:
        return ADA

    store = MemoryStore()
    async with found["opened"](paper(), store, server.url, callers=everybody, model="scripted:dev") as host:
        session = (await host.sessions.create(ADA)).id
        assert (await host.call(ADA, "send", {}, session=session)).code is None

        assert list(await store.workflows("acme")) == []
        kept = await snapshots.load(SnapshotKey("acme", "paper", session))
        assert kept is not None
        assert '\\"sent\\"' in kept.text


def test_the_class_for_ones_own_is_the_suite() -> None:
    found: dict[str, Any] = {"__name__": "page"}
    exec(BLOCKS[-1], found)  # noqa: S102  # the page's own text

    assert issubclass(found["TestMySnapshots"], SnapshotSuite)
    assert "snapshots" in vars(found["TestMySnapshots"])


async def test_a_store_that_cannot_be_reached_refuses_the_call_and_nothing_runs(snapshots: ValkeySnapshots) -> None:
    async with talking(Failing(snapshots, at=1)) as chat:
        assert await code(chat, "send") == "transient"
        assert list(await chat.host.effects.list("acme")) == []

        assert await code(chat, "send") is None


async def test_an_outcome_stays_and_the_instance_follows_at_the_next_look(snapshots: ValkeySnapshots) -> None:
    async with talking(Failing(snapshots, at=2)) as chat:
        assert await code(chat, "send") is None
        kept = await snapshots.load(SnapshotKey("acme", "paper", chat.session.id))
        assert kept is not None
        assert '"claim"' in kept.text

        assert await states(chat) == {"paper": "sent"}
        assert [await code(chat, tool) for tool in ("send", "file")] == ["closed", None]


async def test_a_sessions_own_go_with_the_session() -> None:
    kept = MemorySnapshots()
    async with talking(kept) as chat:
        assert await code(chat, "send") is None
        key = SnapshotKey("acme", "paper", chat.session.id)
        assert await kept.load(key) is not None

        await chat.host.sessions.delete(ADA, chat.session.id)
        assert await kept.load(key) is None
