"""What every store must do with one operation on one value: what it makes of it, and where it refuses."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from collections.abc import Sequence
from dataclasses import replace

import pytest

from handgriff.core.delta import Add, Append, Change, Delete, Increment, Merge, Remove, Set
from handgriff.core.scope import Scope
from handgriff.ports.store import Store
from handgriff.testing.samples import change, create, put, renew, say
from handgriff.testing.stores.answers import notes, refusal, texts, versions
from handgriff.testing.stores.cases import DIFFERENT, EQUAL, FITTING, UNFITTING


class OperationSuite:
    """Set, delete, increment, append, add, remove, merge."""

    @pytest.mark.parametrize("scope", ["app", "user", "session"])
    async def test_every_operation_makes_of_a_value_what_it_says(self, store: Store, scope: Scope) -> None:
        """B012: null is a value in every scope."""
        cases = {f"{number} {type(case[0]).__name__} {case[1]}": case for number, case in enumerate(FITTING)}
        await store.commit((create(), *(put(key, before, scope) for key, (_, before, _) in cases.items() if before is not None)))

        await store.commit((change(*(replace(operation, scope=scope, key=key) for key, (operation, _, _) in cases.items())),))

        assert await texts(store, scope) == {key: after for key, (_, _, after) in cases.items() if after is not None}

    async def test_every_operation_does_the_same_in_scratch(self, store: Store) -> None:
        cases = {f"{number} {type(case[0]).__name__}": case for number, case in enumerate(FITTING)}
        before = [Set("scratch", key, before, "notes") for key, (_, before, _) in cases.items() if before is not None]
        after = [replace(operation, scope="scratch", key=key, namespace="notes") for key, (operation, _, _) in cases.items()]

        await store.commit((create(), change(renew(), *before), change(renew(), *after)))

        assert await notes(store) == {key: text for key, (_, _, text) in cases.items() if text is not None}

    @pytest.mark.parametrize(("operation", "values"), UNFITTING, ids=[f"{kind}" for kind, _ in UNFITTING])
    async def test_an_operation_that_cannot_work_on_a_value_leaves_the_batch_unwritten(
        self, store: Store, operation: Change, values: Sequence[str]
    ) -> None:
        await store.commit((create(), *(put(f"k of {value}", value) for value in values)))
        before = await store.values("acme", "session", "s1")

        for value in values:
            unfitting = change(Set("app", "first", "1"), Set("session", "l", "1"), replace(operation, key=f"k of {value}"))
            assert await refusal(store, say("e1"), put("m", "1", "user"), unfitting, say("e2")) == ("state", f"k of {value}")

        assert await store.values("acme", "session", "s1") == before
        assert await texts(store, "app") == await texts(store, "user") == {}
        assert len(await store.events("acme", "s1")) == len(values)

    async def test_an_unfitting_note_leaves_no_record(self, store: Store) -> None:
        writes = (Set("scratch", "k", '"text"', "notes"), Increment("scratch", "k", 1, "notes"))
        await store.commit((create(),))

        assert await refusal(store, change(renew(), *writes)) == ("state", "k")
        assert await notes(store) is None

    async def test_every_write_counts_in_the_version_also_of_the_same_value(self, store: Store) -> None:
        writes: Sequence[Change] = (
            Set("session", "set", "1"),
            Increment("session", "increment", 0),
            Append("session", "append", "1"),
            Add("session", "add", "1"),
            Merge("session", "merge", '{"a":1}'),
        )
        await store.commit((create(), change(*writes)))
        assert await versions(store) == {"set": 1, "increment": 1, "append": 1, "add": 1, "merge": 1}

        await store.commit((change(*writes), change(Remove("session", "append", "1"))))
        assert await versions(store) == {"set": 2, "increment": 2, "append": 3, "add": 1, "merge": 2}

    async def test_what_finds_nothing_to_do_keeps_the_version(self, store: Store) -> None:
        await store.commit((create(), put("list", '[{"a":1,"b":2}]')))
        nothing = (
            Remove("session", "list", "9"),
            Add("session", "list", '{"b":2,"a":1}'),
            Remove("session", "never", "1"),
            Delete("session", "never"),
        )

        await store.commit((change(*nothing), change(*nothing)))
        assert await versions(store) == {"list": 1}

        await store.commit((change(Delete("session", "list"), Delete("session", "list")), put("list", "[]"), put("never", "1")))
        assert await versions(store) == {"list": 3, "never": 1}

    async def test_objects_are_equal_whatever_the_order_of_their_members(self, store: Store) -> None:
        await store.commit((create(), *(put(f"{kind} {number}", f"[0,{one}]") for number, (one, _) in enumerate(EQUAL) for kind in "ar")))

        for number, (_, other) in enumerate(EQUAL):
            await store.commit((change(Add("session", f"a {number}", other), Remove("session", f"r {number}", other)),))

        assert await texts(store) == {
            **{f"a {number}": f"[0,{one}]" for number, (one, _) in enumerate(EQUAL)},
            **{f"r {number}": "[0]" for number in range(len(EQUAL))},
        }

    async def test_values_of_another_kind_or_order_are_not_equal(self, store: Store) -> None:
        await store.commit((create(), change(*(Add("session", "set", item) for item in DIFFERENT * 2))))
        assert await texts(store) == {"set": f"[{','.join(DIFFERENT)}]"}

        for item in DIFFERENT[::2]:
            await store.commit((change(Remove("session", "set", item)),))
        assert await texts(store) == {"set": f"[{','.join(DIFFERENT[1::2])}]"}

    async def test_a_list_grows_no_deeper_than_can_be_read(self, store: Store) -> None:
        """P11: a depth bomb has the same verdict on every store."""
        deepest, deeper = f"{'[' * 63}1{']' * 63}", f"{'[' * 64}1{']' * 64}"
        await store.commit((create(), change(Append("session", "k", deepest), Add("session", "k", deepest), Set("session", "l", deeper))))

        for operation in (Append("session", "k", deeper), Add("session", "k", deeper), Append("session", "new", deeper)):
            assert await refusal(store, change(operation)) == ("state", operation.key)

        assert await texts(store) == {"k": f"[{deepest}]", "l": deeper}
        assert (await store.values("acme", "session", "s1"))["k"].json()
