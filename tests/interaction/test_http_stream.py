"""`GET /sessions/{id}/stream`: wherever a client was cut off, it holds the same conversation afterwards."""

from pathlib import Path
from typing import Any

import pytest
from ag_ui_validate.pytest_plugin import validate_agui
from anyio import fail_after

from handgriff.models.scripted import Say, Use
from tests.interaction.agui_reducer import reduce
from tests.interaction.http_wire import Answer, Wire, frames_of, paced, say, wired

pytestmark = pytest.mark.anyio


def check_stream(answer: Answer) -> None:
    assert [finding.message for finding in validate_agui(answer.events).diagnostics] == []
    assert [kind for kind in answer.kinds if kind in ("RUN_FINISHED", "RUN_ERROR")] == answer.kinds[-1:]


def without_ids(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message.get("content", "")) for message in messages]


async def converse(wire: Wire) -> str:
    """Two turns and a decision; the session's id."""
    await wire.run("/list_orders")
    interrupt = await wire.park()
    await wire.resume(interrupt["id"])
    session: str = (await wire.session())["id"]
    return session


async def test_from_the_beginning_everything_comes_as_one_run() -> None:
    async with wired() as wire:
        session = await converse(wire)

        answer = await wire.get(f"/sessions/{session}/stream")

        check_stream(answer)
        assert answer.events[2] == {"type": "MESSAGES_SNAPSHOT", "messages": []}
        assert [message["role"] for message in reduce(answer.events)] == [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert answer.events[-1]["outcome"] == {"type": "success"}


async def test_from_every_place_a_client_holds_the_same_B143() -> None:
    async with wired() as wire:
        session = await converse(wire)
        whole = await wire.get(f"/sessions/{session}/stream")
        expected = reduce(whole.events)
        frames = list(frames_of(whole.body.decode()))

        for cut, (event_id, _) in enumerate(frames):
            if event_id is None or cut == len(frames) - 1:
                continue
            held = reduce(event for _, event in frames[: cut + 1])
            answer = await wire.get(f"/sessions/{session}/stream", headers={"last-event-id": event_id})

            assert reduce(answer.events, held) == expected, event_id
            check_stream(answer)


@pytest.mark.parametrize("place", ["", "nonsense", "-1", "1e3", "99999", "0.0", "9" * 40, "12.x", "٣", "%00"])
async def test_a_place_that_is_none_means_the_beginning_B143(place: str) -> None:
    async with wired() as wire:
        session = await converse(wire)
        expected = reduce((await wire.get(f"/sessions/{session}/stream")).events)

        answer = await wire.get(f"/sessions/{session}/stream?after={place if place.isascii() else '%D9%A3'}")

        assert reduce(answer.events, held=[{"id": "stale", "role": "user", "content": "x"}]) == expected


async def test_in_the_middle_of_a_message_it_is_said_from_its_beginning_B143() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire, wire.open("POST", "/agui", say("hello")) as first:
        pace.allow(2)
        seen = [await first.event()]
        while "two " not in seen[-1].get("delta", ""):
            seen.append(await first.event())
        place, session = first.last_id, (await wire.session())["id"]
        first.leave()

        async with wire.open("GET", f"/sessions/{session}/stream", headers={"last-event-id": place or ""}) as again:
            known = [await again.event()]
            while "two " not in known[-1].get("delta", ""):
                known.append(await again.event())
            pace.allow(9)
            await again.until("RUN_FINISHED")

        assert place == "2.2"
        answer = Answer(again.status, {}, bytes(again.body))
        check_stream(answer)
        assert without_ids(reduce(answer.events, reduce(seen))) == [("user", "hello"), ("assistant", "One two three.")]


async def test_two_reconnects_and_a_second_tab_hear_the_same_live_B143() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire, wire.open("POST", "/agui", say("hello")) as first:
        pace.allow()
        await first.until("TEXT_MESSAGE_CONTENT")
        session = (await wire.session())["id"]
        address = f"/sessions/{session}/stream?protocol=1.0"

        async with wire.open("GET", address) as second, wire.open("GET", address) as third:
            for stream in (second, third):
                assert (await stream.until("RUN_STARTED"))["protocolVersion"] == "1.0"
                await stream.until("TEXT_MESSAGE_CONTENT")
            pace.allow(9)
            with fail_after(5):
                for stream in (first, second, third):
                    await stream.until("RUN_FINISHED")

        second_tab, third_tab = (Answer(200, {}, bytes(stream.body)) for stream in (second, third))
        assert second_tab.body == third_tab.body
        assert without_ids(reduce(second_tab.events)) == [("user", "hello"), ("assistant", "One two three.")]


async def test_in_the_middle_of_a_turn_a_result_finds_its_call() -> None:
    async with wired(script=[(Use("list_orders"), Use("slow_read")), Say("Done.")]) as wire:
        async with wire.open("POST", "/agui", say("hello")) as first:
            await first.until("CUSTOM")
            place, session = first.last_id, (await wire.session())["id"]
        async with wire.open("GET", f"/sessions/{session}/stream?after={place}") as again:
            await again.until("MESSAGES_SNAPSHOT")
            wire.shop.door.set()
            await again.until("RUN_FINISHED")

        answer = Answer(again.status, {}, bytes(again.body))
        check_stream(answer)
        assert answer.kinds.count("TOOL_CALL_RESULT") == 2
        assert answer.kinds.count("TOOL_CALL_START") == 0


async def test_after_a_restart_the_conversation_is_read_from_the_store_B143(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'shop.db'}"
    async with wired(store=store) as wire:
        session = await converse(wire)
        expected = reduce((await wire.get(f"/sessions/{session}/stream")).events)
    async with wired(store=store) as wire:
        answer = await wire.get(f"/sessions/{session}/stream", headers={"last-event-id": "5.2"})

        held = [message for message in expected if message["role"] == "user"][:1]
        assert reduce(answer.events, held) == expected
        check_stream(answer)


async def test_at_rest_there_is_nothing_to_stream() -> None:
    async with wired() as wire:
        session = await converse(wire)
        head = (await wire.session())["head"]

        answer = await wire.get(f"/sessions/{session}/stream?after={head}.0")

        assert (answer.status, answer.body) == (204, b"")


async def test_a_reconnects_header_comes_before_its_address() -> None:
    async with wired() as wire:
        session = await converse(wire)
        head = (await wire.session())["head"]

        answer = await wire.get(f"/sessions/{session}/stream?after=1", headers={"last-event-id": f"{head}.0"})

        assert answer.status == 204


async def test_what_waits_is_shown_again_after_a_reload_B096() -> None:
    async with wired() as wire:
        interrupt = await wire.park()
        session = (await wire.session())["id"]

        answer = await wire.get(f"/sessions/{session}/stream")

        assert answer.events[-1]["outcome"] == {"type": "interrupt", "interrupts": [interrupt]}
        check_stream(answer)


async def test_a_decision_made_elsewhere_is_followed_to_the_end_of_its_turn() -> None:
    async with wired() as wire:
        interrupt = await wire.park()
        session, head = (await wire.session())["id"], (await wire.session())["head"]

        decided = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True})
        answer = await wire.get(f"/sessions/{session}/stream?after={head}")

        assert decided.json()["continues"] is True
        assert answer.text == "Order cancelled."
        assert [event["value"]["state"] for event in answer.events if event["type"] == "CUSTOM"] == ["running", "done"]
        check_stream(answer)


async def test_a_failure_in_the_past_is_told_and_does_not_end_the_replay_B145() -> None:
    pace, model = paced(Say("One two."), Say("Three."))
    async with wired(model=model) as wire:
        async with wire.open("POST", "/agui", say("hello")) as first:
            pace.allow()
            await first.until("TEXT_MESSAGE_CONTENT")
            session = (await wire.session())["id"]
            await wire.post(f"/sessions/{session}/stop")
            await first.until("RUN_ERROR")
        pace.allow(9)
        await wire.run("and now?")

        answer = await wire.get(f"/sessions/{session}/stream")

        check_stream(answer)
        assert {"status": "aborted", "code": "stop", "message": "Stopped."} in [event.get("value") for event in answer.events]
        assert without_ids(reduce(answer.events))[-1] == ("assistant", "Three.")
        assert answer.events[-1]["outcome"] == {"type": "success"}
