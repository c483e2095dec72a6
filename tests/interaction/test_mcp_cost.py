"""What a list and a call cost: as much after three hundred transitions as after one, counted in calls of Python functions."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from handgriff.mcp import asgi
from tests.interaction.mcp_office import IN_DRAFT, IN_REVIEW, Office, opened
from tests.interaction.mcp_wire import NEW, OLD, HttpWire, call, tools

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", [OLD, NEW])
async def test_a_list_after_three_hundred_transitions_costs_what_the_first_did(version: str) -> None:
    async with inside(version) as wire:
        await move(wire, 1)
        first = await counted(lambda: tools(wire))
        await move(wire, 299)
        last = await counted(lambda: tools(wire))

        listed = tuple(await tools(wire))

    if version == OLD:
        # Three hundred steps end where they began.
        assert listed == IN_DRAFT
    assert last <= 1.2 * first


async def test_telling_of_a_change_costs_no_more_after_three_hundred() -> None:
    async with inside(OLD) as wire:
        await tools(wire)
        first = await counted(lambda: call(wire, "submit_invoice"))
        await call(wire, "reject_invoice")
        await move(wire, 298)
        last = await counted(lambda: call(wire, "submit_invoice"))

        assert tuple(await tools(wire)) == IN_REVIEW
    assert last <= 1.2 * first


async def test_a_call_makes_no_list_first() -> None:
    """On 2026-07-28 the SDK makes one before each call with arguments, unless it is told the schemas."""
    office = Office()
    async with inside(NEW, office) as wire:
        await call(wire, "look_up", limit=1)
        with_arguments = await counted(lambda: call(wire, "look_up", limit=1))
        without = await counted(lambda: call(wire, "look_up"))

    assert with_arguments <= 1.1 * without


@asynccontextmanager
async def inside(version: str, office: Office | None = None) -> AsyncIterator[HttpWire]:
    """A client in this very process, so that nothing but the server's own work and a little of the client's is counted."""
    office = office or Office()
    async with opened(office) as host, asgi(host, authenticate=office.authenticate) as app:
        transport = httpx2.ASGITransport(app=app)
        headers = {"authorization": "Bearer acme/ada"}
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1/mcp", headers=headers) as http:
            wire = HttpWire(http, version)
            await wire.begin()
            yield wire


async def move(wire: HttpWire, times: int) -> None:
    """So many transitions, there and back."""
    for _ in range(times):
        answer = (await call(wire, "submit_invoice"))[-1]["result"]
        if answer["isError"]:
            assert not (await call(wire, "reject_invoice"))[-1]["result"]["isError"]


async def counted(work: Callable[[], Awaitable[object]]) -> int:
    """How many Python functions were called."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        await work()
    finally:
        sys.setprofile(None)
    return calls
