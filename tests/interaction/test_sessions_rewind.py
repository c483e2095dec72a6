"""Sessions cut back to an event: the state of then, real deletion, a valid history, and what can't be taken back is named."""

from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest

from handgriff import Assistant, Known, Refusal, Result, Toolbox
from handgriff.core.events import AssistantMessage, OperatorChange, UserMessage
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.prompt import extends
from handgriff.testing.loopback.script import Answer, Hold, Text, ToolUse
from tests.interaction.desk import ADA, WORDS, assistant
from tests.interaction.notepad import Write, applied, notepad, random_writes
from tests.interaction.stores import STORES, store_name
from tests.interaction.till import Till, pay

pytestmark = pytest.mark.anyio
SHARED = ("user:", "app:")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def write(chat: Harness, written: Write) -> str | None:
    """Write through a real call; the code it ended with."""
    op, key, value = written
    return (await chat.host.call(ADA, "write", {"op": op, "key": key, "value": value}, session=chat.session.id)).code


async def head(chat: Harness) -> int:
    """The last seq of the session."""
    return (await chat.host.sessions.get(ADA, chat.session.id)).head


@pytest.mark.parametrize("seed", range(3))
async def test_a_rewind_to_any_event_gives_the_state_it_had_and_leaves_what_is_shared(seed: int, store: str) -> None:
    """P19: from the last event to the first, by replay of what real calls wrote."""
    async with harness(notepad(), ADA, store=store) as chat:
        expected: dict[int, dict[str, Any]] = {await head(chat): {}}
        for each in random_writes(seed, 40):
            await write(chat, each)
            expected[await head(chat)] = await chat.host.sessions.state(ADA, chat.session.id)
        shared = {key: value for key, value in expected[max(expected)].items() if key.startswith(SHARED)}

        for seq in sorted(expected, reverse=True):
            rewound = await chat.host.sessions.rewind(ADA, chat.session.id, seq)

            own = {key: value for key, value in expected[seq].items() if not key.startswith(SHARED)}
            assert await chat.host.sessions.state(ADA, chat.session.id) == own | shared, f"at {seq}"
            assert [event.seq for event in await chat.events()] == [*range(1, seq + 1), rewound.session.head]


@pytest.mark.parametrize("seed", range(2))
async def test_what_is_written_after_a_rewind_begins_where_it_was_cut(seed: int, store: str) -> None:
    """P19, there and back: the same arithmetic as if what was removed had never been."""
    async with harness(notepad(), ADA, store=store) as chat:
        model: dict[str, Any] = {}
        for index, each in enumerate(random_writes(seed, 30)):
            at, before = await head(chat), model
            if await write(chat, each) is None and ":" not in each[1]:
                model = applied(model, each)
            if index % 3 == 0:
                await chat.host.sessions.rewind(ADA, chat.session.id, at)
                model = before

            state = await chat.host.sessions.state(ADA, chat.session.id)
            assert {key: value for key, value in state.items() if not key.startswith(SHARED)} == model


async def test_what_was_removed_is_gone_and_no_seq_means_something_new() -> None:
    async with harness(notepad(), ADA, script=["One.", "Two.", "Three."]) as chat:
        await chat.say("First")
        kept = await head(chat)
        await chat.say("Second")
        removed = await head(chat)
        await chat.host.sessions.rewind(ADA, chat.session.id, kept)
        told = await chat.say("Third")

        events = await chat.events()
        assert [event.body.text for event in events if isinstance(event.body, UserMessage)] == ["First", "Third"]
        [said] = [event for event in events if isinstance(event.body, OperatorChange)]
        assert said.body == OperatorChange(f"rewound to {kept}", "ada")
        assert removed < said.seq < told.events[0].seq


async def test_the_next_turn_after_a_rewind_extends_what_was_sent_before_it() -> None:
    script = [ToolUse("write", {"op": "set", "key": "n", "value": 1}), "Written.", "Away.", "Again."]
    async with harness(notepad(context="You serve."), ADA, script=script) as chat:
        await chat.say("Write.")
        at = await head(chat)
        await chat.say("This goes away.")
        await chat.host.sessions.rewind(ADA, chat.session.id, at)
        await chat.say("This comes instead.")

        _, kept, gone, again = (request.raw for request in chat.provider.requests)
        assert extends(kept, gone)
        assert extends(kept, again)
        assert b"This goes away." not in again
        assert chat.provider.violations == ()


async def test_from_every_event_the_conversation_goes_on_with_a_history_the_provider_takes() -> None:
    script = [(ToolUse("look", {}), ToolUse("burn", {"text": "it"})), *["Well."] * 40]
    async with harness(notepad(), ADA, script=script) as chat:
        await chat.say("Look and burn.")
        seqs = [event.seq for event in await chat.events()]

        for seq in reversed(seqs):
            await chat.host.sessions.rewind(ADA, chat.session.id, seq)
            told = await chat.say("Go on.")
            assert told.ended.status == "done", f"from {seq}"
        assert chat.provider.violations == ()
        assert len(chat.provider.requests) == 1 + len(seqs)


async def test_proposals_of_what_was_removed_are_gone_and_nothing_of_them_ever_runs() -> None:
    seen: list[Any] = []
    async with harness(notepad(seen), ADA, script=[ToolUse("burn", {"text": "first"}), "No.", ToolUse("burn", {"text": "it"})]) as chat:
        await chat.say("Burn.")
        await chat.decline()
        at = await head(chat)
        await chat.say("Burn it.")
        [waiting] = await chat.host.proposals.list(ADA)
        await chat.host.sessions.rewind(ADA, chat.session.id, at)

        assert not await chat.host.proposals.list(ADA)
        with pytest.raises(Refusal) as refusal:
            await chat.host.proposals.decide(ADA, waiting.id, True)
        assert refusal.value.code == "not_found"
        assert seen == []


async def test_a_proposal_whose_call_stays_still_waits() -> None:
    seen: list[Any] = []
    async with harness(notepad(seen), ADA, script=[ToolUse("burn", {"text": "it"}), "Burnt."]) as chat:
        await chat.say("Burn it.")
        await chat.host.sessions.rewind(ADA, chat.session.id, await head(chat))
        _, told = await chat.confirm()

        assert seen == ["it"]
        assert told.text == "Burnt."
        assert chat.provider.violations == ()


async def test_what_happened_in_the_world_is_listed_and_stays() -> None:
    till = Till()
    async with harness(till.assistant(), ADA) as chat:
        await chat.host.call(ADA, "pay", pay("before", 1), session=chat.session.id)
        at = await head(chat)
        await chat.host.call(ADA, "pay", pay("done", 2), session=chat.session.id)
        till.going_wrong.append(ConnectionError("the line went dead"))
        await chat.host.call(ADA, "pay", pay("unknown", 3), session=chat.session.id)
        till.going_wrong.append(Refusal("conflict", "No."))
        await chat.host.call(ADA, "pay", pay("refused", 4), session=chat.session.id)

        happened = await chat.host.sessions.happened(ADA, chat.session.id, after=at)
        rewound = await chat.host.sessions.rewind(ADA, chat.session.id, at)

        assert [(effect.key, effect.state) for effect in rewound.effects] == [("done", "done"), ("unknown", "indeterminate")]
        assert tuple(happened) == rewound.effects
        assert [effect.key for effect in await chat.host.effects.list("acme")] == ["before", "done", "unknown", "refused"]
        assert (await chat.host.call(ADA, "pay", pay("done", 2), session=chat.session.id)).replayed
        assert till.paid == [1, 2]


async def test_scratch_stays_as_it_is() -> None:
    async with harness(notepad(), ADA) as chat:
        at = await head(chat)
        await chat.host.call(ADA, "note", {"text": "kept"}, session=chat.session.id)
        await chat.host.sessions.rewind(ADA, chat.session.id, at)

        assert (await chat.host.scratch.get("acme", chat.session.id, "notes")).values["texts"].json() == ["kept"]


def known() -> Assistant:
    """Orders, which must have been seen."""
    box = Toolbox("orders")

    @box.tool(effect="read", description=WORDS)
    async def orders() -> Result[list[Annotated[str, Known("order")]]]:
        return Result("One.", ["o_17"])

    @box.tool(effect="read", description=WORDS)
    async def show(order: Annotated[str, Known("order")]) -> Result[None]:
        return Result(f"Order {order}.")

    return assistant(box)


async def test_what_was_seen_only_in_what_was_removed_is_unknown_again() -> None:
    orders, show = ToolUse("orders", {}), ToolUse("show", {"order": "o_17"})
    async with harness(known(), ADA, script=[orders, "Here.", show, "Shown.", show, "No."]) as chat:
        at = await head(chat)
        await chat.say("What is there?")
        assert [outcome.code for outcome in (await chat.say("Show it.")).outcomes] == [None]
        await chat.host.sessions.rewind(ADA, chat.session.id, at)

        assert [outcome.code for outcome in (await chat.say("Show it.")).outcomes] == ["invalid"]


async def test_while_a_turn_runs_nothing_is_cut() -> None:
    released, asked = anyio.Event(), anyio.Event()

    async def until() -> None:
        asked.set()
        await released.wait()

    async with harness(notepad(), ADA, script=[Answer((Text("Done."),), holds=(Hold(0, until),))]) as chat:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(chat.say, "Go.")
                await asked.wait()
                with pytest.raises(Refusal) as refusal:
                    await chat.host.sessions.rewind(ADA, chat.session.id, 1)
                released.set()

        assert refusal.value.code == "conversation_busy"
        assert refusal.value.facts["retry_after"]
        assert [event.body.text for event in await chat.events() if isinstance(event.body, UserMessage)] == ["Go."]


async def test_while_a_write_runs_nothing_is_cut() -> None:
    """Its outcome would come after the cut, and nobody would have been told of it."""
    till, released, paying = Till(), anyio.Event(), anyio.Event()

    async def slowly() -> None:
        paying.set()
        await released.wait()

    till.paying = slowly
    async with harness(till.assistant(), ADA) as chat:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: chat.host.call(ADA, "pay", pay("w", 1), session=chat.session.id))
                await paying.wait()
                with pytest.raises(Refusal) as refusal:
                    await chat.host.sessions.rewind(ADA, chat.session.id, 1)
                released.set()

        assert refusal.value.code == "conversation_busy"
        assert till.paid == [1]


@pytest.mark.parametrize("way", ["rewind", "fork"])
async def test_a_cut_behind_a_request_for_a_write_that_was_done_tells_its_true_outcome(way: str, store: str) -> None:
    """What happened is not said to have not happened, because the message that told it was cut away."""
    till = Till()
    asked = ToolUse("pay", pay("w", 5))
    async with harness(till.assistant(), ADA, script=[asked, "Paid.", "It was paid."], store=store) as chat:
        await chat.say("Pay.")
        seq = next(event.seq for event in await chat.events() if isinstance(event.body, AssistantMessage) and event.body.calls)
        if way == "rewind":
            await chat.host.sessions.rewind(ADA, chat.session.id, seq)
        else:
            chat.session = await chat.host.sessions.fork(ADA, chat.session.id, at=seq)
        await chat.say("And?")

        told = repr([message["content"] for message in chat.provider.requests[-1].body["messages"]])
        assert till.paid == [5]
        assert "Paid 5." in told
        assert "was not run" not in told
        assert chat.provider.violations == ()
