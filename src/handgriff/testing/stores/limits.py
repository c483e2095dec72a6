"""What every store must do with a bound: take the last byte that fits, refuse the one after it, and let what is too much shrink."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

import pytest

from handgriff.core.batch import AppendEvent, SweepScratch
from handgriff.core.delta import Add, Append, Change, Clear, Delete, Increment, Merge, Remove, Set
from handgriff.core.scope import Scope
from handgriff.core.state import StateLimits, Totals
from handgriff.ports.store import Store
from handgriff.testing.samples import TENANT, at, change, create, put, renew
from handgriff.testing.stores.answers import notes, refusal, texts

EIGHT, TWO_KEYS = StateLimits(value_bytes=8), StateLimits(keys=2)


class LimitSuite:
    """P11: the same verdict on every store, at n and n+1."""

    @pytest.mark.parametrize("scope", ["app", "user", "session", "scratch"])
    async def test_a_value_has_so_many_bytes_and_not_one_more(self, store: Store, scope: Scope) -> None:
        await store.commit((create(),))
        fits = (
            Set(scope, "text", '"123456"'),
            Set(scope, "bytes", '"ééé"'),
            Increment(scope, "number", 99_999_999),
            Append(scope, "list", '"1234"'),
            Merge(scope, "object", '{"a":12}'),
        )
        grows = (
            Set(scope, "text", '"1234567"'),
            Set(scope, "bytes", '"éééé"'),
            Set(scope, "bytes", '"👋👋"'),
            Increment(scope, "number", 1),
            Append(scope, "list", "1"),
            Add(scope, "list", "1"),
            Merge(scope, "object", '{"a":123}'),
            Set(scope, "new", '"1234567"'),
        )

        await store.commit((_within(EIGHT, *fits),))
        for operation in grows:
            assert await refusal(store, _within(EIGHT, operation)) == ("limit", operation.key)

        held = await notes(store) if scope == "scratch" else await texts(store, scope)
        assert held == {"text": '"123456"', "bytes": '"ééé"', "number": "99999999", "list": '["1234"]', "object": '{"a":12}'}

    @pytest.mark.parametrize("scope", ["app", "user", "session", "scratch"])
    async def test_a_scope_has_so_many_keys_and_not_one_more(self, store: Store, scope: Scope) -> None:
        await store.commit((create(), _within(TWO_KEYS, Set(scope, "a", "1"), Set(scope, "b", "1"))))

        for operation in (Set(scope, "c", "1"), Increment(scope, "c", 1), Append(scope, "c", "1")):
            assert await refusal(store, _within(TWO_KEYS, operation)) == ("limit", _name(scope))
        await store.commit((_within(TWO_KEYS, Set(scope, "a", "2"), Delete(scope, "c"), Remove(scope, "c", "1")),))
        await store.commit((_within(TWO_KEYS, Set(scope, "c", "1"), Delete(scope, "b")),))

        assert await refusal(store, _within(TWO_KEYS, Set(scope, "b", "1"))) == ("limit", _name(scope))
        held = await notes(store) if scope == "scratch" else await texts(store, scope)
        assert held == {"a": "2", "c": "1"}

    @pytest.mark.parametrize("scope", ["app", "user", "session", "scratch"])
    async def test_a_scope_has_so_many_bytes_with_its_keys_and_not_one_more(self, store: Store, scope: Scope) -> None:
        # The other bound is not asked.
        twenty = StateLimits(scope_bytes=1, scratch_bytes=20) if scope == "scratch" else StateLimits(scope_bytes=20, scratch_bytes=1)
        await store.commit((create(), _within(twenty, Set(scope, "é", '"123456789"'), Set(scope, "four", '"1"'))))

        for operation in (Set(scope, "four", '"12"'), Set(scope, "n", "1"), Increment(scope, "n", 1)):
            assert await refusal(store, _within(twenty, operation)) == ("limit", _name(scope))
        await store.commit((_within(twenty, Set(scope, "four", "123"), Delete(scope, "never")),))
        await store.commit((_within(twenty, Set(scope, "five5", "123"), Delete(scope, "four"), Set(scope, "é", '"12345678"')),))

        held = await notes(store) if scope == "scratch" else await texts(store, scope)
        assert held == {"é": '"12345678"', "five5": "123"}

    async def test_a_delta_is_measured_at_its_end(self, store: Store) -> None:
        await store.commit(
            (create(), _within(TWO_KEYS, *(Set("session", key, "1") for key in "abcd"), *(Delete("session", key) for key in "abc")))
        )
        await store.commit((_within(EIGHT, Set("session", "d", '"123456789"'), Set("session", "d", "2")),))

        assert await texts(store) == {"d": "2"}

    async def test_every_scope_of_everyone_is_measured_by_itself(self, store: Store) -> None:
        await store.commit((create("s1"), create("s2"), create("s3", user="bob")))
        scopes: tuple[Scope, ...] = ("app", "user", "session", "scratch")
        full = [Set(scope, key, "1", _namespace(scope)) for scope in scopes for key in "ab"]

        await store.commit((change(renew(), *full, limits=TWO_KEYS),))
        await store.commit((change(renew(), *full[2:], session="s3", user="bob", limits=TWO_KEYS),))
        await store.commit((change(renew(), *full[4:], session="s2", limits=TWO_KEYS),))
        await store.commit((change(renew("more"), Set("scratch", "c", "1", "more"), limits=TWO_KEYS),))

        assert await refusal(store, change(Set("user", "c", "1"), session="s2", limits=TWO_KEYS)) == ("limit", "user")

    @pytest.mark.parametrize("scope", ["app", "user", "session", "scratch"])
    async def test_what_is_too_much_already_may_shrink_and_not_grow(self, store: Store, scope: Scope) -> None:
        await store.commit(
            (create(), _within(StateLimits(), Set(scope, "a", '"12345678901234"'), Set(scope, "b", "[1,2,3]"), Set(scope, "c", "1")))
        )
        small = StateLimits(value_bytes=8, keys=2, scope_bytes=20, scratch_bytes=20)

        for operation in (Set(scope, "d", "1"), Set(scope, "c", "12"), Increment(scope, "c", 9)):
            assert await refusal(store, _within(small, operation)) == ("limit", _name(scope))
        assert await refusal(store, _within(small, Set(scope, "a", '"123456789012345"'), Delete(scope, "b"))) == ("limit", "a")
        await store.commit((_within(small, Set(scope, "a", '"1234567890123"'), Set(scope, "c", "2")),))
        await store.commit((_within(small, Remove(scope, "b", "3")),))
        await store.commit((_within(small, Set(scope, "a", '"123456"'), Set(scope, "d", "1"), Delete(scope, "b")),))

        held = await notes(store) if scope == "scratch" else await texts(store, scope)
        assert held == {"a": '"123456"', "c": "2", "d": "1"}

    async def test_a_refused_bound_leaves_the_batch_unwritten(self, store: Store) -> None:
        await store.commit((create(),))

        writes = (Set("app", "a", "1"), Set("session", "s", "1"), *(Set("user", key, "1") for key in "abc"))
        assert await refusal(store, put("first", "1"), change(*writes, limits=TWO_KEYS)) == ("limit", "user")

        assert await texts(store) == await texts(store, "app") == await texts(store, "user") == {}
        assert list(await store.events(TENANT, "s1")) == []
        assert await store.totals(TENANT, "app", "") == Totals()

    async def test_a_record_begun_anew_is_empty_for_its_bounds(self, store: Store) -> None:
        fill = [Set("scratch", key, "1", "notes") for key in "ab"]
        await store.commit((create(), change(renew(until=1), *fill, limits=TWO_KEYS)))

        more = [Set("scratch", key, "1", "notes") for key in "cd"]
        await store.commit((change(renew(now=1, until=9), *more, limits=TWO_KEYS),))
        assert await notes(store, now=2) == {"c": "1", "d": "1"}
        await store.commit((change(renew(now=2, until=9), Clear("notes"), *fill, limits=TWO_KEYS),))
        assert await notes(store, now=2) == {"a": "1", "b": "1"}
        assert await refusal(store, change(renew(now=2, until=9), more[0], limits=TWO_KEYS)) == ("limit", "notes")
        await store.commit((SweepScratch(TENANT, at(9), 1), change(renew(now=8, until=20), *more, limits=TWO_KEYS)))
        assert await notes(store, now=10) == {"c": "1", "d": "1"}


def _within(limits: StateLimits, *changes: Change) -> AppendEvent:
    """The changes, where they are about scratch those of one record with its deadline."""
    noted = [replace(each, namespace=_namespace(each.scope)) for each in changes]
    return change(*((renew(),) if changes[0].scope == "scratch" else ()), *noted, limits=limits)


def _namespace(scope: Scope) -> str:
    return "notes" if scope == "scratch" else ""


def _name(scope: Scope) -> str:
    return _namespace(scope) or scope
