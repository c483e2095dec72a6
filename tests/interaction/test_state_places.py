"""Who may write where: a tool that says so, in its handler. Everywhere else a write raises at once, because nobody would store it.

Case B015.
"""

from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, DefinitionError, Plan, Result, Toolbox
from handgriff.runtime.drive import TurnOver
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import ABSENT
from tests.interaction.desk import ADA, WORDS, assistant
from tests.interaction.slate import Slate
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio
KEYS = ("k", "user:k", "app:k", "temp:k")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def refusals(call: Call) -> list[str]:
    """Where a write is refused, of all places and with every operation."""
    refused = []
    places: list[tuple[str, Any, str]] = [(key, call.state, key) for key in KEYS] + [("scratch", call.scratch("s"), "k")]
    for name, place, key in places:
        tried = []
        for method, arguments in {
            "set": (1,),
            "delete": (),
            "increment": (),
            "append": (1,),
            "add": (1,),
            "remove": (1,),
            "merge": ({},),
            "compare_and_set": (ABSENT, 1),
        }.items():
            try:
                await getattr(place, method)(key, *arguments)
            except DefinitionError as error:
                tried.append("may" in str(error))
            else:
                tried.append(False)
                await place.delete(key)
        assert len(set(tried)) == 1, (name, tried)
        refused += [name] if tried[0] else []
    try:
        await call.scratch("s").clear()
    except DefinitionError:
        refused.append("clear")
    return refused


EVERYWHERE = [*KEYS, "scratch", "clear"]


async def test_a_tool_writes_where_its_contract_says(store: str) -> None:
    slate = Slate()
    async with slate.chat(store) as chat:
        for tool in ("write", "keep", "share", "look"):
            assert (await slate.call(chat, tool, refusals)).is_ok

        assert slate.seen == [["app:k"], ["app:k"], [], EVERYWHERE]
        assert await chat.host.sessions.state(ADA, chat.session.id) == {}


async def test_places_that_only_read_say_so_at_once() -> None:
    """B015: checks, plans, hooks and reads, whatever the tool may write itself. They do read."""
    raised: dict[str, list[str]] = {}
    read: list[Any] = []
    box = Toolbox("places")

    async def try_it(name: str, call: Call) -> None:
        raised[name] = await refusals(call)
        read.append(await call.state.get("k"))

    @box.tool(effect="irreversible", writes="app", description=WORDS)
    async def act(call: Call) -> Result[None]:
        return Result(f"Acted on {await call.state.get('k', 'nothing')}.")

    @act.plan
    async def preview(call: Call) -> Plan:
        await try_it("plan", call)
        return Plan("Act?")

    @act.authorize
    async def may(args: Any, call: Call) -> bool:
        await try_it("authorize", call)
        return True

    @act.validate
    async def check(args: Any, call: Call) -> None:
        await try_it("validate", call)

    @act.before_call
    async def hook(tool: str, args: Any, call: Call) -> None:
        await try_it("before_call", call)

    @act.idempotency_key
    async def key(args: Any, call: Call) -> str:
        await try_it("idempotency_key", call)
        return "k"

    @box.tool(effect="read", description=WORDS)
    async def look(call: Call) -> Result[None]:
        await try_it("read", call)
        return Result("Seen.")

    async with harness(assistant(box), ADA, script=[(ToolUse("act", {}), ToolUse("look", {})), "Done."]) as chat:
        await chat.host.state.set("acme", chat.session.id, "k", "kept", by="olga")
        await chat.say("Act.")
        decided, _ = await chat.confirm()

        assert raised == dict.fromkeys(("authorize", "validate", "before_call", "plan", "read", "idempotency_key"), EVERYWHERE)
        assert set(read) == {"kept"}
        assert decided.outcome.shown.summary == "Acted on kept."


async def test_a_hook_at_the_end_of_a_turn_reads_state_and_can_write_none() -> None:
    """B015"""
    told: list[Any] = []
    slate = Slate()
    made = slate.assistant()

    @made.on_turn_end
    async def over(turn: TurnOver) -> None:
        state: Any = turn.state
        for key in KEYS:
            told.append(await state.get(key, "absent"))
            with pytest.raises(DefinitionError, match="may"):
                await state.set(key, 1)
        told.append("over")

    async with harness(made, ADA, script=["Hello."]) as chat:
        await chat.host.state.set("acme", chat.session.id, "k", "kept", by="olga")
        await chat.say("Hello")

        assert told == ["kept", "absent", "absent", "absent", "over"]
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"k": "kept"}


@pytest.mark.parametrize("writes", ["user", "all", True, ("state",)], ids=str)
def test_a_contract_that_would_write_elsewhere_is_none(writes: Any) -> None:
    box = Toolbox("places")

    @box.tool(effect="write", writes=writes, description=WORDS)
    async def act(call: Call) -> Result[None]:
        return Result("Acted.")

    with pytest.raises(DefinitionError, match="writes"):
        assistant(box)


async def test_an_inner_call_writes_what_its_own_contract_says() -> None:
    """Not what its caller's does: a read can't write through a tool, and one that shares lends its right to nobody."""
    slate = Slate()

    async def through(call: Call) -> None:
        slate.works.append(refusals)
        await call.tool("keep", {})

    async with slate.chat() as chat:
        assert (await slate.call(chat, "share", through)).is_ok
        assert slate.seen[0] == ["app:k"]

        assert (await slate.call(chat, "look", through)).code == "denied"
