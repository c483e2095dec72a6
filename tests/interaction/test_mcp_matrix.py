"""List, a call that fires, list: over stdio and HTTP, on 2025-11-25 and 2026-07-28, frame by frame and with people's own clients."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests.interaction.browser import CLIENTS
from tests.interaction.mcp_office import ALWAYS, IN_APPROVED, IN_DRAFT, IN_REVIEW, STEPS, Office
from tests.interaction.mcp_server import Told, connected, names, office_served
from tests.interaction.mcp_wire import CHANGED, NEW, OLD, HttpWire, StdioWire, call, forked_by, methods, piped, tools, wired, with_office

pytestmark = pytest.mark.anyio
ALL = tuple(sorted((*ALWAYS, *STEPS)))
everywhere = pytest.mark.parametrize("transport", ["stdio", "http"])
CALLS: Sequence[tuple[str, dict[str, Any]]] = (
    ("submit_invoice", {}),
    ("look_up", {"limit": 2}),
    ("remind", {}),
    ("discharge_invoice", {}),
    ("approve_invoice", {}),
)
"""Two of them fire and lead elsewhere; one reads, one fires and stays, one is refused."""
VARYING = (IN_DRAFT, IN_REVIEW, IN_REVIEW, IN_REVIEW, IN_REVIEW, IN_APPROVED)
IS_NEWS = (True, False, False, False, True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_office(tmp_path)


@asynccontextmanager
async def raw(transport: str, version: str, folder: Path) -> AsyncIterator[HttpWire | StdioWire]:
    if transport == "stdio":
        async with piped(folder, version) as pipe:
            yield pipe
    else:
        async with office_served(Office()) as address, wired(address, version) as wire:
            yield wire


@everywhere
async def test_a_varying_list_is_right_at_once_and_told_before_the_result(transport: str, folder: Path) -> None:
    async with raw(transport, OLD, folder) as wire:
        lists, came = [tuple(await tools(wire))], []
        for tool, arguments in CALLS:
            came.append(methods(await call(wire, tool, **arguments)))
            lists.append(tuple(await tools(wire)))

    assert tuple(lists) == VARYING
    assert came == [[CHANGED, "result"] if is_news else ["result"] for is_news in IS_NEWS]


@everywhere
async def test_a_constant_list_stays_and_nothing_is_told(transport: str, folder: Path) -> None:
    async with raw(transport, NEW, folder) as wire:
        lists, came = [await wire.ask("tools/list", number=0)], []
        for tool, arguments in CALLS:
            came.append(methods(await call(wire, tool, **arguments)))
            lists.append(await wire.ask("tools/list", number=0))

    assert tuple(tool["name"] for tool in lists[0][0]["result"]["tools"]) == ALL
    assert all(each == lists[0] for each in lists)
    assert came == [["result"]] * len(CALLS)


@everywhere
@pytest.mark.parametrize("mode", ["legacy", "auto", NEW])
async def test_the_python_client_sees_the_list_of_its_era(transport: str, mode: str, folder: Path) -> None:
    told = Told()
    async with python_client(transport, mode, told, folder) as client:
        lists = [await names(client)]
        for tool, arguments in CALLS:
            result = await client.call_tool(tool, arguments)
            told.lines.append("refused" if result.is_error else "done")
            lists.append(await names(client))

    is_old = mode == "legacy"
    assert client_version(mode) == (OLD if is_old else NEW)
    assert tuple(lists) == (VARYING if is_old else (ALL,) * 6)
    assert told.lines == (["changed"] if is_old else []) + ["done", "done", "done", "refused"] + (["changed"] if is_old else []) + ["done"]


@everywhere
@pytest.mark.parametrize(("package", "mode"), [("sdk", "legacy"), ("client", "legacy"), ("client", "auto"), ("client", NEW)], ids=str)
async def test_the_typescript_clients_see_the_list_of_their_era(node: str, transport: str, package: str, mode: str, folder: Path) -> None:
    if transport == "stdio":
        command, place = forked_by(folder, "office:host", "--as", "acme/ada")
        saw = await typescript(node, package, mode, {"command": command[0], "args": command[1:], **place})
    else:
        async with office_served(Office()) as address:
            saw = await typescript(node, package, mode, {"url": address, "who": "acme/ada"})

    is_old = mode == "legacy"
    assert saw["failed"] is None
    assert saw["version"] in ((OLD, None) if is_old else (NEW,))
    assert [tuple(each) for each in saw["lists"]] == [*(VARYING if is_old else (ALL,) * 6)]
    assert [each["isError"] for each in saw["results"]] == [False, False, False, True, False]
    assert saw["results"][0]["structuredContent"]["diff"] == [{"label": "State", "before": "draft", "after": "review"}]
    assert saw["results"][3]["structuredContent"]["error"]["facts"]["state"] == "review"
    told = [line for line in saw["wire"] if line in (CHANGED, "result")]
    assert told == ([CHANGED] if is_old else []) + ["result"] * 4 + ([CHANGED] if is_old else []) + ["result"]
    # It has listed again by itself, and found what was told.
    assert [tuple(each) for each in saw["refreshed"]] == ([IN_REVIEW, IN_APPROVED] if is_old else [])


async def test_on_one_pipe_a_change_of_rights_is_told_before_the_result_too(folder: Path) -> None:
    async with piped(folder, NEW) as wire:
        listening = await wire.begin_to_ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        acknowledged = await wire.frame()
        came = [await call(wire, tool, **arguments) for tool, arguments in (*CALLS, ("promote", {"who": "acme/ada"}), ("look_up", {}))]

    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert [methods(each) for each in came] == [["result"]] * len(CALLS) + [[CHANGED, "result"], ["result"]]
    assert came[-2][0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listening


@asynccontextmanager
async def python_client(transport: str, mode: str, told: Told, folder: Path) -> AsyncIterator[Client]:
    if transport == "stdio":
        command, place = forked_by(folder, "office:host", "--as", "acme/ada")
        server = StdioServerParameters(command=command[0], args=command[1:], **place)
        async with Client(server, mode=mode, message_handler=told.heard) as client:
            assert client.protocol_version == client_version(mode)
            yield client
    else:
        async with office_served(Office()) as address, connected(address, mode=mode, told=told) as client:
            assert client.protocol_version == client_version(mode)
            yield client


def client_version(mode: str) -> str:
    return OLD if mode == "legacy" else NEW


async def typescript(node: str, package: str, mode: str, server: dict[str, Any]) -> dict[str, Any]:
    with anyio.fail_after(120):
        words = [node, "mcp.mjs", package, mode, json.dumps(server), json.dumps(CALLS)]
        done = await anyio.run_process(words, cwd=CLIENTS, check=False)
    assert done.returncode == 0, done.stderr.decode()
    saw: dict[str, Any] = json.loads(done.stdout)
    return saw
