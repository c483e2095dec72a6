"""What may not be kept raises where it is written, before the effect runs, with the same verdict on every store. Promises P11 and P12."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, Caller, DefinitionError
from handgriff.core.state import StateLimits
from handgriff.testing.harness import Harness
from handgriff.tool import ABSENT
from tests.ids import stable
from tests.interaction.desk import ADA
from tests.interaction.slate import Slate, Work, put
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio
SMALL = StateLimits(value_bytes=100, keys=4, scope_bytes=300, delta_bytes=350, scratch_bytes=200)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


KEPT: dict[str, Any] = {
    "null": None,
    "nul in text": "a\x00b",
    "a large integer": 2**70,
    "a hundred digits": 10**100 - 1,
    "a float": 1.5e300,
    "negative zero": -0.0,
    "text beyond the basic plane": "語🎉é\u2028",
    "an empty name": {"": [{}, []]},
    "sixty-four levels": nested(64),
    "what looks like sql": "'; DROP TABLE handgriff_state; --",
    "what looks like json": '{"a": 1}',
}
REFUSED: dict[str, Any] = {
    "nan": float("nan"),
    "infinity": [float("inf")],
    "a set": {1},
    "bytes": b"x",
    "a date": datetime(2026, 1, 1, tzinfo=UTC),
    "a decimal": Decimal(1),
    "a function": len,
    "a class": Decimal,
    "an object": object(),
    "a key that is no text": {1: 2},
    "a hundred and one digits": 10**100,
    "sixty-five levels": nested(65),
    "nul in a name": {"a\x00": 1},
    "too many bytes": "é" * 32_768,
}


async def test_json_comes_back_as_it_was_given(store: str) -> None:
    """Compared as written, because 1 and True, 0.0 and -0.0 are equal in Python."""
    slate, names = Slate(), {f"k{n}": name for n, name in enumerate(KEPT)}

    async def write(call: Call) -> None:
        for key, name in names.items():
            await call.state.set(key, KEPT[name])
            await call.state.set(f"user:{key}", KEPT[name])
            await call.scratch("s").set(key, KEPT[name])

    async def look(call: Call) -> dict[str, list[str]]:
        book = call.scratch("s")
        found = {name: (await call.state.get(key), await call.state.get(f"user:{key}"), await book.get(key)) for key, name in names.items()}
        return {name: list(map(repr, values)) for name, values in found.items()}

    async with slate.chat(store) as chat:
        assert (await slate.call(chat, "keep", write)).is_ok

        assert await slate.read(chat, look) == {name: [repr(value)] * 3 for name, value in KEPT.items()}


async def test_what_is_no_json_or_too_large_is_refused_by_its_key_and_nothing_of_it_is_stored(store: str) -> None:
    """The effect that would have followed has not happened."""
    slate = Slate()
    happened = []

    def writing(value: Any) -> Work:
        async def write(call: Call) -> None:
            await call.state.set("kept", 1)
            for write_it in (call.state.set("key-9", value), call.scratch("s").set("key-9", value)):
                with pytest.raises(DefinitionError, match="'key-9'") as raised:
                    await write_it
                assert raised.value.mend
            await call.state.append("key-9", value)
            happened.append(value)

        return write

    async with slate.chat(store) as chat:
        codes = {name: (await slate.call(chat, "write", writing(value))).code for name, value in REFUSED.items()}

        assert (codes, happened) == (dict.fromkeys(REFUSED, "indeterminate"), [])
        assert await chat.host.sessions.state(ADA, chat.session.id) == {}
        assert await chat.host.scratch.list("acme") == ()


@pytest.mark.parametrize("name", REFUSED)
async def test_the_same_holds_for_values_that_come_from_outside_a_call(name: str) -> None:
    slate, value = Slate(), REFUSED[name]
    async with slate.chat() as chat:
        with pytest.raises(DefinitionError, match="key-9"):
            await chat.host.sessions.create(ADA, state={"kept": 1, "key-9": value})
        with pytest.raises(DefinitionError, match="key-9"):
            await chat.host.state.set("acme", chat.session.id, "key-9", value, by="olga")
        with pytest.raises(DefinitionError, match="key-9"):
            _ = [item async for item in chat.host.turn(ADA, chat.session.id, "Go.", temp={"key-9": value})]

        assert len(await chat.host.sessions.list(ADA)) == 1
        assert len(await chat.events()) == 1


@pytest.mark.parametrize(
    ("key", "is_one"),
    [
        ("k", True),
        ("users:x", True),
        ("a.b-c_d:e", True),
        ("x" * 256, True),
        ("user:" + "x" * 256, True),
        ("x" * 257, False),
        ("user:" + "x" * 257, False),
        ("", False),
        ("user:", False),
        ("user::x", False),
        (" user:x", False),
        ("USER:x", False),
        ("User:x", False),
        ("user:app:x", False),
        ("user:temp:x", False),
        ("é", False),
        ("a b", False),
        ("a/b", False),
        ("a\x00", False),
        ("a\n", False),
        ("k\ud800", False),
        (None, False),
        (1, False),
    ],
    ids=stable,
)
async def test_a_key_is_one_or_none_for_every_operation(key: Any, is_one: bool) -> None:
    slate = Slate()

    async def work(call: Call) -> list[bool]:
        state: Any = call.state
        tried = []
        for name, arguments in _operations(1).items():
            try:
                await getattr(state, name)(key, *arguments)
            except DefinitionError as error:
                tried.append(not is_one and "is no key" in str(error))
            else:
                tried.append(is_one)
            if is_one:
                await state.delete(key)
        return tried

    async with slate.chat() as chat:
        assert (await slate.call(chat, "write", work)).is_ok

        assert slate.seen.pop() == [True] * len(_operations(1))


def _operations(value: Any) -> dict[str, tuple[Any, ...]]:
    return {
        "get": (),
        "set": (value,),
        "delete": (),
        "increment": (1,),
        "append": (value,),
        "pop": (),
        "add": (value,),
        "remove": (value,),
        "merge": ({"a": value},),
        "compare_and_set": (ABSENT, value),
    }


def filling(count: int, size: int, scope: str = "") -> Work:
    """Write *count* keys of *size* bytes each, name and value, in one call; how many were written until one was refused."""

    async def work(call: Call) -> int:
        for n in range(count):
            name = f"k{n}"
            try:
                await call.state.set(scope + name, "x" * (size - len(name) - 2))
            except DefinitionError:
                return n
        return count

    return work


BOUNDS = {
    "keys": (4, 10, 4),
    "keys and one": (5, 10, 4),
    "below": (3, 100, 3),
    "bytes": (4, 75, 4),
    "bytes and one each": (4, 76, 3),
    "value": (1, 102, 1),
    "value and one": (1, 103, 0),
}


@pytest.mark.parametrize("scope", ["", "user:", "app:"])
async def test_each_bound_takes_what_reaches_it_and_not_a_byte_more(store: str, scope: str) -> None:
    slate = Slate()
    fitted = {}
    async with slate.chat(store, limits={"state": SMALL}) as chat:
        for number, (name, (count, size, _)) in enumerate(BOUNDS.items()):
            caller = Caller(f"tenant-{number}", "ada")
            session = (await chat.host.sessions.create(caller)).id
            assert (await slate.call(chat, "share", filling(count, size, scope), caller, session)).is_ok
            fitted[name] = (slate.seen.pop(), len(await chat.host.sessions.state(caller, session)))

    assert fitted == {name: (fit, fit) for name, (_, _, fit) in BOUNDS.items()}


async def test_a_scope_that_is_full_takes_changes_that_do_not_grow_it(store: str) -> None:
    slate = Slate()

    async def work(call: Call) -> None:
        await call.state.set("k0", "y" * 71)
        await call.state.delete("k1")
        await call.state.set("other", "x" * 68)
        with pytest.raises(DefinitionError, match="the session scope may hold 300 bytes"):
            await call.state.set("k0", "y" * 72)

    async with slate.chat(store, limits={"state": SMALL}) as chat:
        await slate.call(chat, "keep", filling(4, 75))
        assert (await slate.call(chat, "keep", work)).is_ok

        assert sorted(await chat.host.sessions.state(ADA, chat.session.id)) == ["k0", "k2", "k3", "other"]


GROWING: dict[str, Callable[[Call], Any]] = {
    "append": lambda call: call.state.append("list", "x" * 60),
    "add": lambda call: call.state.add("list", "x" * 60),
    "merge": lambda call: call.state.merge("object", {"b": "x" * 60}),
}


@pytest.mark.parametrize("name", GROWING)
async def test_what_a_value_grows_to_is_bounded_like_one_that_is_set(store: str, name: str) -> None:
    slate = Slate()

    async def work(call: Call) -> None:
        with pytest.raises(DefinitionError, match="more than 100 bytes"):
            await GROWING[name](call)

    async with slate.chat(store, limits={"state": SMALL}) as chat:
        session = (await chat.host.sessions.create(ADA, state={"list": ["y" * 60], "object": {"a": "y" * 60}})).id
        assert (await slate.call(chat, "keep", work, session=session)).is_ok

        assert await chat.host.sessions.state(ADA, session) == {"list": ["y" * 60], "object": {"a": "y" * 60}}


async def test_one_call_writes_no_more_than_a_delta_over_all_of_its_places(store: str) -> None:
    """The later operation is refused, whichever place it is for; what was overwritten in the same call does not count."""
    slate = Slate()

    async def work(call: Call) -> None:
        for _ in range(10):
            await call.state.set("k", "x" * 90)
        await call.state.set("user:k", "x" * 90)
        await call.scratch("s").set("k", "x" * 90)
        with pytest.raises(DefinitionError, match="this call writes more than 350 bytes"):
            await call.state.set("l", "x" * 90)

    async with slate.chat(store, limits={"state": SMALL}) as chat:
        assert (await slate.call(chat, "keep", work)).is_ok

        assert sorted(await chat.host.sessions.state(ADA, chat.session.id)) == ["k", "user:k"]


async def test_the_bounds_are_those_that_are_documented() -> None:
    """64 KiB a value, 1,000 keys and 1 MiB a scope, 256 KiB a delta, 64 KiB a scratch record."""
    slate = Slate()

    async def keys(chat: Harness) -> int:
        outcomes = [(await slate.call(chat, "keep", put(f"k{n}", n))).is_ok for n in range(998, 1003)]
        return outcomes.count(True)

    async with slate.chat() as chat:
        bounds = StateLimits()
        for n in range(998):
            await chat.host.state.set("acme", chat.session.id, f"k{n}", n, by="test")

        assert await keys(chat) == 2
        assert (bounds.value_bytes, bounds.keys, bounds.scope_bytes) == (64 * 1024, 1000, 1024 * 1024)
        assert (bounds.delta_bytes, bounds.scratch_bytes) == (256 * 1024, 64 * 1024)


WRONG: dict[str, tuple[Any, Callable[[Call], Any]]] = {
    "add to text": ("text", lambda call: call.state.increment("k")),
    "add to a boolean": (True, lambda call: call.state.increment("k")),
    "add to a fraction": (1.5, lambda call: call.state.increment("k")),
    "add a fraction": (1, lambda call: call.state.increment("k", 0.5)),  # type: ignore[arg-type]  # what is refused
    "add true": (1, lambda call: call.state.increment("k", True)),
    "append to text": ("text", lambda call: call.state.append("k", 1)),
    "append to null": (None, lambda call: call.state.append("k", 1)),
    "pop from an object": ({}, lambda call: call.state.pop("k")),
    "remove from a number": (1, lambda call: call.state.remove("k", 1)),
    "merge into a list": ([], lambda call: call.state.merge("k", {})),
    "merge a list": ({}, lambda call: call.state.merge("k", [])),  # type: ignore[arg-type]  # what is refused
}


async def test_an_operation_on_a_value_of_another_kind_is_refused_where_it_is_written(store: str) -> None:
    slate = Slate()

    def trying(name: str) -> Work:
        async def work(call: Call) -> None:
            with pytest.raises(DefinitionError, match="'k'"):
                await WRONG[name][1](call)

        return work

    async with slate.chat(store) as chat:
        for name, (value, _) in WRONG.items():
            await chat.host.state.set("acme", chat.session.id, "k", value, by="test")
            assert (await slate.call(chat, "keep", trying(name))).is_ok, name
            assert await chat.host.sessions.state(ADA, chat.session.id) == {"k": value}, name
