"""What every store must do with a guard: look at it before the delta's operations, and refuse what was read too long ago."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import anyio
import pytest

from handgriff.core.batch import AppendEvent
from handgriff.core.delta import Append, Delete, Expect, Increment, Remove, Set
from handgriff.core.scope import Scope
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import TENANT, change, create, put, renew, say
from handgriff.testing.stores.answers import notes, refusal, texts, versions


class GuardSuite:
    """`Expect`: this version, or absent."""

    @pytest.mark.parametrize("scope", ["app", "user", "session"])
    async def test_a_value_that_was_read_is_replaced_while_nobody_wrote_it(self, store: Store, scope: Scope) -> None:
        await store.commit((create(), put("k", "1", scope), put("k", "2", scope)))

        for version in (0, 1, 3, None):
            assert await refusal(store, say("e1"), _swap("3", version, scope)) == ("state", "k")
        await store.commit((_swap("3", 2, scope),))

        assert await texts(store, scope) == {"k": "3"}
        assert await refusal(store, _swap("4", 2, scope)) == ("state", "k")

    async def test_a_key_that_was_absent_is_made_once(self, store: Store) -> None:
        await store.commit((create(),))
        for version in (0, 1):
            assert await refusal(store, _swap("1", version)) == ("state", "k")

        await store.commit((_swap("1", None),))

        assert await refusal(store, _swap("2", None)) == ("state", "k")
        assert await texts(store) == {"k": "1"}

    async def test_null_is_not_absent(self, store: Store) -> None:
        """B012."""
        await store.commit((create(), put("k", "null")))

        assert await refusal(store, _swap("1", None)) == ("state", "k")
        await store.commit((_swap("1", 1),))

    async def test_a_value_that_went_and_came_back_does_not_fit_what_was_read_before(self, store: Store) -> None:
        """P9: a deleted key goes on counting, so no old guard brings it back."""
        await store.commit((create(), put("k", "1"), change(Delete("session", "k"))))
        for old in (0, 1, 2):
            assert await refusal(store, _swap("9", old)) == ("state", "k")

        await store.commit((put("k", "1"),))
        for older in (1, 2, None):
            assert await refusal(store, _swap("9", older)) == ("state", "k")
        await store.commit((change(Delete("session", "k")), _swap("2", None)))

        assert await versions(store) == {"k": 5}

    async def test_guards_are_looked_at_before_the_operations_of_their_delta(self, store: Store) -> None:
        await store.commit((create(), put("k", "1")))

        for first in (Set("session", "k", "2"), Delete("session", "k")):
            await store.commit((change(first, Expect("session", "k", (await versions(store))["k"]), Set("session", "k", "[1]")),))
        for first in (Delete("session", "k"), Set("session", "k", "2")):
            assert await refusal(store, change(first, Expect("session", "k", None))) == ("state", "k")
        await store.commit((change(Set("session", "new", "1"), Expect("session", "new", None), Increment("session", "new", 1)),))

        assert await texts(store) == {"k": "[1]", "new": "2"}

    async def test_a_guard_sees_what_its_batch_wrote_before(self, store: Store) -> None:
        await store.commit((create(), put("k", "1"), _swap("2", 1), _swap("3", 2)))

        assert await refusal(store, put("k", "4"), _swap("5", 3)) == ("state", "k")
        assert await texts(store) == {"k": "3"}

    async def test_a_guard_alone_changes_nothing_and_fits_what_found_nothing_to_do(self, store: Store) -> None:
        await store.commit((create(), put("k", "[1]")))

        await store.commit((change(Expect("session", "k", 1), Expect("session", "never", None)), change(Remove("session", "k", "2"))))
        await store.commit((change(Expect("session", "k", 1), Append("session", "k", "2")),))

        assert await texts(store) == {"k": "[1,2]"}
        assert await refusal(store, change(Expect("session", "k", 1))) == ("state", "k")

    async def test_one_guard_that_fails_refuses_all_scopes_of_the_delta(self, store: Store) -> None:
        await store.commit((create(), put("k", "1", "user")))
        writes = (Set("app", "a", "1"), Set("session", "s", "1"), Set("user", "k", "2"), Set("scratch", "n", "1", "notes"))

        for guard in (Expect("user", "k", 2), Expect("app", "k", 1), Expect("session", "k", 1), Expect("scratch", "k", 1, "notes")):
            assert await refusal(store, change(*writes, renew(), guard)) == ("state", "k")

        assert await texts(store, "app") == await texts(store) == {}
        assert await texts(store, "user") == {"k": "1"}
        assert await notes(store) is None

    async def test_of_sixteen_that_read_one_version_one_writes(self, store: Store) -> None:
        await store.commit((create(), put("k", "0")))
        written: list[str] = []

        async def contend(number: int) -> None:
            try:
                await store.commit((_swap(str(number), 1),), durable=number % 2 == 0)
            except CommitRefused:
                return
            written.append(str(number))

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(contend, number)

        assert [(await store.values(TENANT, "session", "s1"))["k"].text] == written


def _swap(value: str, version: int | None, scope: Scope = "session") -> AppendEvent:
    return change(Expect(scope, "k", version), Set(scope, "k", value))
