"""A delta that can't be applied any more is dropped whole: what happened outside stays done, and everybody is told.

A tool that only keeps something has then done nothing, so its call ends as a conflict and can be made again. On every store.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, Result, Toolbox
from handgriff.core import jsontext
from handgriff.core.state import StateLimits
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.stores.memory import MemoryStore
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant, told
from tests.interaction.slate import Slate, Work, get, put
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio
DROPPED = "It was done, but what it wanted to remember was not kept: n has changed meanwhile."


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def overtaken(chat: Harness) -> dict[str, Work]:
    """Works that write everywhere, and whose write of `n` is overtaken before it is stored."""

    async def around(call: Call) -> None:
        await call.state.set("beside", "lost")
        await call.state.set("user:beside", "lost")
        await call.state.set("temp:beside", "kept if done")
        await call.scratch("s").set("beside", "lost")
        await chat.host.state.set("acme", chat.session.id, "n", "text", by="test")

    async def guarded(call: Call) -> None:
        await call.state.compare_and_set("n", await call.state.get("n"), 2)
        await around(call)

    async def counted(call: Call) -> None:
        await call.state.increment("n")
        await around(call)

    return {"guarded": guarded, "counted": counted}


@pytest.mark.parametrize("how", ["guarded", "counted"])
async def test_a_write_stays_done_and_says_that_nothing_was_kept(store: str, how: str) -> None:
    slate = Slate()
    script = [(ToolUse("write", {}), ToolUse("look", {})), "Well."]
    async with slate.chat(store, script=script) as chat:
        await slate.call(chat, "keep", put("n", 1))
        slate.works += [overtaken(chat)[how], get("n", "beside", "user:beside", "temp:beside")]
        result = await chat.say("Go.")

        write, _ = result.outcomes
        assert (write.code, write.delta_dropped) == (None, "n has changed meanwhile")
        assert slate.seen[-1] == ["text", "absent", "absent", "kept if done"]
        assert await chat.host.scratch.list("acme") == ()
        assert (await chat.host.effects.list("acme"))[-1].state == "done"
        read_by_model = json.loads(told(chat.provider.requests[1])[0].partition(">")[2].rpartition("<")[0])
        assert read_by_model["note"] == DROPPED


async def test_a_tool_that_keeps_alone_ends_as_a_conflict_and_can_be_called_again(store: str) -> None:
    """Its temporary values are gone with it; those of the turn are still there when it is repeated (P8)."""
    slate = Slate()
    again = get("temp:request", "temp:beside")
    script = [ToolUse("keep", {}), (ToolUse("look", {}), ToolUse("keep", {})), "Well."]
    async with slate.chat(store, script=script) as chat:
        await slate.call(chat, "keep", put("n", 1))
        slate.works += [overtaken(chat)["guarded"], again, put("n", 3)]
        _ = [item async for item in chat.host.turn(ADA, chat.session.id, "Go.", temp={"request": "r"})]

        assert [outcome for outcome in slate.seen if isinstance(outcome, list)] == [["r", "absent"]]
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"n": 3}
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done", "failed", "done"]
        refused = told(chat.provider.requests[1])[0]
        assert '"refused":"conflict"' in refused
        assert "Nothing was kept: n has changed meanwhile." in refused
        assert "Call it again" in refused


@pytest.mark.parametrize("tool", ["write", "keep"])
async def test_where_the_scope_was_filled_meanwhile_the_same_holds_for_its_bound(store: str, tool: str) -> None:
    slate = Slate()

    async def late(call: Call) -> None:
        await call.state.set("user:late", "x" * 600)
        for n in range(2):
            await chat.host.state.set("acme", chat.session.id, f"user:k{n}", "x" * 300, by="test")

    async with slate.chat(store, limits={"state": StateLimits(scope_bytes=1000)}) as chat:
        outcome = await slate.call(chat, tool, late)

        assert outcome.code == (None if tool == "write" else "limit")
        assert "user may hold no more" in outcome.text
        assert set(await chat.host.sessions.state(ADA, chat.session.id)) == {"user:k0", "user:k1"}


async def test_what_was_too_much_already_may_still_shrink(store: str) -> None:
    """Bounds that were lowered refuse growth, and nothing else."""
    slate, kept = Slate(), MemoryStore() if store == "memory://" else store
    async with slate.chat(kept, limits={"state": StateLimits(scope_bytes=1000)}) as chat:
        for n in range(3):
            await chat.host.state.set("acme", chat.session.id, f"user:k{n}", "x" * 300, by="test")
        session = chat.session.id
    async with slate.chat(kept, limits={"state": StateLimits(scope_bytes=500)}) as chat:
        grown = await slate.call(chat, "keep", put("user:k3", 1), session=session)
        shrunk = await slate.call(chat, "keep", put("user:k0", 1), session=session)

        assert (grown.code, shrunk.code) == ("permanent", None)
        assert (await chat.host.sessions.state(ADA, session))["user:k0"] == 1


@pytest.mark.parametrize("data", ["small", "large"])
async def test_the_note_stands_beside_whatever_else_the_result_says(data: str) -> None:
    """Also where the result itself had to be left out, which is a note too."""
    box = Toolbox("box")

    @box.tool(effect="write", limits=CallLimits(result_bytes=400), description=WORDS)
    async def pay(call: Call) -> Result[str]:
        await call.state.increment("n")
        await chat.host.state.set("acme", chat.session.id, "n", "text", by="test")
        return Result("Paid.", "x" * (10 if data == "small" else 1000))

    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "pay", {}, session=chat.session.id)

        text: Any = jsontext.loads(outcome.text)
        assert outcome.is_ok
        assert "n has changed meanwhile" in str(text)
        assert ("was left out" in str(text)) == (data == "large")


async def test_a_hook_behind_a_write_is_told_and_one_behind_what_was_not_kept_is_not() -> None:
    seen: list[str] = []
    slate = Slate()
    made = slate.assistant()

    @made.after_call
    async def follow(over: AfterCall) -> None:
        seen.append(over.tool)

    async with harness(made, ADA) as chat:
        await slate.call(chat, "keep", put("n", 1))
        await slate.call(chat, "write", overtaken(chat)["counted"])
        await slate.call(chat, "keep", put("n", 1))
        await slate.call(chat, "keep", overtaken(chat)["counted"])

        assert seen == ["keep", "write", "keep"]
