"""The varying list of the 2025 revisions: what it holds, and who is told of a change, when, and how often."""

import anyio
import pytest

from handgriff import Caller
from tests.interaction.mcp_office import ALWAYS, IN_APPROVED, IN_DRAFT, IN_REVIEW, Office
from tests.interaction.mcp_server import connected, names, office_served
from tests.interaction.mcp_wire import CHANGED, OLD, HttpWire, call, methods, tools, wired

pytestmark = pytest.mark.anyio


async def description(wire: HttpWire, name: str) -> str:
    listed = (await wire.ask("tools/list"))[-1]["result"]["tools"]
    return next(str(tool["description"]) for tool in listed if tool["name"] == name)


async def test_a_tool_that_is_not_listed_is_refused_and_does_not_run() -> None:
    """B028 over MCP: what the list does not show does not run either."""
    office = Office()
    async with office_served(office) as address, wired(address, OLD) as wire:
        answer = (await call(wire, "approve_invoice"))[-1]["result"]
        listed = await tools(wire)

    assert "approve_invoice" not in listed
    assert answer["isError"] is True
    assert answer["structuredContent"]["error"]["code"] == "closed"
    assert answer["structuredContent"]["error"]["facts"]["allowed"] == listed
    assert office.done == []


async def test_the_short_description_is_shown_where_the_workflow_begins() -> None:
    async with office_served(Office()) as address, wired(address, OLD) as wire:
        first = await description(wire, "submit_invoice")
        await call(wire, "submit_invoice")
        await call(wire, "reject_invoice")

        assert first == await description(wire, "submit_invoice") == "Submits the invoice."


async def test_who_never_listed_is_told_of_a_change_too() -> None:
    async with office_served(Office()) as address, wired(address, OLD) as wire:
        assert methods(await call(wire, "look_up")) == ["result"]
        assert methods(await call(wire, "submit_invoice")) == [CHANGED, "result"]
        assert methods(await call(wire, "remind")) == ["result"]


async def test_each_session_of_one_user_has_its_own_list() -> None:
    async with office_served(Office()) as address, wired(address, OLD) as one, wired(address, OLD) as other:
        await call(one, "submit_invoice")

        assert tuple(await tools(one)) == IN_REVIEW
        assert tuple(await tools(other)) == IN_DRAFT


async def test_nobody_is_told_of_what_another_session_does() -> None:
    """Two principals and two sessions of one of them listen, and each hears of its own list alone."""
    office = Office()
    async with (
        office_served(office) as address,
        wired(address, OLD) as ada,
        wired(address, OLD) as again,
        wired(address, OLD, "acme/ben") as ben,
        ada.stream() as ada_hears,
        again.stream() as again_hears,
        ben.stream() as ben_hears,
    ):
        for wire in (ada, again, ben):
            await tools(wire)
        assert methods(await call(ada, "submit_invoice")) == [CHANGED, "result"]
        # What comes now is the first that any of them hears, so nothing came of the step before.
        await call(ben, "promote", who="acme/ada")
        assert await ada_hears.method() == CHANGED
        assert await again_hears.method() == CHANGED
        await call(ada, "promote", who="acme/ben")
        assert await ben_hears.method() == CHANGED

        assert tuple(await tools(ada)) == tuple(sorted((*IN_REVIEW, "audit")))
        assert tuple(await tools(again)) == tuple(sorted((*IN_DRAFT, "audit")))
        assert tuple(await tools(ben)) == tuple(sorted((*IN_DRAFT, "audit")))


async def test_a_machine_of_the_whole_process_is_told_to_every_session_that_listens() -> None:
    async with (
        office_served(Office(instance="process")) as address,
        wired(address, OLD) as ada,
        wired(address, OLD, "globex/eve") as eve,
        wired(address, OLD, "acme/ben") as deaf,
        eve.stream() as hears,
    ):
        for wire in (ada, eve, deaf):
            assert tuple(await tools(wire)) == IN_DRAFT
        assert methods(await call(ada, "submit_invoice")) == [CHANGED, "result"]

        assert await hears.method() == CHANGED
        assert tuple(await tools(eve)) == IN_REVIEW
        assert methods(await call(eve, "look_up")) == ["result"]
        # Who had no stream open hears of it with the next call, on the stream of that call.
        assert methods(await call(deaf, "look_up")) == [CHANGED, "result"]
        assert methods(await call(deaf, "look_up")) == ["result"]


async def test_what_a_token_withholds_is_not_told_when_somebody_else_gains_rights() -> None:
    office = Office()
    async with (
        office_served(office) as address,
        wired(address, OLD) as ada,
        wired(address, OLD, "acme/ben less") as ben,
        ben.stream() as hears,
    ):
        assert tuple(await tools(ben)) == ALWAYS
        # Ben's rights are looked at, and what his token does not grant stays out of it.
        await call(ada, "promote", who="acme/ada")
        await call(ada, "promote", who="acme/ben")

        assert await hears.method() == CHANGED
        assert tuple(await tools(ada)) == tuple(sorted((*IN_DRAFT, "audit")))


async def test_rights_of_the_request_decide_and_a_change_of_them_is_told() -> None:
    """B131: each request is answered with its own rights, whoever began the session."""
    office = Office()
    async with office_served(office) as address, wired(address, OLD) as wire:
        await tools(wire)
        wire.http.headers["authorization"] = "Bearer acme/ada less"
        less = (await call(wire, "submit_invoice"))[-1]["result"]
        listed = await tools(wire)
        wire.http.headers["authorization"] = "Bearer acme/ada"
        more = (await call(wire, "submit_invoice"))[-1]["result"]
        wire.http.headers.pop("authorization")
        nobody = await wire.post(wire.request("tools/list"))

    assert less["structuredContent"]["error"]["code"] == "not_found"
    assert tuple(listed) == ALWAYS
    assert more["isError"] is False
    assert nobody.status_code == 401
    assert nobody.headers["www-authenticate"] == "Bearer"


async def test_a_caller_whose_rights_are_taken_away_is_told_with_the_next_call() -> None:
    office = Office()
    async with office_served(office) as address, wired(address, OLD) as wire:
        await tools(wire)
        office.people["acme", "ada"] = Caller("acme", "ada")

        assert methods(await call(wire, "look_up")) == [CHANGED, "result"]
        assert tuple(await tools(wire)) == ALWAYS


async def test_parallel_calls_of_one_session_end_with_the_right_list() -> None:
    async with office_served(Office()) as address, connected(address) as client:
        await names(client)
        async with anyio.create_task_group() as tasks:
            for tool in ("submit_invoice", "look_up", "approve_invoice", "look_up", "remind"):
                tasks.start_soon(client.call_tool, tool, {})
        listed = await names(client)

    assert listed in (IN_REVIEW, IN_APPROVED)
