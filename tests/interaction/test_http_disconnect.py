"""A client that goes away only unsubscribes: its turn lives on for the grace time, its decisions are carried out."""

from typing import Any

import anyio
import pytest
from anyio import fail_after

from handgriff import Caller
from handgriff.core.events import Event, TurnEnded
from handgriff.models.scripted import Say
from handgriff.testing.clock import StillClock
from tests.interaction.http_wire import PEOPLE, Wire, paced, say, wired

pytestmark = pytest.mark.anyio
ADA: Caller = PEOPLE["acme", "ada"]


async def ended(wire: Wire, session: str) -> TurnEnded:
    """The terminal event of the running turn."""
    with fail_after(5):
        items = [item async for item in wire.host.follow(ADA, session)]
    bodies = [item.body for item in items if isinstance(item, Event) and isinstance(item.body, TurnEnded)]
    return bodies[-1]


async def test_a_turn_whose_client_has_gone_goes_on() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire:
        async with wire.open("POST", "/agui", say("hello")) as stream:
            pace.allow()
            await stream.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]

        pace.allow(9)

        assert (await ended(wire, session)).status == "done"


async def test_with_no_grace_it_stops_at_once() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model, grace=0) as wire:
        async with wire.open("POST", "/agui", say("hello")) as stream:
            pace.allow()
            await stream.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]

        assert (await ended(wire, session)).status == "aborted"


async def test_a_detached_turn_goes_on_without_grace() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model, grace=0, detach=True) as wire:
        async with wire.open("POST", "/agui", say("hello")) as stream:
            pace.allow()
            await stream.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]

        pace.allow(9)

        assert (await ended(wire, session)).status == "done"


async def test_after_the_grace_it_stops() -> None:
    pace, model = paced(Say("One two three."))
    clock = StillClock()
    async with wired(model=model, grace=30, clock=clock) as wire:
        async with wire.open("POST", "/agui", say("hello")) as stream:
            pace.allow()
            await stream.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]
        engine = await wire.host.engine()
        live = engine.live["acme", session]

        with fail_after(5):
            while not live.is_over:
                clock.move(1)
                await anyio.wait_all_tasks_blocked()

        stored = [event.body for event in await wire.host.sessions.events(ADA, session)]
        assert isinstance(stored[-1], TurnEnded)
        assert (stored[-1].status, stored[-1].code) == ("aborted", "grace")


async def test_one_of_two_tabs_may_leave() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model, grace=0) as wire, wire.open("POST", "/agui", say("hello")) as first:
        pace.allow()
        await first.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]
        async with wire.open("GET", f"/sessions/{session}/stream") as second:
            await second.until("TEXT_MESSAGE_CONTENT")

        pace.allow(9)

        with fail_after(5):
            assert (await first.until("RUN_FINISHED"))["outcome"] == {"type": "success"}


async def test_nobody_is_left_counted_as_a_listener() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire, wire.open("POST", "/agui", say("hello")) as first:
        pace.allow()
        await first.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]
        live = (await wire.host.engine()).live["acme", session]
        for _ in range(3):
            async with wire.open("GET", f"/sessions/{session}/stream") as other:
                await other.until("TEXT_MESSAGE_CONTENT")

        assert live.subscribers == 1
        pace.allow(9)


async def test_a_decision_is_carried_out_although_its_client_has_gone() -> None:
    async with wired() as wire:
        asked = await wire.run("/send_letter to=Ada\n/send_letter to=Bob")
        entries: list[dict[str, Any]] = [
            {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
            for interrupt in asked.events[-1]["outcome"]["interrupts"]
        ]
        session = (await wire.session())["id"]

        async with wire.open("POST", "/agui", say("", resume=entries)) as stream:
            await stream.until("MESSAGES_SNAPSHOT")
            while (await wire.get(f"/proposals/{entries[0]['interruptId']}")).json()["state"] == "pending":
                await anyio.wait_all_tasks_blocked()
            stream.leave()
            wire.shop.door.set()

        assert wire.shop.done == ["letter Ada", "letter Bob"]
        assert (await ended(wire, session)).status == "done"


async def test_a_write_that_runs_is_finished_when_the_turn_is_stopped() -> None:
    async with wired() as wire, wire.open("POST", "/agui", say("/write_note text=hello")) as stream:
        await stream.until("TOOL_CALL_END")
        session = (await wire.session())["id"]
        with fail_after(5):
            while not wire.shop.done:
                await anyio.wait_all_tasks_blocked()

        await wire.post(f"/sessions/{session}/stop")
        wire.shop.door.set()

        with fail_after(5):
            result = await stream.until("TOOL_CALL_RESULT")
            error = await stream.until("RUN_ERROR")
        assert "Noted." in result["content"]
        assert error["code"] == "cancelled"
        assert wire.shop.done == ["began hello", "note hello"]
