"""State as tools meet it, on every store: what a call wrote the next one reads, and what was read can't be changed by accident.

Promise P9; case B012.
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, DefinitionError
from handgriff.testing.harness import Harness
from tests.interaction.desk import ADA, BOB, read
from tests.interaction.slate import Slate, everything, get, put
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def test_what_a_call_wrote_the_next_one_reads(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "write", put("k", {"a": [1, None]}))
        assert await slate.read(chat, get("k", "other")) == [{"a": [1, None]}, "absent"]

        await slate.call(chat, "write", lambda call: call.state.delete("k"))
        assert await slate.read(chat, get("k")) == ["absent"]


async def test_session_user_and_app_keys_live_where_they_belong(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        for key in ("k", "user:k", "app:k"):
            await slate.call(chat, "share", put(key, key))
        other = (await chat.host.sessions.create(ADA)).id
        hers = (await chat.host.sessions.create(BOB)).id

        keys = get("k", "user:k", "app:k")
        assert await slate.read(chat, keys) == ["k", "user:k", "app:k"]
        assert await slate.read(chat, keys, session=other) == ["absent", "user:k", "app:k"]
        assert await slate.read(chat, keys, BOB, session=hers) == ["absent", "absent", "app:k"]


async def test_everything_is_one_mapping_whose_keys_keep_their_prefixes(store: str) -> None:
    slate = Slate()

    async def work(call: Call) -> Any:
        for key in ("k", "user:k", "app:k", "temp:k"):
            await call.state.set(key, key)
        return await call.state.all()

    async with slate.chat(store) as chat:
        await slate.call(chat, "share", work)

        stored = {"k": "k", "user:k": "user:k", "app:k": "app:k"}
        assert slate.seen == [stored | {"temp:k": "temp:k"}]
        assert await slate.read(chat, everything) == stored
        assert await chat.host.sessions.state(ADA, chat.session.id) == stored


@pytest.mark.parametrize("key", ["k", "user:k", "app:k"])
async def test_null_is_a_value_and_absence_is_not_null(store: str, key: str) -> None:
    """B012: the same answer from `get`, `in` and a template, in every scope of every store; and what was deleted is absent."""
    slate = Slate()

    async def work(call: Call) -> list[Any]:
        return [key in await call.state.all(), await call.state.get(key, "default")]

    async def filled(chat: Harness, state: dict[str, Any]) -> str:
        session = (await chat.host.sessions.create(ADA, state=state)).id
        await read(chat.host.turn(ADA, session, "Hello"))
        return str(chat.provider.requests[-1].body).partition("It is [")[2].partition("]")[0]

    async with slate.chat(store, context=f"It is [{{{key}?}}].", script=lambda _: "Hello.") as chat:
        assert await slate.read(chat, work) == [False, "default"]
        assert await filled(chat, {}) == ""

        await slate.call(chat, "share", put(key, 1))
        await slate.call(chat, "share", put(key, None))
        assert await slate.read(chat, work) == [True, None]
        assert await filled(chat, {key: None}) == "null"

        await slate.call(chat, "share", lambda call: call.state.delete(key))
        assert await slate.read(chat, work) == [False, "default"]
        assert await filled(chat, {}) == ""


MUTATIONS: dict[str, Callable[[Any], object]] = {
    "append": lambda value: value["list"].append(1),
    "extend": lambda value: value["list"].extend([1]),
    "item": lambda value: value["list"].__setitem__(0, 1),
    "slice": lambda value: value["list"].__delitem__(slice(0, 1)),
    "plus": lambda value: value["list"].__iadd__([1]),
    "sort": lambda value: value["list"].sort(),
    "pop": lambda value: value["list"].pop(),
    "member": lambda value: value.__setitem__("new", 1),
    "update": lambda value: value.update(new=1),
    "or": lambda value: value.__ior__({"new": 1}),
    "del": lambda value: value.__delitem__("list"),
    "setdefault": lambda value: value.setdefault("new", 1),
    "deep": lambda value: value["list"][0]["deep"].clear(),
}
VALUE = {"list": [{"deep": {"a": 1}}]}


@pytest.mark.parametrize("name", MUTATIONS)
async def test_changing_what_was_read_raises_at_once_and_changes_nothing(name: str) -> None:
    """Of state and of scratch; by `get` and by `all`."""
    slate = Slate()

    async def work(call: Call) -> list[str]:
        read_values = [
            await call.state.get("k"),
            (await call.state.all())["k"],
            await call.scratch("s").get("k"),
            (await call.scratch("s").all())["k"],
        ]
        mends = []
        for value in read_values:
            with pytest.raises(DefinitionError) as raised:
                MUTATIONS[name](value)
            mends.append(raised.value.mend)
        return mends

    async def write(call: Call) -> None:
        await call.state.set("k", VALUE)
        await call.scratch("s").set("k", VALUE)

    async with slate.chat() as chat:
        await slate.call(chat, "write", write)
        outcome = await slate.call(chat, "write", work)

        assert outcome.is_ok
        assert ["append" in mend for mend in slate.seen.pop()] == [True] * 4
        assert await slate.read(chat, get("k")) == [VALUE]


async def test_a_copy_of_what_was_read_can_be_changed_and_set() -> None:
    slate = Slate()

    async def work(call: Call) -> None:
        value = deepcopy(await call.state.get("k"))
        value["list"][0]["deep"]["b"] = 2
        await call.state.set("k", value)
        value["list"].clear()

    async with slate.chat() as chat:
        await slate.call(chat, "write", put("k", VALUE))
        await slate.call(chat, "write", work)

        assert await slate.read(chat, get("k")) == [{"list": [{"deep": {"a": 1, "b": 2}}]}]


async def test_what_was_given_to_a_write_may_change_afterwards() -> None:
    """The value is what it was when it was written."""
    slate = Slate()

    async def work(call: Call) -> None:
        mine = [1]
        await call.state.set("k", mine)
        mine.append(2)

    async with slate.chat() as chat:
        await slate.call(chat, "write", work)

        assert await slate.read(chat, get("k")) == [[1]]
