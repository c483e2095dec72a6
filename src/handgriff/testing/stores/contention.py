"""What every store must do when many write at once: lose nothing, and keep each writer's order."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from collections.abc import Callable, Coroutine
from typing import Any

import anyio

from handgriff.core.delta import Add, Append, Increment, Remove, Set, Value
from handgriff.core.scope import Scope
from handgriff.core.state import Totals
from handgriff.ports.store import Store
from handgriff.testing.samples import TENANT, USER, at, change, create, renew
from handgriff.testing.stores.answers import notes, recount, texts

WRITERS, WRITES = 16, 20


class ContentionSuite:
    """P2: what was acknowledged never vanishes."""

    async def test_increments_of_one_session_all_count(self, store: Store) -> None:
        await store.commit((create(),))

        async def work(number: int) -> None:
            for step in range(WRITES):
                await store.commit((change(Increment("session", "n", 1)),), durable=step == number)

        await _together(work)

        assert await store.values(TENANT, "session", "s1") == {"n": Value("320", 320)}
        assert [event.seq for event in await store.events(TENANT, "s1")] == list(range(1, 321))

    async def test_increments_of_shared_keys_from_many_sessions_all_count(self, store: Store) -> None:
        async def work(number: int) -> None:
            name = f"s{number}"
            await store.commit((create(name),))
            for step in range(WRITES):
                # The order of the keys is another in every second writer: whoever locks must not wait in a circle.
                both = (Increment("user", "n", 1), Increment("app", "n", 1))
                await store.commit((change(*both[:: 1 - 2 * (number % 2)], session=name),), durable=step == number)

        await _together(work)

        assert await store.values(TENANT, "user", USER) == {"n": Value("320", 320)}
        assert await store.values(TENANT, "app", "") == {"n": Value("320", 320)}
        assert await store.totals(TENANT, "app", "") == Totals(1, 4)

    async def test_appends_lose_nothing_and_keep_each_writers_order(self, store: Store) -> None:
        async def work(number: int) -> None:
            name = f"s{number}"
            await store.commit((create(name),))
            for step in range(WRITES):
                await store.commit((change(Append("app", "list", f"[{number},{step}]"), session=name),))

        await _together(work)

        items = await _list(store, "app", "", "list")
        assert [[item for item in items if item[0] == number] for number in range(WRITERS)] == [
            [[number, step] for step in range(WRITES)] for number in range(WRITERS)
        ]

    async def test_a_set_that_many_add_to_and_remove_from_holds_what_it_should(self, store: Store) -> None:
        await store.commit((create(),))

        async def work(number: int) -> None:
            for step in range(WRITES):
                await store.commit((change(Add("session", "set", str(step)), Append("session", "list", str(number))),))
            await store.commit((change(Remove("session", "set", str(number)), Remove("session", "list", str(number))),))

        await _together(work)

        held = await _list(store, "session", "s1", "set")
        assert await _list(store, "session", "s1", "list") == []
        # Another writer that still adds may have put a number back, so only those that nobody removes are certain.
        assert set(held) >= set(range(WRITERS, WRITES))
        assert len(held) == len(set(held))

    async def test_sessions_with_shared_keys_of_their_own_lose_none(self, store: Store) -> None:
        async def work(number: int) -> None:
            name = f"s{number}"
            await store.commit((create(name),))
            for step in range(WRITES):
                writes = (Set("app", f"a{number}-{step}", str(step)), Set("user", f"u{number}-{step}", str(step)))
                await store.commit((change(*writes, session=name),))

        await _together(work)

        every = {f"{number}-{step}": str(step) for number in range(WRITERS) for step in range(WRITES)}
        assert await texts(store, "app") == {f"a{name}": text for name, text in every.items()}
        assert await texts(store, "user") == {f"u{name}": text for name, text in every.items()}
        assert await store.totals(TENANT, "app", "") == await recount(store, "app", "")

    async def test_sessions_created_together_with_shared_state_lose_none(self, store: Store) -> None:
        async def work(number: int) -> None:
            name = f"s{number}"
            writes = (Set("app", f"a{number}", "1"), Set("user", f"u{number}", "1"), Set("session", "own", str(number)))
            await store.commit((create(name), change(*writes, Increment("app", "sessions", 1), session=name)), durable=number % 2 == 0)

        await _together(work)

        assert await texts(store, "app") == {"sessions": "16", **{f"a{number}": "1" for number in range(WRITERS)}}
        assert await texts(store, "user") == {f"u{number}": "1" for number in range(WRITERS)}
        assert {await _own(store, f"s{number}") for number in range(WRITERS)} == set(map(str, range(WRITERS)))

    async def test_notes_collected_together_are_all_there(self, store: Store) -> None:
        await store.commit((create(),))

        async def work(number: int) -> None:
            for step in range(WRITES):
                await store.commit((change(renew(until=60 + number), Increment("scratch", "n", 1, "notes")),), durable=step == number)

        await _together(work)

        assert await notes(store) == {"n": "320"}
        record = await store.record(TENANT, "s1", "notes", now=at(0))
        assert record is not None
        assert record.expires_at == at(75)


async def _together(work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(WRITERS):
            tasks.start_soon(work, number)


async def _list(store: Store, scope: Scope, owner: str, key: str) -> list[Any]:
    items = (await store.values(TENANT, scope, owner))[key].json()
    assert isinstance(items, list)
    return items


async def _own(store: Store, session: str) -> str:
    return (await texts(store, "session", session))["own"]
