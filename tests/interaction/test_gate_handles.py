"""Instances by handle: minted, owned, expiring; foreign, unknown and expired ones are one answer. Cases B130, B134."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Annotated, Any

import pytest

from handgriff import Caller, Known, Refusal, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, BEN, EVE, Office, everybody

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(office: Office, *, clock: StillClock | None = None, **kept: Any) -> AsyncIterator[Harness]:
    machine = office.machine(instance="handle", **kept)
    async with harness(office.assistant(machine), ADA, callers=everybody, clock=clock) as chat:
        yield chat


async def begun(chat: Harness, caller: Caller = ADA) -> str:
    told = json.loads((await chat.host.call(caller, "begin", {})).text)
    handle: str = told["workflow"]["paper"]
    return handle


async def called(chat: Harness, tool: str, handle: Any, caller: Caller = ADA) -> Outcome:
    return await chat.host.call(caller, tool, {"paper": handle})


async def test_a_success_begins_an_instance_and_tells_its_handle_also_to_its_handler() -> None:
    office = Office()
    async with opened(office) as chat:
        told = json.loads((await chat.host.call(ADA, "begin", {})).text)

        assert told["workflow"] == {"machine": "paper", "state": "draft", "paper": told["workflow"]["paper"], "open": ["submit"]}
        assert office.ran == [f"begin {len(told['workflow']['paper'])}"]
        assert len(told["workflow"]["paper"]) >= 32


async def test_a_handle_that_a_result_has_told_is_seen_like_any_value_of_its_data() -> None:
    """A tool of the application's that wants a known `paper` takes it, and one that nobody was told is refused with where to get it."""
    office, seen, box = Office(), list[str](), Toolbox("side")
    machine = office.machine(instance="handle")

    @box.tool(effect="read", description=WORDS)
    async def read_paper(paper: Annotated[str, Known("paper")]) -> Result[None]:
        seen.append(paper)
        return Result("Read.")

    async with harness(office.assistant(machine, box), ADA, callers=everybody) as chat:
        handle = json.loads((await chat.host.call(ADA, "begin", {}, session=chat.session.id, typed=False)).text)["workflow"]["paper"]
        made_up = await chat.host.call(ADA, "read_paper", {"paper": "w_made_up"}, session=chat.session.id, typed=False)
        elsewhere = await chat.host.call(ADA, "read_paper", {"paper": handle}, typed=False)
        told = await chat.host.call(ADA, "read_paper", {"paper": handle}, session=chat.session.id, typed=False)

        assert (made_up.code, json.loads(made_up.text)["provides"]) == ("invalid", ["begin"])
        assert (elsewhere.code, told.code, seen) == ("invalid", None, [handle])


async def test_a_handle_that_an_operator_has_told_is_seen_too() -> None:
    def fail() -> Result[None]:
        raise RuntimeError("broken")

    office, box = Office(instead={"begin 34": fail}), Toolbox("side")

    @box.tool(effect="read", description=WORDS)
    async def read_paper(paper: Annotated[str, Known("paper")]) -> Result[None]:
        return Result("Read.")

    async with harness(office.assistant(office.machine(instance="handle"), box), ADA, callers=everybody) as chat:
        assert (await chat.host.call(ADA, "begin", {}, session=chat.session.id)).code == "indeterminate"
        [effect] = await chat.host.effects.list("acme")
        assert effect.fires is not None
        await chat.host.effects.resolve("acme", "begin", effect.key, "done", by="ops")

        read = await chat.host.call(ADA, "read_paper", {"paper": effect.fires.handle}, session=chat.session.id, typed=False)
        assert read.code is None


async def test_bound_tools_take_the_handle_and_follow_that_instance_alone() -> None:
    async with opened(Office()) as chat:
        one, two = await begun(chat), await begun(chat)
        await called(chat, "submit", one)

        assert (await called(chat, "approve", one)).code is None
        assert (await called(chat, "approve", two)).code == "closed"


async def test_a_bound_tool_shows_the_handle_first_and_demands_it() -> None:
    async with opened(Office()) as chat:
        [contract] = [each for each in await chat.host.menu(ADA) if each.name == "submit"]

        assert json.loads(contract.schema.text)["required"] == ["paper"]
        assert (await chat.host.call(ADA, "submit", {})).code == "invalid"


@pytest.mark.parametrize("handle", ["", "w_" + "0" * 32, "../etc", "x" * 300, "a\x00b", "ümläut", "process"])
async def test_an_unknown_handle_is_refused_with_the_tool_that_begins_one(handle: str) -> None:
    office = Office()
    async with opened(office) as chat:
        refused = await called(chat, "submit", handle)

        told = json.loads(refused.text)
        assert (told["refused"], told["provides"]) == ("not_found", ["begin"])
        assert office.ran == []


async def test_foreign_expired_and_unknown_handles_get_the_same_answer() -> None:
    clock = StillClock()
    async with opened(Office(), clock=clock, expires=timedelta(hours=1)) as chat:
        handle = await begun(chat)
        unknown = (await called(chat, "submit", "w_" + "0" * 32)).text

        assert (await called(chat, "submit", handle, BEN)).text == unknown
        assert (await called(chat, "submit", handle, EVE)).text == unknown
        clock.move(3601)
        assert (await called(chat, "submit", handle)).text == unknown


async def test_a_transition_prolongs_an_instance() -> None:
    clock = StillClock()
    async with opened(Office(), clock=clock, expires=timedelta(hours=1)) as chat:
        handle = await begun(chat)
        clock.move(3000)
        await called(chat, "submit", handle)
        clock.move(3000)

        assert (await called(chat, "approve", handle)).code is None


@pytest.mark.parametrize("where", ["store", "elsewhere"])
@pytest.mark.parametrize("how", ["refuses", "vetoes"])
async def test_a_call_that_moves_nothing_prolongs_nothing(how: str, where: str) -> None:
    def refuse() -> Result[None]:
        raise Refusal("denied", "Not today.")

    office, clock = Office(), StillClock()
    office.instead["submit"] = refuse if how == "refuses" else lambda: Result("Almost.", fires=None)
    machine = office.machine(instance="handle", expires=timedelta(hours=1))
    snapshots = MemorySnapshots() if where == "elsewhere" else None
    async with harness(office.assistant(machine), ADA, callers=everybody, clock=clock, snapshots=snapshots) as chat:
        handle = await begun(chat)
        clock.move(3000)
        assert (await called(chat, "submit", handle)).code == ("denied" if how == "refuses" else None)
        clock.move(601)

        assert (await called(chat, "submit", handle)).code == "not_found"


async def test_an_instance_of_the_tenant_is_everybodys_of_the_tenant_alone() -> None:
    async with opened(Office(), owner="tenant") as chat:
        handle = await begun(chat)

        assert (await called(chat, "submit", handle, BEN)).code is None
        assert (await called(chat, "approve", handle, EVE)).code == "not_found"


async def test_expired_instances_are_collected() -> None:
    clock = StillClock()
    async with opened(Office(), clock=clock, expires=timedelta(hours=1)) as chat:
        await begun(chat)
        clock.move(3601)

        assert (await chat.host.collect()).workflows == 1
        assert await chat.host.workflows.list("acme") == ()
