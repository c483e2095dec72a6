"""Sessions that begin with state, and copies of them: exact up to an event, valid for the provider, and nobody else's."""

from pathlib import Path
from typing import Any

import pytest

from handgriff import DefinitionError, Refusal
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.prompt import extends
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, ADA_ELSEWHERE, BOB, EVE, everybody
from tests.interaction.notepad import Write, applied, notepad, random_writes
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def write(chat: Harness, written: Write, session: str | None = None) -> str | None:
    """Write through a real call; the code it ended with."""
    op, key, value = written
    return (await chat.host.call(ADA, "write", {"op": op, "key": key, "value": value}, session=session or chat.session.id)).code


async def own(chat: Harness, session: str) -> dict[str, Any]:
    """The session's own keys."""
    state = await chat.host.sessions.state(ADA, session)
    return {key: value for key, value in state.items() if not key.startswith(("user:", "app:"))}


async def say(chat: Harness, session: str, text: str = "Go on.") -> list[Any]:
    """One turn of a session."""
    return [item async for item in chat.host.turn(ADA, session, text)]


async def test_a_session_begins_with_state_in_three_scopes_and_temporary_values_are_dropped() -> None:
    seen: list[Any] = []
    async with harness(notepad(seen), ADA, callers=everybody) as chat:
        begun = await chat.host.sessions.create(ADA, state={"topic": "shoes", "user:name": "Ada", "app:brand": None, "temp:token": "t-1"})
        other = await chat.host.sessions.create(ADA)
        await chat.host.call(ADA, "look", {}, session=begun.id)

        expected = {"topic": "shoes", "user:name": "Ada", "app:brand": None}
        assert await chat.host.sessions.state(ADA, begun.id) == expected
        assert seen == [expected]
        assert await chat.host.sessions.state(ADA, other.id) == {"user:name": "Ada", "app:brand": None}
        assert (await chat.host.sessions.events(ADA, begun.id))[0].seq == 1, "the state is part of the commit that creates"


@pytest.mark.parametrize(
    "state",
    [{"user::x": 1}, {"é": 1}, {"k": {1, 2}}, {"k": float("nan")}, {"k": "sk-ant-api03-" + "a1B2" * 20}],
    ids=["a prefix twice", "not ASCII", "no JSON", "no number", "a secret"],
)
async def test_a_session_that_could_not_begin_so_does_not_begin(state: dict[str, Any]) -> None:
    async with harness(notepad(), ADA) as chat:
        with pytest.raises(DefinitionError):
            await chat.host.sessions.create(ADA, state=state)

        assert [session.id for session in await chat.host.sessions.list(ADA)] == [chat.session.id]


async def test_state_that_does_not_fit_creates_nothing() -> None:
    async with harness(notepad(), ADA) as chat:
        with pytest.raises(Refusal) as refusal:
            await chat.host.sessions.create(ADA, alias="full", state={f"user:k{n}": n for n in range(1001)})

        assert refusal.value.code == "limit"
        assert [session.id for session in await chat.host.sessions.list(ADA)] == [chat.session.id]
        assert await chat.host.sessions.state(ADA, chat.session.id) == {}


async def test_a_list_shows_the_own_keys_of_each_of_the_callers_sessions() -> None:
    async with harness(notepad(), ADA, callers=everybody) as chat:
        begun = await chat.host.sessions.create(ADA, state={"topic": "shoes", "user:name": "Ada"})
        foreign = await chat.host.sessions.create(BOB, state={"topic": "his"})

        mine = await chat.host.sessions.list(ADA)
        assert await chat.host.sessions.states(ADA, [*mine, foreign]) == {begun.id: {"topic": "shoes"}, chat.session.id: {}}


@pytest.mark.parametrize("seed", range(2))
async def test_a_fork_at_any_event_has_the_state_of_then(seed: int, store: str) -> None:
    """P19: initial state included; what is written to either one afterwards is its own."""
    async with harness(notepad(), ADA, store=store) as chat:
        begun = await chat.host.sessions.create(ADA, state={"list": ["first"], "n": 1})
        expected, model = {}, {"list": ["first"], "n": 1}
        for each in random_writes(seed, 30):
            if await write(chat, each, begun.id) is None and ":" not in each[1]:
                model = applied(model, each)
            expected[(await chat.host.sessions.get(ADA, begun.id)).head] = model

        for seq, state in expected.items():
            fork = await chat.host.sessions.fork(ADA, begun.id, at=seq)
            assert await own(chat, fork.id) == state, f"at {seq}"
            assert [event.seq for event in await chat.host.sessions.events(ADA, fork.id)] == [*range(1, seq + 1), seq + 1]
        await write(chat, ("set", "n", "the fork's"), fork.id)
        assert await own(chat, begun.id) == model


async def test_a_fork_goes_on_with_the_bytes_that_were_sent_before() -> None:
    script = [ToolUse("write", {"op": "set", "key": "n", "value": 1}), "Written.", "Here.", "There."]
    async with harness(notepad(context="You serve {topic?}."), ADA, script=script) as chat:
        await chat.say("Write.")
        fork = await chat.host.sessions.fork(ADA, chat.session.id)
        await say(chat, fork.id, "And here?")
        await say(chat, chat.session.id, "And there?")

        _, last, here, there = (request.raw for request in chat.provider.requests)
        assert extends(last, here)
        assert extends(last, there)
        assert chat.provider.violations == ()
        assert b"And here?" not in there


async def test_every_event_is_a_place_to_fork_at_and_to_go_on_from() -> None:
    """In the middle of a turn too: a call without its outcome is told not to have run, and the provider takes the history."""
    script = [(ToolUse("write", {"op": "increment", "key": "n", "value": 1}), ToolUse("burn", {"text": "it"})), *["Well."] * 40]
    async with harness(notepad(), ADA, script=script) as chat:
        await chat.say("Write and burn.")
        events = await chat.events()

        for event in events:
            fork = await chat.host.sessions.fork(ADA, chat.session.id, at=event.seq)
            await say(chat, fork.id)

        assert chat.provider.violations == ()
        assert len(chat.provider.requests) == 1 + len(events)


async def test_a_fork_leaves_proposals_and_scratch_with_the_old_session() -> None:
    seen: list[Any] = []
    async with harness(notepad(seen), ADA, script=[ToolUse("burn", {"text": "it"}), "Burnt."]) as chat:
        await chat.host.call(ADA, "note", {"text": "here"}, session=chat.session.id)
        await chat.say("Burn it.")
        fork = await chat.host.sessions.fork(ADA, chat.session.id)

        assert await chat.host.proposals.list(ADA, session=fork.id) == []
        assert await chat.host.scratch.list("acme", session=fork.id) == ()
        await chat.confirm()
        assert seen == ["it"]


async def test_a_fork_has_its_own_alias_and_a_title() -> None:
    async with harness(notepad(), ADA, script=["Hello."]) as chat:
        await chat.say("A title")
        fork = await chat.host.sessions.fork(ADA, chat.session.id, alias="thread-2")
        named = await chat.host.sessions.fork(ADA, chat.session.id, title="Another way")

        assert (fork.alias, fork.title) == ("thread-2", "A title")
        assert (named.alias, named.title) == (None, "Another way")
        with pytest.raises(Refusal) as refusal:
            await chat.host.sessions.fork(ADA, chat.session.id, alias="thread-2")
        assert refusal.value.code == "conflict"


@pytest.mark.parametrize("seq", [0, -1, 99, True, "1", 1.0, None], ids=repr)
async def test_only_an_event_of_the_session_is_a_place(seq: Any) -> None:
    async with harness(notepad(), ADA) as chat:
        for work in (chat.host.sessions.rewind(ADA, chat.session.id, seq), chat.host.sessions.happened(ADA, chat.session.id, after=seq)):
            with pytest.raises(Refusal) as refusal:
                await work
            assert refusal.value.code == "invalid"
        if seq is not None:
            with pytest.raises(Refusal):
                await chat.host.sessions.fork(ADA, chat.session.id, at=seq)


async def test_what_is_not_the_callers_own_is_not_found() -> None:
    async with harness(notepad(), ADA, callers=everybody) as chat:
        sessions, mine = chat.host.sessions, chat.session.id
        for caller in (BOB, EVE, ADA_ELSEWHERE):
            for work in (
                sessions.state(caller, mine),
                sessions.fork(caller, mine),
                sessions.rewind(caller, mine, 1),
                sessions.happened(caller, mine, after=1),
                sessions.state(ADA, "s_unknown"),
                sessions.fork(ADA, "\x00"),
            ):
                with pytest.raises(Refusal) as refusal:
                    await work
                assert refusal.value.code == "not_found"
            assert not await sessions.list(caller)
