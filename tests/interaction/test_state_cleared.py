"""A notebook emptied under a guard: what arrived in between is not thrown away with it. On every store."""

from collections.abc import Awaitable
from pathlib import Path

import pytest

from handgriff import Call
from handgriff.tool import ABSENT
from tests.interaction.slate import Slate, Work
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def append(value: str) -> Work:
    return lambda call: call.scratch("s").append("codes", value)


def codes(call: Call) -> Awaitable[object]:
    return call.scratch("s").get("codes", "absent")


async def test_what_came_meanwhile_survives_a_clear_of_what_was_popped(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "keep", append("a"))

        async def take_all(call: Call) -> None:
            scratch = call.scratch("s")
            await scratch.pop("codes")
            await scratch.clear()
            await slate.call(chat, "keep", append("b"))

        taken = await slate.call(chat, "keep", take_all)

        assert taken.code == "conflict"
        assert await slate.read(chat, codes) == ["a", "b"]


async def test_after_a_clear_the_notebook_begins_anew_in_the_same_call(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "keep", append("a"))

        async def begin_anew(call: Call) -> list[object]:
            scratch = call.scratch("s")
            await scratch.pop("codes")
            await scratch.clear()
            gone = await scratch.get("codes", "absent")
            await scratch.compare_and_set("codes", ABSENT, ["n"])
            await scratch.append("codes", "o")
            return [gone, await scratch.all()]

        anew = await slate.call(chat, "keep", begin_anew)

        assert anew.is_ok
        assert slate.seen[-1] == ["absent", {"codes": ["n", "o"]}]
        assert await slate.read(chat, codes) == ["n", "o"]


async def test_a_clear_alone_leaves_no_record(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "keep", append("a"))
        await slate.call(chat, "keep", lambda call: call.scratch("s").clear())

        assert await chat.host.scratch.list("acme") == ()
        assert await slate.read(chat, codes) == "absent"
