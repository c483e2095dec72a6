"""The constant list of 2026-07-28: the same bytes in every state, and results and refusals that tell the state instead."""

import json
from typing import Any

import anyio
import pytest
from mcp.server.subscriptions import ToolsListChanged

from tests.interaction.mcp_office import Office
from tests.interaction.mcp_server import connected, office_served
from tests.interaction.mcp_wire import CHANGED, NEW, HttpWire, call, methods, tools, wired

pytestmark = pytest.mark.anyio


async def listed(wire: HttpWire) -> bytes:
    await wire.ask("tools/list", number=1)
    return wire.raw


async def answered(wire: HttpWire, tool: str, **arguments: Any) -> dict[str, Any]:
    frames = await call(wire, tool, **arguments)
    assert methods(frames) == ["result"]
    answer: dict[str, Any] = frames[0]["result"]
    return answer


async def test_the_list_has_the_same_bytes_in_every_state() -> None:
    async with office_served(Office(instance="handle")) as address, wired(address, NEW) as wire:
        seen = [await listed(wire)]
        handle = (await answered(wire, "open_invoice"))["structuredContent"]["workflow"]["invoice"]
        for tool in (
            "submit_invoice",
            "remind",
            "reject_invoice",
            "approve_invoice",
            "submit_invoice",
            "approve_invoice",
            "submit_invoice",
        ):
            await answered(wire, tool, invoice=handle)
            seen.append(await listed(wire))

    assert len(set(seen)) == 1
    result = json.loads(seen[0])["result"]
    assert [tool["name"] for tool in result["tools"]] == sorted(tool["name"] for tool in result["tools"])
    assert (result["cacheScope"], result["ttlMs"]) == ("private", 0)
    assert result.get("nextCursor") is None


async def test_every_gated_tool_is_listed_and_takes_the_handle() -> None:
    async with office_served(Office(instance="handle")) as address, wired(address, NEW) as wire:
        found = {tool["name"]: tool["inputSchema"] for tool in (await wire.ask("tools/list"))[0]["result"]["tools"]}

    for name in ("submit_invoice", "approve_invoice", "reject_invoice", "remind", "discharge_invoice"):
        assert found[name]["required"] == ["invoice"]
        assert found[name]["properties"]["invoice"]["type"] == "string"


async def test_a_result_tells_where_the_workflow_is_and_what_is_open() -> None:
    async with office_served(Office(instance="handle")) as address, wired(address, NEW) as wire:
        begun = (await answered(wire, "open_invoice"))["structuredContent"]
        handle = begun["workflow"]["invoice"]
        answer = await answered(wire, "submit_invoice", invoice=handle)

    assert begun["workflow"]["state"] == "draft"
    assert begun["moved"] == {"machine": "invoice", "before": None, "after": "draft"}
    assert answer["structuredContent"]["moved"] == {"machine": "invoice", "before": "draft", "after": "review"}
    told = {"machine": "invoice", "state": "review", "invoice": handle, "open": ["approve_invoice", "reject_invoice", "remind"]}
    assert answer["structuredContent"]["workflow"] == told
    assert json.loads(answer["content"][0]["text"])["workflow"] == told


async def test_a_refusal_tells_the_state_and_what_is_open_there() -> None:
    async with office_served(Office(instance="handle")) as address, wired(address, NEW) as wire:
        handle = (await answered(wire, "open_invoice"))["structuredContent"]["workflow"]["invoice"]
        answer = await answered(wire, "discharge_invoice", invoice=handle)

    error = answer["structuredContent"]["error"]
    assert answer["isError"] is True
    assert (error["code"], error["facts"]["state"]) == ("closed", "draft")
    assert "submit_invoice" in error["facts"]["allowed"]
    assert error["facts"]["path"] == ["submit_invoice", "approve_invoice", "discharge_invoice"]
    assert error["next"] == "First call submit_invoice."


async def test_a_foreign_handle_is_answered_like_an_unknown_one() -> None:
    office = Office(instance="handle")
    async with office_served(office) as address, wired(address, NEW) as ada, wired(address, NEW, "acme/ben") as ben:
        handle = (await answered(ada, "open_invoice"))["structuredContent"]["workflow"]["invoice"]
        foreign = await answered(ben, "submit_invoice", invoice=handle)
        unknown = await answered(ben, "submit_invoice", invoice="w_" + "0" * 32)

    assert foreign == unknown
    assert foreign["structuredContent"]["error"]["code"] == "not_found"
    assert office.done == ["open_invoice"]


async def test_who_listens_is_told_of_rights_alone_and_nobody_of_another() -> None:
    async with (
        office_served(Office()) as address,
        wired(address, NEW) as ada,
        wired(address, NEW, "acme/ben") as ben,
        wired(address, NEW, "globex/ada") as namesake,
        listening(ada) as ada_hears,
        listening(ben) as ben_hears,
        listening(namesake) as namesake_hears,
    ):
        for hears in (ada_hears, ben_hears, namesake_hears):
            assert await hears.method() == "notifications/subscriptions/acknowledged"
        await call(ada, "submit_invoice")
        await call(ben, "promote", who="acme/ben")
        frame = await ben_hears.frame()
        # What comes now is the first that the others hear.
        await call(ben, "promote", who="globex/ada")
        await call(namesake, "write_nothing")
        await call(ada, "promote", who="acme/ada")
        assert await ada_hears.method() == CHANGED
        await call(namesake, "promote", who="globex/eve")
        assert await namesake_hears.method() == CHANGED

        assert frame["method"] == CHANGED
        assert frame["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == ben.number - 2
        assert "audit" in await tools(ben)


def listening(wire: HttpWire) -> Any:
    return wire.stream("subscriptions/listen", {"notifications": {"toolsListChanged": True}})


async def test_the_python_client_listens_and_finds_what_it_gained() -> None:
    async with office_served(Office()) as address, connected(address, mode=NEW) as client, client.listen(tools_list_changed=True) as events:
        await client.list_tools()
        await client.call_tool("promote", {"who": "acme/ada"})
        with anyio.fail_after(30):
            event = await anext(aiter(events))
        found = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]

    assert event == ToolsListChanged()
    assert "audit" in found


async def test_one_client_of_one_user_is_one_session_and_another_client_another() -> None:
    async with office_served(Office()) as address, wired(address, NEW) as wire, connected(address, mode=NEW) as other:
        await answered(wire, "submit_invoice")
        again = await answered(wire, "approve_invoice")
        elsewhere = await other.call_tool("approve_invoice", {})

    assert again["structuredContent"]["workflow"]["state"] == "approved"
    assert elsewhere.structured_content["error"]["facts"]["state"] == "draft"
