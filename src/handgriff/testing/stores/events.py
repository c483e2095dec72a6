"""What every store must do with events: a seq it assigns, each id once."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace
from datetime import timedelta, timezone

import anyio
import pytest

from handgriff.core.batch import AppendEvent
from handgriff.core.events import (
    AssistantMessage,
    Body,
    CallOutcome,
    Decision,
    Event,
    OperatorChange,
    ParkedCall,
    PartialMessage,
    RequestedCall,
    SessionCreated,
    Shown,
    ShownChange,
    TextPart,
    TurnEnded,
    UserMessage,
    Written,
)
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import SESSION, START, TENANT, at, create, put, say

BODIES: tuple[Body, ...] = (
    SessionCreated("ada"),
    UserMessage((TextPart("Grüße 👋\x00\n"), TextPart("")), ("{}", '{"a": 1}')),
    AssistantMessage("r1", "Done.", "tools", ("w",), (RequestedCall("c1", "wire1", "shop.list_orders", '{"a":'),)),
    PartialMessage("r2", "Do", ("w",)),
    CallOutcome(
        "c1", "shop.list_orders", "effect", Shown("2 orders", "/o", "Orders", (ShownChange("a", None, "b"),)), "d1", code="conflict"
    ),
    Decision("p1", "c1", "declined", by="ada"),
    OperatorChange("effect k1 resolved as done", "root"),
    TurnEnded("waiting", parked=(ParkedCall("p1", "c1", "shop.cancel_order", "Cancel?", at(600)),), cost_pico=7),
)
"""One body of each kind."""


class EventSuite:
    """Appending and reading."""

    async def test_seqs_count_from_one_in_their_session(self, store: Store) -> None:
        done = await store.commit((create("s1"), create("s2"), say("a"), say("b", session="s2"), say("c")))

        assert done.seqs == (1, 1, 2)
        assert (await store.commit((say("d"),))).seqs == (3,)
        assert await store.session(TENANT, "s1") == replace(SESSION, head=3, active_at=START)

    async def test_every_kind_of_body_is_read_back_as_it_was(self, store: Store) -> None:
        turns = ("t1", None)
        written = [Written(f"e{n}", turns[n % 2], at(n), body) for n, body in enumerate(BODIES)]
        await store.commit((create(), *(AppendEvent(TENANT, "s1", event) for event in written)))

        expected = [Event(n + 1, event.id, event.turn, event.at, event.body) for n, event in enumerate(written)]
        assert list(await store.events(TENANT, "s1")) == expected

    async def test_the_order_is_the_seqs_whatever_the_clock_says(self, store: Store) -> None:
        """B013: fifty appends under a clock that stands still or goes back are fifty successes, in order."""
        await store.commit((create(),))

        for n in range(50):
            moment = START - timedelta(hours=n // 25)
            await store.commit((AppendEvent(TENANT, "s1", Written(f"e{n}", "t1", moment, SessionCreated(str(n)))),))

        assert [(event.seq, event.id) for event in await store.events(TENANT, "s1")] == [(n + 1, f"e{n}") for n in range(50)]

    async def test_a_time_is_the_same_moment_to_the_microsecond(self, store: Store) -> None:
        moment = START.astimezone(timezone(timedelta(hours=5, minutes=45)))
        await store.commit((create(), AppendEvent(TENANT, "s1", Written("e1", None, moment, SessionCreated("ada")))))

        (event,) = await store.events(TENANT, "s1")
        assert event.at == START
        assert event.at.utcoffset() is not None

    async def test_a_window_of_events(self, store: Store) -> None:
        await store.commit((create(), *(say(f"e{n}") for n in range(1, 6))))

        assert [event.seq for event in await store.events(TENANT, "s1", after=2)] == [3, 4, 5]
        assert [event.seq for event in await store.events(TENANT, "s1", after=1, limit=2)] == [2, 3]
        assert list(await store.events(TENANT, "s1", after=5)) == []
        assert list(await store.events(TENANT, "s2")) == []

    async def test_the_same_event_is_stored_once_and_answers_the_same(self, store: Store) -> None:
        await store.commit((create(), say("e1"), say("e2")))

        assert (await store.commit((say("e1"), say("e3"), say("e3"), say("e2")))).seqs == (1, 3, 3, 2)
        assert [event.id for event in await store.events(TENANT, "s1")] == ["e1", "e2", "e3"]

    async def test_an_id_with_another_body_is_refused(self, store: Store) -> None:
        await store.commit((create(), say("e1", "one")))

        for batch in ((say("e2"), say("e1", "two")), (say("e2", "one"), put("k", "1"), say("e2", "two"))):
            with pytest.raises(CommitRefused) as refused:
                await store.commit(batch)
            assert refused.value.guard == "event"
            assert refused.value.subject == batch[-1].event.id

        assert [event.id for event in await store.events(TENANT, "s1")] == ["e1"]
        assert (await store.commit((say("e4"),))).seqs == (2,)

    async def test_an_id_is_free_in_every_other_session(self, store: Store) -> None:
        await store.commit((create("s1"), create("s2"), create("s1", tenant="globex")))

        await store.commit((say("e1", "one"), say("e1", "two", session="s2"), say("e1", "three", tenant="globex")))

        (event,) = await store.events("globex", "s1")
        assert event.body == UserMessage((TextPart("three"),), ("three",))

    async def test_an_event_sent_by_sixteen_tasks_is_stored_once(self, store: Store) -> None:
        await store.commit((create(), say("e0")))
        seqs: list[int] = []

        async def deliver(number: int) -> None:
            seqs.extend((await store.commit((say("e1"),), durable=number % 4 == 0)).seqs)

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(deliver, number)

        assert seqs == [2] * 16
        assert [event.id for event in await store.events(TENANT, "s1")] == ["e0", "e1"]

    async def test_an_unknown_session_has_no_events(self, store: Store) -> None:
        with pytest.raises(CommitRefused) as refused:
            await store.commit((say("e1"),))
        assert (refused.value.guard, refused.value.subject) == ("session", "s1")
