"""A call that fails leaves nothing: not in session, user, app, temp or scratch, for its siblings or after a reload. Promise P6."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Call, DefinitionError, Refusal
from handgriff.testing.harness import Harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, ADA_ELSEWHERE, read
from tests.interaction.slate import Slate, Work
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio
KEYS = ("k", "user:k", "app:k", "temp:k")
LEFT = [{"k": "kept", "user:k": "kept", "app:k": "kept", "temp:k": "kept"}, {"k": "kept"}]


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def write_all(value: str) -> Work:
    async def work(call: Call) -> None:
        for key in KEYS:
            await call.state.set(key, value)
        await call.scratch("s").set("k", value)

    return work


async def read_all(call: Call) -> list[Any]:
    return [dict(await call.state.all()), dict(await call.scratch("s").all())]


async def refuse() -> None:
    raise Refusal("conflict", "No.")


async def crash() -> None:
    raise RuntimeError


async def misuse() -> None:
    raise DefinitionError("tool", "member", "it is wrong.", mend="mend it.")


async def cancel() -> None:
    raise asyncio.CancelledError


ENDS = {"refused": refuse, "raised": crash, "misused": misuse, "timed out": anyio.sleep_forever, "cancelled": cancel}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("also", ["set", "cleared"])
async def test_a_call_that_fails_leaves_nothing(store: str, end: str, also: str) -> None:
    slate = Slate()

    async def fail(call: Call) -> None:
        await write_all("lost")(call)
        if also == "cleared":
            for key in KEYS:
                await call.state.delete(key)
            await call.scratch("s").clear()
        await ENDS[end]()

    slate.works += [write_all("kept"), fail, read_all]
    async with slate.chat(store, script=[tuple(ToolUse(tool, {}) for tool in ("share", "brief", "look")), "Well."]) as chat:
        told = await chat.say("Go.")

        assert [outcome.code is None for outcome in told.outcomes] == [True, False, True]
        assert slate.seen == [None, LEFT]
        assert await slate.read(chat, read_all) == [dict.fromkeys(KEYS[:3], "kept"), {"k": "kept"}]


async def test_a_write_that_a_stop_has_found_running_is_kept_and_one_that_had_not_begun_leaves_nothing(store: str) -> None:
    began, go = anyio.Event(), anyio.Event()

    async def slow(call: Call) -> None:
        await write_all("kept")(call)
        began.set()
        await go.wait()

    slate = Slate(works=[slow, write_all("lost")])
    async with slate.chat(store, script=[(ToolUse("share", {}), ToolUse("share", {}))]) as chat, anyio.create_task_group() as tasks:
        tasks.start_soon(read, chat.host.turn(ADA, chat.session.id, "Go."))
        with anyio.fail_after(30):
            await began.wait()
            assert await chat.host.stop(ADA, chat.session.id)
            go.set()
            _ = [item async for item in chat.host.follow(ADA, chat.session.id)]

        assert await _stored(chat) == dict.fromkeys(KEYS[:3], "kept")
        assert len(slate.works) == 1


@pytest.mark.parametrize(("error", "code"), [(RuntimeError("?"), "permanent"), (ConnectionError("?"), "transient")], ids=["bug", "network"])
async def test_a_tool_that_keeps_alone_has_failed_where_a_write_would_be_uncertain(store: str, error: Exception, code: str) -> None:
    """Nothing but state was at stake, and that was dropped; so nobody has to find out, and the call can be made again."""
    slate = Slate()

    async def fail(call: Call) -> None:
        await call.state.set("k", "lost")
        raise error

    async with slate.chat(store) as chat:
        ended = [(await slate.call(chat, tool, fail)).code for tool in ("keep", "write")]

        assert ended == [code, "indeterminate"]
        assert sorted(effect.state for effect in await chat.host.effects.list("acme")) == ["failed", "indeterminate"]
        assert await _stored(chat) == {}


async def test_what_an_inner_call_has_done_stays_and_what_its_failing_caller_wrote_does_not(store: str) -> None:
    slate = Slate()

    async def outer(call: Call) -> None:
        await call.state.set("outer", 1)
        slate.works.append(lambda inner: inner.state.set("inner", 1))
        await call.tool("keep", {})
        raise Refusal("conflict", "No.")

    async with slate.chat(store) as chat:
        await slate.call(chat, "write", outer)

        assert await _stored(chat) == {"inner": 1}


async def test_a_refusal_before_the_handler_leaves_nothing_and_another_tenant_sees_nothing(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        await slate.call(chat, "share", write_all("mine"))
        theirs = (await chat.host.sessions.create(ADA_ELSEWHERE)).id
        refused = await chat.host.call(ADA, "share", {"nothing": "takes this"}, session=chat.session.id)

        assert refused.code == "invalid"
        assert await slate.read(chat, read_all, ADA_ELSEWHERE, session=theirs) == [{}, {}]


async def _stored(chat: Harness) -> dict[str, Any]:
    return await chat.host.sessions.state(ADA, chat.session.id)
