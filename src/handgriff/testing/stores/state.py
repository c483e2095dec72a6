"""What every store must do with state: values by scope, versions that only count up."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import anyio
import pytest

from handgriff.core.batch import AppendEvent
from handgriff.core.delta import Delete, Set, Value
from handgriff.core.scope import Scope
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import TENANT, USER, change, create, put, say


class StateSuite:
    """Setting, deleting, reading."""

    async def test_a_version_counts_the_writes_of_its_key(self, store: Store) -> None:
        await store.commit((create(), put("a", "1"), put("b", "2"), put("a", "3")))

        assert await store.values(TENANT, "session", "s1") == {"a": Value("3", 2), "b": Value("2", 1)}

    async def test_a_deleted_key_is_absent_and_its_version_goes_on(self, store: Store) -> None:
        await store.commit((create(), put("a", "1"), _remove("a")))
        assert await store.values(TENANT, "session", "s1") == {}
        assert await store.values(TENANT, "session", "s1", ["a"]) == {}

        await store.commit((_remove("a"), _remove("never"), put("a", "2"), put("never", "1")))
        assert await store.values(TENANT, "session", "s1") == {"a": Value("2", 3), "never": Value("1", 1)}

    async def test_null_is_a_value_and_absence_is_not(self, store: Store) -> None:
        await store.commit((create(), put("a", "null")))

        assert (await store.values(TENANT, "session", "s1", ["a", "b"])) == {"a": Value("null", 1)}

    async def test_operations_of_a_delta_apply_in_order(self, store: Store) -> None:
        delta = (Set("session", "a", "1"), Delete("session", "a"), Set("session", "b", "1"), Set("session", "b", "2"))
        await store.commit((create(), change(*delta)))

        assert await store.values(TENANT, "session", "s1") == {"b": Value("2", 2)}

    async def test_only_the_keys_asked_for_are_read(self, store: Store) -> None:
        await store.commit((create(), *(put(key, f'"{key}"') for key in "abcd")))

        assert (await store.values(TENANT, "session", "s1", ["d", "b", "d", "x"])).keys() == {"b", "d"}
        assert await store.values(TENANT, "session", "s1", []) == {}
        assert await store.values(TENANT, "session", "s1", "abcd") == await store.values(TENANT, "session", "s1")

    async def test_a_scope_is_shared_by_whom_it_says(self, store: Store) -> None:
        await store.commit((create("s1"), create("s2", user="bob"), create("s1", tenant="globex")))
        scopes: tuple[Scope, ...] = ("app", "user", "session")
        for scope in scopes:
            await store.commit((put("k", f'"{scope} of ada"', scope),))

        assert (await store.values(TENANT, "app", ""))["k"].text == '"app of ada"'
        assert (await store.values(TENANT, "user", USER))["k"].text == '"user of ada"'
        assert (await store.values(TENANT, "session", "s1"))["k"].text == '"session of ada"'
        assert await store.values(TENANT, "user", "bob") == {}
        assert await store.values(TENANT, "session", "s2") == {}
        for scope, name in zip(scopes, ("", USER, "s1"), strict=True):
            assert await store.values("globex", scope, name) == {}

    async def test_equal_names_in_two_scopes_are_two_places(self, store: Store) -> None:
        await store.commit((create("x", user="x"), put("k", "1", "session", session="x"), put("k", "2", "user", session="x", user="x")))

        assert await store.values(TENANT, "session", "x") == {"k": Value("1", 1)}
        assert await store.values(TENANT, "user", "x") == {"k": Value("2", 1)}
        assert await store.values(TENANT, "app", "x") == {}

    async def test_what_was_read_does_not_change_the_store(self, store: Store) -> None:
        await store.commit((create(), put("a", "[1]")))

        read = await store.values(TENANT, "session", "s1")
        value = read["a"].json()
        assert isinstance(value, list)
        value.append(2)
        read.clear()

        assert await store.values(TENANT, "session", "s1") == {"a": Value("[1]", 1)}

    async def test_an_unknown_session_has_no_state(self, store: Store) -> None:
        for scope in ("app", "user", "session"):
            with pytest.raises(CommitRefused) as refused:
                await store.commit((put("k", "1", scope),))
            assert (refused.value.guard, refused.value.subject) == ("session", "s1")
        assert await store.values(TENANT, "app", "") == {}

    async def test_sixteen_sessions_write_shared_scopes_and_lose_nothing(self, store: Store) -> None:
        async def work(number: int) -> None:
            name = f"s{number}"
            await store.commit((create(name), put(f"first{number}", "1", "app", session=name)))
            for step in range(5):
                batch = (
                    say(f"e{step}", session=name),
                    put(f"k{number}", str(step), "app", session=name),
                    put("hot", "1", "user", session=name),
                )
                await store.commit(batch, durable=step == number % 5)

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(work, number)

        shared = await store.values(TENANT, "app", "")
        assert shared.keys() == {f"{kind}{number}" for kind in ("first", "k") for number in range(16)}
        assert {value for key, value in shared.items() if key.startswith("k")} == {Value("4", 5)}
        assert await store.values(TENANT, "user", USER) == {"hot": Value("1", 80)}


def _remove(key: str) -> AppendEvent:
    return change(Delete("session", key))
