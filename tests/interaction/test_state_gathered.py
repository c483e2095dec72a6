"""A handler may gather its operations: each sees what the one before it made, on every store."""

import asyncio
from pathlib import Path

import pytest

from handgriff import Call, Refusal
from handgriff.tool import ABSENT
from tests.interaction.slate import Slate, get, put
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def test_no_item_is_popped_twice_and_no_append_is_lost(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "keep", put("l", [1, 2, 3]))

        async def work(call: Call) -> list[object]:
            state = call.state
            popped = await asyncio.gather(state.pop("l"), state.pop("l"), state.append("l", 98), state.append("l", 99))
            return [*popped[:2], await state.get("l")]

        assert (await slate.call(chat, "keep", work)).is_ok
        assert slate.seen[-1] == [3, 2, [1, 98, 99]]
        assert await slate.read(chat, get("l")) == [[1, 98, 99]]


async def test_one_of_two_comparisons_wins(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:

        async def work(call: Call) -> list[str]:
            tried = (call.state.compare_and_set("c", ABSENT, value) for value in (1, 2))
            ended = await asyncio.gather(*tried, return_exceptions=True)
            return [error.code for error in ended if isinstance(error, Refusal)]

        await slate.call(chat, "keep", work)

        assert slate.seen[-1] == ["conflict"]
        assert await slate.read(chat, get("c")) == [1]


async def test_what_is_seen_beside_a_clear_is_what_is_stored(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "keep", lambda call: call.scratch("s").set("n", 5))

        async def work(call: Call) -> object:
            scratch = call.scratch("s")
            await asyncio.gather(scratch.all(), scratch.increment("n"), scratch.clear(), scratch.increment("n"))
            return await scratch.all()

        await slate.call(chat, "keep", work)

        assert slate.seen[-1] == {"n": 1}
        assert await slate.read(chat, lambda call: call.scratch("s").all()) == {"n": 1}
