"""Notebooks: each session's and each namespace's own, with the operations of state, small. On every store."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, DefinitionError
from handgriff.tool import ABSENT
from tests.ids import stable
from tests.interaction.desk import ADA, BOB
from tests.interaction.notebook import append, get, put, there
from tests.interaction.slate import Slate
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def test_notebooks_are_each_sessions_own_and_each_namespaces_own(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        other, hers = (await chat.host.sessions.create(ADA)).id, (await chat.host.sessions.create(BOB)).id
        await slate.call(chat, "keep", put("k", "mine", namespace="a_b"))

        assert await slate.read(chat, get("k", "a_b")) == "mine"
        assert [await slate.read(chat, get("k", name)) for name in ("a", "a_b_c", "A_b", "a-b")] == ["absent"] * 4
        assert await slate.read(chat, get("k", "a_b"), session=other) == "absent"
        assert await slate.read(chat, get("k", "a_b"), BOB, session=hers) == "absent"


async def test_a_notebook_has_the_operations_of_state(store: str) -> None:
    slate = Slate()

    async def write(call: Call) -> None:
        book = call.scratch("s")
        for code in ("a", "b", "c"):
            await book.append("codes", code)
        await book.add("codes", "a")
        await book.remove("codes", "b")
        await book.increment("n", 2)
        await book.merge("o", {"a": 1})
        await book.compare_and_set("fresh", ABSENT, True)
        await book.set("gone", 1)
        await book.delete("gone")

    async def pop(call: Call) -> Any:
        return [await call.scratch("s").pop("codes"), dict(await call.scratch("s").all())]

    async with slate.chat(store) as chat:
        await slate.call(chat, "keep", write)
        await slate.call(chat, "keep", pop)

        left = {"codes": ["a"], "n": 2, "o": {"a": 1}, "fresh": True}
        assert slate.seen.pop() == ["c", left]
        (record,) = await chat.host.scratch.list("acme")
        assert {key: value.json() for key, value in record.values.items()} == left

        await slate.call(chat, "keep", lambda call: call.scratch("s").clear())
        assert await there(chat) == ()


async def test_codes_that_are_collected_at_once_are_all_there(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        async with asyncio.TaskGroup() as tasks:
            for code in range(16):
                tasks.create_task(slate.call(chat, "keep", append("codes", code)))

        assert sorted(await slate.read(chat, get("codes"))) == list(range(16))


async def test_a_record_takes_64_kib_and_advises_a_database_beyond(store: str) -> None:
    slate = Slate()

    async def work(call: Call) -> None:
        for n in range(4):
            await call.scratch("s").set(f"k{n}", "x" * 16_300)
        for too_much in (call.scratch("s").set("k4", "x" * 16_300), call.scratch("s").append("list", "x" * 16_300)):
            with pytest.raises(DefinitionError, match=r"65536 bytes.*your database"):
                await too_much

    async with slate.chat(store) as chat:
        assert (await slate.call(chat, "keep", work)).is_ok

        (record,) = await there(chat)
        assert sorted(record.values) == ["k0", "k1", "k2", "k3"]


@pytest.mark.parametrize("namespace", ["", "a b", "a/b", "..", "a.b", "a:b", "é", "x" * 65, None, 1], ids=stable)
async def test_a_namespace_is_letters_digits_underscore_and_dash(namespace: Any) -> None:
    slate = Slate()

    async def work(call: Call) -> None:
        with pytest.raises(DefinitionError):
            call.scratch(namespace)
        with pytest.raises(DefinitionError):
            call.scratch("s", renew="always")  # type: ignore[arg-type]  # what is refused

    async with slate.chat() as chat:
        assert (await slate.call(chat, "keep", work)).is_ok
