"""What every store must do with a delta: apply it with its event once, in its order, whole or not at all, and give it back as written."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace
from datetime import timedelta, timezone

import anyio

from handgriff.core.batch import AppendEvent, StateChange
from handgriff.core.delta import Add, Append, Clear, Delete, Delta, Expect, Increment, Merge, Remove, Renew, Set, replayed
from handgriff.core.events import OperatorChange, Written
from handgriff.ports.store import Store
from handgriff.testing.samples import START, TENANT, USER, at, change, create, put, renew, say
from handgriff.testing.stores.answers import notes, refusal, texts, versions

EVERY_KIND: Delta = (
    Expect("session", "never", None),
    Renew("notes", START, at(60)),
    Set("session", "set", '{"b":"\\u0000👋","a":1e+22}'),
    Set("app", "set", "null"),
    Delete("user", "gone"),
    Increment("user", "count", -(2**70)),
    Append("session", "list", '"x"'),
    Add("session", "list", '"y"'),
    Remove("session", "list", '"x"'),
    Merge("session", "object", '{"a":null,"b":[1]}'),
    Set("scratch", "k", "1", "notes"),
    Expect("scratch", "k", None, "notes"),
    Clear("other"),
)


class DeltaSuite:
    """A delta and its event are one."""

    async def test_the_delta_of_an_event_comes_back_as_it_was_written(self, store: Store) -> None:
        await store.commit((create(), say("e0"), change(*EVERY_KIND, event="e1"), say("e2"), change(event="e3")))

        assert [event.delta for event in await store.events(TENANT, "s1")] == [(), EVERY_KIND, (), ()]
        assert [event.delta for event in await store.events(TENANT, "s1", after=1, limit=1)] == [EVERY_KIND]

    async def test_moments_of_a_delta_are_kept_to_the_microsecond(self, store: Store) -> None:
        zone = timezone(timedelta(hours=5, minutes=45))
        delta: Delta = (Renew("notes", START.astimezone(zone), at(60.000_001).astimezone(zone)), Set("scratch", "k", "1", "notes"))
        await store.commit((create(), change(*delta)))

        ((_, written),) = [(event.id, event.delta) for event in await store.events(TENANT, "s1")]
        assert written == delta
        record = await store.record(TENANT, "s1", "notes", now=START)
        assert record is not None
        assert record.expires_at == at(60.000_001)
        assert record.expires_at.utcoffset() is not None

    async def test_the_same_event_again_applies_nothing_and_answers_its_seq(self, store: Store) -> None:
        """P7."""
        delta = (Increment("session", "n", 1), Append("user", "list", "1"), renew(), Increment("scratch", "n", 1, "notes"))
        await store.commit((create(), say("e0")))

        for durable in (False, True):
            assert (await store.commit((change(*delta, event="e1"), change(*delta, event="e1")), durable=durable)).seqs == (2, 2)

        assert (await store.commit((say("e2"),))).seqs == (3,)
        assert await texts(store) == await notes(store) == {"n": "1"}
        assert await texts(store, "user") == {"list": "[1]"}

    async def test_the_same_event_is_not_judged_again(self, store: Store) -> None:
        """P7: a delivery that was answered is answered again, whatever became of the keys."""
        once = change(Expect("session", "k", None), Set("session", "k", "1"), event="e1")
        await store.commit((create(), once, put("k", '"text"')))

        assert (await store.commit((once,))).seqs == (1,)
        assert await versions(store) == {"k": 2}

    async def test_an_event_delivered_by_sixteen_tasks_is_applied_once(self, store: Store) -> None:
        """P7."""
        await store.commit((create(),))
        seqs: list[int] = []

        async def deliver(number: int) -> None:
            event = change(Increment("session", "n", 1), Increment("user", "n", 1), event="e1")
            seqs.extend((await store.commit((event,), durable=number % 4 == 0)).seqs)

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(deliver, number)

        assert seqs == [1] * 16
        assert await texts(store) == await texts(store, "user") == {"n": "1"}
        assert await versions(store) == {"n": 1}

    async def test_an_id_with_another_body_or_delta_is_refused(self, store: Store) -> None:
        """P7."""
        first = change(Set("session", "a", "1"), Set("session", "b", "2"), event="e1")
        await store.commit((create(), first, say("e2")))
        other_body = replace(first, event=replace(first.event, body=OperatorChange("state", "somebody else")))

        for other in (
            other_body,
            replace(first, change=None),
            change(event="e1"),
            change(Set("session", "a", "1"), event="e1"),
            change(Set("session", "a", "1"), Set("session", "b", "3"), event="e1"),
            change(Set("session", "b", "2"), Set("session", "a", "1"), event="e1"),
            change(Set("user", "a", "1"), Set("session", "b", "2"), event="e1"),
            replace(say("e2"), change=StateChange(USER, (Set("session", "a", "3"),))),
        ):
            assert await refusal(store, say("e3"), put("c", "1"), other) == ("event", other.event.id)

        assert await texts(store) == {"a": "1", "b": "2"}
        assert [event.id for event in await store.events(TENANT, "s1")] == ["e1", "e2"]

    async def test_an_empty_delta_is_none(self, store: Store) -> None:
        await store.commit((create(), change(event="e1")))

        assert (await store.commit((replace(change(event="e1"), change=None),))).seqs == (1,)

    async def test_operations_on_one_key_apply_in_their_order(self, store: Store) -> None:
        delta = (
            Set("session", "k", '"text"'),
            Delete("session", "k"),
            Increment("session", "k", 2),
            Set("session", "k", "[]"),
            Append("session", "k", "1"),
            Append("session", "k", "2"),
            Remove("session", "k", "1"),
            Set("session", "gone", "1"),
            Increment("session", "gone", 1),
            Delete("session", "gone"),
        )
        await store.commit((create(), change(*delta)))

        assert await texts(store) == {"k": "[2]"}
        assert await versions(store) == {"k": 7}
        await store.commit((put("gone", "1"),))
        assert (await versions(store))["gone"] == 4

    async def test_of_two_sets_of_one_key_the_later_wins(self, store: Store) -> None:
        await store.commit((create(), change(Set("session", "k", "1"), Set("session", "k", "2")), put("k", "3"), put("k", "4")))

        assert await texts(store) == {"k": "4"}

    async def test_a_refused_delta_leaves_neither_event_nor_seq(self, store: Store) -> None:
        await store.commit((create(), say("e1"), put("k", '"text"', "user")))
        refused = change(Set("app", "a", "1"), Set("session", "a", "1"), Increment("user", "k", 1), event="e2")

        assert await refusal(store, refused) == ("state", "k")
        assert await texts(store) == await texts(store, "app") == {}

        # The outcome stays although its delta can't be applied any more.
        assert (await store.commit((replace(refused, change=None), say("e3")))).seqs == (3, 4)
        assert await texts(store) == {}

    async def test_the_deltas_of_the_events_replay_to_what_the_session_holds(self, store: Store) -> None:
        await store.commit((create(), put("set", "[1]"), change(*EVERY_KIND), change(Delete("session", "list"), Set("session", "k", "0"))))
        await store.commit(tuple(change(Increment("session", "k", n), Add("session", "odd", str(n % 2))) for n in range(5)))

        events = await store.events(TENANT, "s1")
        assert replayed([event.delta for event in events]) == await texts(store)

    async def test_a_user_key_lives_with_the_user_of_the_change(self, store: Store) -> None:
        written = Written("e1", None, START, OperatorChange("state", "tests"))
        await store.commit((create(), AppendEvent(TENANT, "s1", written, StateChange("bob", (Set("user", "k", "1"),)))))

        assert await texts(store, "user") == {}
        assert await texts(store, "user", "bob") == {"k": "1"}
