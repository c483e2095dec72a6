"""A call that its client takes back, or leaves: what reads ends, what writes is carried through, and the server goes on."""

import logging
from pathlib import Path

import anyio
import pytest

from tests.interaction.mcp_office import Office
from tests.interaction.mcp_server import office_served
from tests.interaction.mcp_wire import NEW, OLD, HttpWire, call, methods, piped, wired, with_office

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("version", [OLD, NEW])


async def serves_on(wire: HttpWire) -> None:
    """Ten ordinary calls."""
    for _ in range(10):
        assert methods(await call(wire, "look_up")) == ["result"]


async def test_a_read_that_is_cancelled_ends_and_is_not_answered_twice() -> None:
    """B123: the tool's coroutine is cancelled, the request is closed once, and the server serves on."""
    office = Office()
    async with office_served(office) as address, wired(address, OLD) as wire, anyio.create_task_group() as tasks:
        answers = []

        async def ask() -> None:
            answers.append(await wire.ask("tools/call", {"name": "wait_long", "arguments": {}}, number=77))

        tasks.start_soon(ask)
        await office.began.wait()
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77, "reason": "enough"}}
        assert (await wire.post(cancelled)).status_code == 202
        with anyio.fail_after(5):
            await office.ended.wait()
        office.door.set()
        await serves_on(wire)

    # This era's wire closes a request with an error; it has no result.
    assert [methods(each) for each in answers] == [["error"]]


async def test_a_read_whose_client_leaves_ends_where_leaving_is_cancelling() -> None:
    """B123 on the revisions without sessions: closing the response's stream is the cancel."""
    office = Office()
    async with office_served(office) as address, wired(address, NEW) as wire:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, wire, "wait_long")
            await office.began.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(5):
            await office.ended.wait()
        await serves_on(wire)


async def test_a_client_that_only_loses_its_connection_cancels_nothing_where_there_are_sessions() -> None:
    office = Office()
    async with office_served(office) as address, wired(address, OLD) as wire:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, wire, "write_long")
            await office.began.wait()
            tasks.cancel_scope.cancel()
        await serves_on(wire)
        assert not office.ended.is_set()
        office.door.set()
        with anyio.fail_after(5):
            await office.ended.wait()


async def test_a_write_is_carried_through_although_its_client_left_and_that_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """B123: what was done to the world is done once, stored, and reported in the log."""
    office = Office()
    with caplog.at_level(logging.WARNING, "handgriff"):
        async with office_served(office) as address, wired(address, NEW) as wire:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call, wire, "write_long")
                await office.began.wait()
                tasks.cancel_scope.cancel()
            await serves_on(wire)
            office.door.set()
        # The office is closed, and closing waits for what is being written.

    assert office.done == ["write_long"]
    assert [record.message for record in caplog.records if "carried through although nobody waits for it: done" in record.message]


@both
async def test_a_late_cancel_and_one_of_an_unknown_request_change_nothing(version: str) -> None:
    """B123: they are ignored, and an id may be used again."""
    async with office_served(Office()) as address, wired(address, version) as wire:
        assert methods(await wire.ask("tools/call", {"name": "look_up", "arguments": {}}, number=5)) == ["result"]
        for number in (5, 4711, "x"):
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            assert (await wire.post(cancelled, "notifications/cancelled")).status_code == 202
        assert methods(await wire.ask("tools/call", {"name": "look_up", "arguments": {}}, number=5)) == ["result"]
        await serves_on(wire)


@both
async def test_on_stdio_a_cancelled_call_is_not_answered_at_all(version: str, tmp_path: Path) -> None:
    async with piped(with_office(tmp_path), version) as wire:
        number = await wire.begin_to_ask("tools/call", {"name": "wait_long", "arguments": {}})
        await wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        answers = [await wire.ask("tools/call", {"name": "look_up", "arguments": {}}) for _ in range(10)]

    assert [methods(each) for each in answers] == [["result"]] * 10
    assert number not in [frame.get("id") for each in answers for frame in each]
