"""Calls beside calls: reads stay as they were read, guards find what has moved, and neither clocks nor batching decide what is kept.

On every store. Promises P3, P4 and P5; case B013.
"""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Call
from handgriff.core.outcome import Outcome
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import ABSENT
from tests.interaction.desk import ADA, outcomes
from tests.interaction.slate import Slate, Work, get, put
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def at_once(slate: Slate, chat: Harness, *works: Work) -> list[Outcome]:
    """What becomes of calls that all have read before any of them is stored."""
    waiting, go = 0, anyio.Event()
    found: dict[int, Outcome] = {}

    def held(work: Work) -> Work:
        async def do(call: Call) -> object:
            nonlocal waiting
            done = await work(call)
            waiting += 1
            if waiting == len(works):
                go.set()
            await go.wait()
            return done

        return do

    async def ask(place: int, work: Work) -> None:
        found[place] = await slate.call(chat, "keep", held(work))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for place, work in enumerate(works):
                tasks.start_soon(ask, place, work)
    return [found[place] for place in range(len(works))]


async def test_what_a_call_has_read_stays_whatever_is_committed_beside_it(store: str) -> None:
    slate = Slate()

    async def reading(call: Call) -> list[Any]:
        first = [await call.state.get("k"), await call.state.get("user:k", "absent")]
        await slate.call(chat, "write", put("k", 2))
        await slate.call(chat, "write", put("user:k", 2))
        return [first, await get("k", "user:k")(call), {key: (await call.state.all())[key] for key in ("k",)}]

    async with slate.chat(store) as chat:
        await slate.call(chat, "write", put("k", 1))

        assert await slate.read(chat, reading) == [[1, "absent"], [1, "absent"], {"k": 1}]
        assert await slate.read(chat, get("k", "user:k")) == [2, 2]


async def test_a_call_sees_its_own_operations_on_top_of_what_it_read(store: str) -> None:
    slate = Slate()

    async def work(call: Call) -> list[Any]:
        state = call.state
        seen: list[Any] = [await state.increment("n", 2), await state.increment("n")]
        await state.append("items", "a")
        await state.add("items", "a")
        await state.add("items", "b")
        seen.append(await state.get("items"))
        seen.append(await state.pop("items"))
        await state.remove("items", "a")
        seen.append(await state.get("items"))
        await state.merge("o", {"a": 1, "b": {"c": 2}})
        await state.merge("o", {"b": {"c": None, "d": 3}})
        await state.compare_and_set("fresh", ABSENT, 1)
        seen.append(await state.all())
        return seen

    async with slate.chat(store) as chat:
        await slate.call(chat, "write", put("n", 4))
        await slate.call(chat, "write", work)

        stored = {"n": 7, "items": [], "o": {"a": 1, "b": {"d": 3}}, "fresh": 1}
        assert slate.seen.pop() == [6, 7, ["a", "b"], "b", [], stored]
        assert await chat.host.sessions.state(ADA, chat.session.id) == stored


@pytest.mark.parametrize("stays", [True, False], ids=["guarded", "blind"])
async def test_of_two_that_read_each_others_key_one_fails_where_both_are_compared(store: str, stays: bool) -> None:
    """Write skew: each may leave because the other stays. Who names what it read is told that it has moved; who does not is not."""
    slate = Slate()

    def leave(mine: str, other: str) -> Work:
        async def work(call: Call) -> None:
            assert await call.state.get(other) is True
            if stays:
                await call.state.compare_and_set(other, True, True)
            await call.state.compare_and_set(mine, True, False)

        return work

    async with slate.chat(store) as chat:
        for key in ("ada", "bob"):
            await slate.call(chat, "write", put(key, True))
        ended = await at_once(slate, chat, leave("ada", "bob"), leave("bob", "ada"))

        on_call = (await slate.read(chat, get("ada", "bob"))).count(True)
        assert sorted(str(outcome.code) for outcome in ended) == (["None", "conflict"] if stays else ["None", "None"])
        assert on_call == (1 if stays else 0)


async def test_of_many_that_compare_one_key_one_is_stored_and_the_others_can_be_repeated(store: str) -> None:
    """B013: a typed conflict, and the value is the winner's."""
    slate = Slate()

    def take(name: str) -> Work:
        return lambda call: call.state.compare_and_set("owner", ABSENT, name)

    async with slate.chat(store) as chat:
        ended = await at_once(slate, chat, *map(take, "abcdef"))
        (winner,) = [name for name, outcome in zip("abcdef", ended, strict=True) if outcome.is_ok]

        assert [outcome.code for outcome in ended].count("conflict") == 5
        assert {outcome.next for outcome in ended} == {None, "Call it again, with what holds now."}
        assert await slate.read(chat, get("owner")) == [winner]
        again = await slate.call(chat, "keep", lambda call: call.state.compare_and_set("owner", winner, "again"))
        assert again.is_ok


async def test_a_value_that_went_and_came_back_is_not_the_one_that_was_read(store: str) -> None:
    """P9: versions count, also over a deletion, so an older compare-and-set finds out."""
    slate = Slate()

    async def work(call: Call) -> None:
        await call.state.get("k")
        await slate.call(chat, "write", lambda other: other.state.delete("k"))
        await slate.call(chat, "write", put("k", "same"))
        await call.state.compare_and_set("k", "same", "mine")

    async with slate.chat(store) as chat:
        await slate.call(chat, "write", put("k", "same"))

        assert (await slate.call(chat, "keep", work)).code == "conflict"
        assert await slate.read(chat, get("k")) == ["same"]


@pytest.mark.parametrize("seconds", [0.0, -3600.0, 3600.0, -86_400.0 * 400], ids=str)
async def test_a_stale_writer_is_found_whatever_the_clock_says(store: str, seconds: float) -> None:
    """P5, B013: with equal timestamps, an hour back, an hour on. Events are ordered by seq, which has no gap."""
    slate, clock = Slate(), StillClock()

    async def stale(call: Call) -> None:
        n = await call.state.get("n")
        clock.move(seconds)
        await slate.call(chat, "keep", put("n", 5))
        await call.state.compare_and_set("n", n, n + 1)

    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", put("n", 1))

        assert (await slate.call(chat, "keep", stale)).code == "conflict"
        assert await slate.read(chat, get("n")) == [5]
        events = await chat.events()
        assert [event.seq for event in events] == [1, 2, 3, 4, 5]
        assert [outcome.code for outcome in await outcomes(chat)] == [None, None, "conflict", None]


async def test_fifty_calls_at_one_moment_are_fifty_calls(store: str) -> None:
    """B013: a clock that stands still is no reason for a conflict."""
    slate = Slate()
    async with slate.chat(store, clock=StillClock()) as chat:
        ended = [await slate.call(chat, "keep", lambda call: call.state.increment("n")) for _ in range(50)]

        assert [outcome.code for outcome in ended] == [None] * 50
        assert await slate.read(chat, get("n")) == [50]


COMMUTING: Sequence[Work] = (
    lambda call: call.state.increment("n", 1),
    lambda call: call.state.increment("n", 10),
    lambda call: call.state.merge("o", {"a": 1}),
    lambda call: call.state.remove("items", "x"),
)
ORDERED: Sequence[Work] = (
    put("k", 1),
    lambda call: call.state.append("items", "a"),
    put("k", 2),
    lambda call: call.state.append("items", "b"),
)
BEGINNING = {"n": 100, "items": ["x", "y"], "o": {"b": 2}}


async def test_operations_that_commute_end_equal_in_every_order(store: str) -> None:
    """P4: all orders of four calls, one after the other, and all at once."""
    slate = Slate()
    ends = []
    async with slate.chat(store) as chat:
        for works in permutations(COMMUTING):
            session = (await chat.host.sessions.create(ADA, state=BEGINNING)).id
            for work in works:
                assert (await slate.call(chat, "keep", work, session=session)).is_ok
            ends.append(await chat.host.sessions.state(ADA, session))
        together = chat.session.id
        await chat.host.state.set("acme", together, "n", 100, by="test")
        await chat.host.state.set("acme", together, "items", ["x", "y"], by="test")
        await chat.host.state.set("acme", together, "o", {"b": 2}, by="test")
        await at_once(slate, chat, *COMMUTING)
        ends.append(await chat.host.sessions.state(ADA, together))

    assert ends == [{"n": 111, "items": ["y"], "o": {"b": 2, "a": 1}}] * 25


@pytest.mark.parametrize("rounds", [(4,), (1, 1, 1, 1), (2, 2), (1, 3), (3, 1), (1, 2, 1)], ids=str)
async def test_how_the_model_batches_its_calls_makes_no_difference(store: str, rounds: tuple[int, ...]) -> None:
    """P4: the later set in call order wins and lists are in call order, in one round as in four."""
    slate = Slate(works=list(ORDERED))
    script: list[object] = [tuple(ToolUse("keep", {}) for _ in range(count)) for count in rounds]
    async with slate.chat(store, script=[*script, "Done."]) as chat:
        told = await chat.say("Go.")

        assert [outcome.code for outcome in told.outcomes] == [None] * 4
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"k": 2, "items": ["a", "b"]}


async def test_reads_of_one_round_wait_for_the_writes_before_them(store: str) -> None:
    """Order of the calls is the order of what they see, though reads run side by side."""
    slate = Slate(
        works=[get("n"), lambda call: call.state.increment("n"), get("n"), get("n"), lambda call: call.state.increment("n"), get("n")]
    )
    calls = tuple(ToolUse(name, {}) for name in ("look", "keep", "look", "look", "keep", "look"))
    async with slate.chat(store, script=[calls, "Done."]) as chat:
        await chat.say("Go.")

        assert slate.seen == [["absent"], 1, [1], [1], 2, [2]]
