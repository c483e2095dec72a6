"""Whoever comes later, or comes back, is told everything once and in order. Cases B143, B144, B149."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import anyio
import pytest

from handgriff import Call, Refusal, Result, Toolbox
from handgriff.core.events import Event, Frame, Item, TextDelta, TurnEnded, position
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import Answer, Hold, Text, ToolUse
from tests.interaction.bank import Bank, banking, transfer
from tests.interaction.desk import ADA, BOB, WORDS, assistant
from tests.interaction.slow import Slow, look, second_host

pytestmark = pytest.mark.anyio


def events_of(items: list[Item]) -> list[Event]:
    return [item for item in items if isinstance(item, Event)]


@asynccontextmanager
async def streaming(chat: Harness, go: anyio.Event) -> AsyncIterator[list[Item]]:
    """A turn whose answer has half come; the rest comes after the block."""
    items: list[Item] = []
    halfway = anyio.Event()

    async def watch() -> None:
        async for item in chat.host.turn(ADA, chat.session.id, "Tell."):
            items.append(item)
            if isinstance(item.body, TextDelta):
                halfway.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        await halfway.wait()
        await anyio.wait_all_tasks_blocked()
        yield items
        go.set()


def story(go: anyio.Event) -> Answer:
    return Answer((Text("Once upon a time there was", chunk=5),), inserts=(), holds=(Hold(4, go.wait),))


async def read_until_still(items: AsyncIterator[Item], into: list[Item]) -> None:
    async for item in items:
        into.append(item)  # noqa: PERF401  # it is looked at while it grows


async def test_positions_grow_and_frames_stand_behind_what_was_stored() -> None:
    go = anyio.Event()
    async with harness(Slow().assistant(), ADA, script=[story(go)]) as chat:
        async with streaming(chat, go) as items:
            pass

        positions = [position(item) for item in items]
        assert positions == sorted(set(positions))
        assert any(isinstance(item, Frame) for item in items)
        assert isinstance(items[-1].body, TurnEnded)


async def test_a_late_comer_gets_the_frames_so_far_and_a_later_one_the_finished_message() -> None:
    """B143: the text stands there once in both cases."""
    go = anyio.Event()
    async with harness(Slow().assistant(), ADA, script=[story(go)]) as chat:
        late: list[Item] = []
        async with anyio.create_task_group() as tasks, streaming(chat, go) as items:
            tasks.start_soon(read_until_still, chat.host.follow(ADA, chat.session.id), late)
            await anyio.wait_all_tasks_blocked()
            so_far = "".join(item.body.text for item in late if isinstance(item.body, TextDelta))
            assert so_far == "Once upon "
        after = [item async for item in chat.host.follow(ADA, chat.session.id)]

        assert "".join(item.body.text for item in late if isinstance(item.body, TextDelta)) == "Once upon a time there was"
        assert events_of(late)[-len(events_of(items)) :] == events_of(items)
        assert events_of(after) == after == list(await chat.events())


async def test_from_every_position_the_rest_is_what_was_not_seen() -> None:
    """B143: no event twice, none left out."""
    async with harness(Slow().assistant(), ADA, script=[ToolUse("nothing", {}), "Well.", "Hello."]) as chat:
        await chat.say("Go.")
        await chat.say("Hello")
        stored = list(await chat.events())

        for seq in range(len(stored) + 2):
            for offset in (0, 3):
                rest = [item async for item in chat.host.follow(ADA, chat.session.id, after=(seq, offset))]
                assert rest == stored[seq:]


async def test_whoever_joins_a_turn_that_goes_on_misses_nothing_of_the_decision() -> None:
    """B149: the outcome of the confirmed call stands directly before the first frame."""
    bank, go = Bank(), anyio.Event()
    async with banking(bank, [transfer(), story(go)]) as chat:
        await chat.say("Pay.")
        [proposal] = await chat.host.proposals.list(ADA)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.host.proposals.decide, ADA, proposal.id, True)
            await chat.provider.arrived(1)
            first: list[Item] = []
            tasks.start_soon(read_until_still, chat.host.follow(ADA, chat.session.id), first)
            with anyio.fail_after(5):
                while not any(isinstance(item, Frame) for item in first):
                    await anyio.wait_all_tasks_blocked()
            second: list[Item] = []
            async with aclosing(chat.host.follow(ADA, chat.session.id)) as items:
                async for item in items:
                    second.append(item)
                    if isinstance(item, Frame):
                        break
            go.set()

        stored = [event.seq for event in await chat.events()]
        assert [event.seq for event in events_of(first)] == stored
        assert [event.seq for event in events_of(second)] == stored[:-2], "all but the message and the end, which had not come"


async def test_what_is_stored_beside_a_turn_is_shown_in_its_place() -> None:
    """An inner call's end, and a decision while a sibling still runs: the stream is what a reload would show."""
    box, bank = Toolbox("outer"), Bank()

    @box.tool(effect="write", description=WORDS)
    async def note_twice(call: Call) -> Result[None]:
        await call.tool("note", {"text": "a"})
        await call.tool("note", {"text": "b"})
        [proposal] = await chat.host.proposals.list(ADA)
        await chat.host.proposals.decide(ADA, proposal.id, True)
        return Result("Noted twice.")

    made = assistant(box, *bank.assistant().toolboxes)
    calls = (transfer(), ToolUse("note_twice", {}), ToolUse("balance", {}))
    async with harness(made, ADA, script=[calls, "Done."], callers=bank.callers) as chat:
        told = await chat.say("Go.")
        rest = [item async for item in chat.host.follow(ADA, chat.session.id, after=(told.events[-1].seq, 0))]

        stored = list(await chat.events())
        assert [*told.events, *events_of(rest)] == stored[1:]
        assert [outcome.parent is not None for outcome in told.outcomes] == [True, True, False, False, False]
        assert (bank.paid, bank.noted) == ([(10, "acc-2")], ["a", "b"])
        assert len(chat.provider.requests) == 2


async def test_a_turn_of_another_replica_is_followed_to_its_end() -> None:
    slow, store, clock = Slow(), MemoryStore(), StillClock()
    async with (
        harness(slow.assistant(), ADA, script=[look("a"), "Seen."], store=store, clock=clock) as chat,
        second_host(chat, slow, store, clock) as other,
    ):
        followed: list[Item] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Look.")
            await slow.began.wait()
            tasks.start_soon(read_until_still, other.follow(ADA, chat.session.id), followed)
            await anyio.wait_all_tasks_blocked()
            slow.door.set()
            with anyio.fail_after(5):
                while not (followed and isinstance(followed[-1].body, TurnEnded)):
                    clock.move(0.5)
                    await anyio.wait_all_tasks_blocked()

        assert followed == list(await chat.events())


async def test_nobody_follows_what_is_not_theirs() -> None:
    async with harness(Slow().assistant(), ADA, script=["Hello."]) as chat:
        await chat.say("Hello")

        with pytest.raises(Refusal):
            await anext(chat.host.follow(BOB, chat.session.id))
