"""Workflows as AG-UI clients see them: a snapshot at the beginning, and each transition as a change that always applies. Case B148."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.requests import Request

from handgriff import Caller, Host
from handgriff.http import asgi
from handgriff.models.scripted import ScriptedModel
from tests.interaction.http_wire import Answer, Shop, Wire
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio


async def always_ada(_: Request) -> Caller | None:
    return ADA


@asynccontextmanager
async def opened(office: Office, **kept: Any) -> AsyncIterator[Wire]:
    assistant = office.assistant(office.machine(**kept))
    async with Host(assistant, store="memory://", callers=everybody, model="scripted:office", models=[ScriptedModel(())]) as host:
        yield Wire(asgi(host, authenticate=always_ada), host, Shop())


async def say(wire: Wire, text: str) -> Answer:
    body = {"threadId": "thread", "runId": "run", "messages": [{"id": "m", "role": "user", "content": text}]}
    return await wire.post("/agui", body)


def snapshots(answer: Answer) -> list[object]:
    return [event["snapshot"]["workflow"] for event in answer.events if event["type"] == "STATE_SNAPSHOT"]


def deltas(answer: Answer) -> list[dict[str, Any]]:
    return [change for event in answer.events if event["type"] == "STATE_DELTA" for change in event["delta"]]


async def test_a_run_begins_with_where_the_workflows_stand_and_tells_what_moves() -> None:
    async with opened(Office()) as wire:
        first, second = await say(wire, "/submit"), await say(wire, "/approve")

        assert snapshots(first) == [{"paper": "draft"}]
        assert deltas(first) == [{"op": "add", "path": "/workflow/paper", "value": "review"}]
        assert snapshots(second) == [{"paper": "review"}]
        kinds = second.kinds
        assert kinds.index("TOOL_CALL_RESULT") < kinds.index("STATE_DELTA") < kinds.index("RUN_FINISHED")


async def test_a_refused_call_and_one_that_moves_nothing_tell_no_change() -> None:
    async with opened(Office()) as wire:
        assert deltas(await say(wire, "/discharge")) == []
        assert deltas(await say(wire, "/look")) == []


async def test_a_replay_tells_where_they_stand_now_and_repeats_no_change() -> None:
    async with opened(Office()) as wire:
        await say(wire, "/submit")
        replay = await wire.get("/sessions/thread/stream?after=0")

        assert snapshots(replay) == [{"paper": "review"}]
        assert deltas(replay) == []


async def test_an_instance_with_a_handle_stands_under_machine_and_handle() -> None:
    async with opened(Office(), instance="handle") as wire:
        begun = await say(wire, "/begin")

        assert snapshots(begun) == [{}]
        [change] = deltas(begun)
        assert change["path"].startswith("/workflow/paper:w_")
        assert (change["op"], change["value"]) == ("add", "draft")


async def test_an_instance_of_the_process_has_one_name_in_the_snapshot_and_in_what_changes() -> None:
    async with opened(Office(), instance="process") as wire:
        first, second = await say(wire, "/submit"), await say(wire, "/look")

        assert snapshots(first) == [{"paper": "draft"}]
        assert deltas(first) == [{"op": "add", "path": "/workflow/paper", "value": "review"}]
        assert snapshots(second) == [{"paper": "review"}]


async def test_the_menu_of_a_session_holds_what_is_callable_there_now() -> None:
    async with opened(Office()) as wire:
        await say(wire, "/submit")
        varying = (await wire.get("/menu?session=thread")).json()["tools"]
        constant = (await wire.get("/menu")).json()["tools"]

        assert [tool["name"] for tool in varying] == ["approve", "look", "reject"]
        assert [tool["name"] for tool in constant] == ["approve", "audit", "discharge", "look", "reject", "submit"]
        assert (await wire.get("/menu?session=nobodys")).status == 404
