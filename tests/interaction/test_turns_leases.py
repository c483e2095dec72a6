"""One turn a session: a second message is told that it is busy, and whoever finds a dead turn closes it once. Cases B014, B059, B144."""

from pathlib import Path

import anyio
import pytest

from handgriff import Refusal
from handgriff.core.events import Item, TurnEnded, UserMessage
from handgriff.ports.store import Store
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import harness
from tests.interaction.desk import ADA, endings, rows
from tests.interaction.slow import Slow, look, second_host, watched

pytestmark = pytest.mark.anyio


async def test_of_two_messages_at_once_one_is_answered_and_the_other_leaves_nothing() -> None:
    """B014: a double click."""
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=["Hello.", "Hello again."]) as chat:
        items: list[Item] = []
        failures: list[str] = []
        async with anyio.create_task_group() as tasks:
            for text in ("A", "B"):
                tasks.start_soon(watched, chat.host, chat.session.id, text, items, failures)

        assert failures == ["conversation_busy"]
        assert (len(chat.provider.requests), len(await rows(chat))) == (1, 1)
        assert [event.body.text for event in await chat.events() if isinstance(event.body, UserMessage)] == ["A"]
        assert (await chat.say("C")).text == "Hello again."


@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_while_a_turn_runs_every_replica_is_told_when_to_come_back(store: str, tmp_path: Path) -> None:
    """B014: nothing of the second message is stored; another conversation of the same user is not held up."""
    slow, shared = Slow(), MemoryStore()
    name: str | Store = shared if store == "memory" else f"sqlite:///{tmp_path}/h.db"
    script = [look("a"), "Elsewhere.", "Seen."]
    async with (
        harness(slow.assistant(), ADA, script=script, store=name) as chat,
        second_host(chat, slow, name) as other,
    ):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Look.")
            await slow.began.wait()
            stored = len(await chat.events())
            for host in (chat.host, other):
                with pytest.raises(Refusal) as refusal:
                    await anext(host.turn(ADA, chat.session.id, "B"))
                assert refusal.value.code == "conversation_busy"
                assert 1 <= int(str(refusal.value.facts["retry_after"])) <= 30
            assert (len(await chat.events()), len(await rows(chat))) == (stored, 1)
            session = await other.sessions.create(ADA)
            items = [item async for item in other.turn(ADA, session.id, "Hello")]
            assert isinstance(items[-1].body, TurnEnded)
            slow.door.set()

        assert await endings(chat) == ["done"]


async def test_nothing_is_deleted_under_a_running_turn() -> None:
    slow = Slow()
    async with harness(slow.assistant(), ADA, script=[look("a"), "Seen."]) as chat:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Look.")
            await slow.began.wait()
            with pytest.raises(Refusal) as refusal:
                await chat.host.sessions.delete(ADA, chat.session.id)
            slow.door.set()

        assert refusal.value.code == "conversation_busy"
        await chat.host.sessions.delete(ADA, chat.session.id)
        with pytest.raises(Refusal):
            await chat.events()
        assert len(await rows(chat)) == 2, "the ledger stays"


async def test_a_turn_that_takes_long_keeps_its_lease() -> None:
    slow, clock = Slow(), StillClock()
    async with harness(slow.assistant(), ADA, script=[look("a"), "Seen."], clock=clock) as chat:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Look.")
            await slow.began.wait()
            for _ in range(5):
                clock.move(25)
                await anyio.wait_all_tasks_blocked()
                with pytest.raises(Refusal):
                    await anext(chat.host.turn(ADA, chat.session.id, "B"))
            slow.door.set()

        assert await endings(chat) == ["done"]
