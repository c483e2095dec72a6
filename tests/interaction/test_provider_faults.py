"""Each provider fault ends in a valid history and a clear event. Cases B061, B062, B064, B066, B068, B145 as far as the turn goes."""

from pathlib import Path

import pytest

from handgriff import Assistant, Limits
from handgriff.core.events import AssistantMessage, PartialMessage, Retrying
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, Told, harness
from handgriff.testing.loopback.script import Answer, Drop, EarlyEnd, Entry, ErrorEvent, HttpError, Raw, Reply, Text, Thinking, ToolUse
from tests.interaction.ledgerbook import ADA, effects
from tests.interaction.ledgerbook import assistant as book

pytestmark = pytest.mark.anyio


async def check_next_turn(chat: Harness) -> None:
    """What follows is accepted by the provider and answered."""
    told = await chat.say("continue")
    assert told.ended.status == "done"
    assert told.text == "All is well."
    assert chat.provider.violations == ()


async def check_books(chat: Harness, statuses: list[str]) -> None:
    engine = await chat.host.engine()
    rows = await engine.store.requests(ADA.tenant, session=chat.session.id)
    assert [row.status for row in rows] == statuses
    assert all(row.cost_pico is not None for row in rows)


def with_attempts(path: Path, attempts: int) -> Assistant:
    made = book(path)
    made.limits = Limits(attempts=attempts)
    return made


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (HttpError(529), "overloaded"),
        (HttpError(429, headers={"retry-after": "7"}), "rate_limited"),
        (HttpError(500), "overloaded"),
        (HttpError(400, message="no"), "rejected"),
        (HttpError(401), "unauthorised"),
        (Answer((Text("Half an answer is here"),), fault=ErrorEvent(after=5)), "overloaded"),
        (Answer((Text("Half an answer is here"),), fault=EarlyEnd(after=5)), "broken_stream"),
        (Answer((Text("Half an answer is here"),), fault=Drop(after=5)), "broken_stream"),
        (Answer((Text("Half an answer is here"),), fault=Drop(after=5, reset=True)), "broken_stream"),
        (Answer((ToolUse("note", {"account": "acc-1", "text": "first"}),), fault=EarlyEnd(after=4)), "broken_stream"),
    ],
    ids=str,
)
async def test_a_fault_ends_the_turn_clearly_and_the_next_one_is_accepted(tmp_path: Path, fault: Reply, code: str) -> None:
    async with harness(with_attempts(tmp_path / "world", 1), ADA, script=[fault, "All is well."]) as chat:
        told = await chat.say("Hello")

        assert (told.ended.status, told.ended.code) in {("failed", code), ("failed", "unavailable")}
        assert told.ended.message
        assert told.events[-1].body is told.ended
        assert effects(tmp_path / "world") == []
        await check_next_turn(chat)
        await check_books(chat, ["failed", "ok"])


async def test_what_a_failed_stream_had_sent_is_kept_and_sent_back_with_a_note(tmp_path: Path) -> None:
    fault = Answer((Text("Half an answer"),), fault=EarlyEnd(after=5))
    async with harness(with_attempts(tmp_path / "world", 1), ADA, script=[fault, "All is well."]) as chat:
        told = await chat.say("Hello")

        partial = next(event.body for event in told.events if isinstance(event.body, PartialMessage))
        assert partial.text
        assert "Half an answer".startswith(partial.text)
        await check_next_turn(chat)
        sent = chat.provider.requests[-1].body["messages"]
        assert [message["role"] for message in sent] == ["user", "assistant", "user"]
        assert sent[1]["content"][0]["text"].startswith(partial.text)
        assert "cut off" in sent[1]["content"][0]["text"]


async def test_a_fault_before_the_first_content_is_retried_after_what_the_provider_asks_for(tmp_path: Path) -> None:
    script: list[Entry] = [HttpError(529), HttpError(429, headers={"retry-after": "7"}), "All is well."]
    clock = StillClock()
    async with harness(with_attempts(tmp_path / "world", 3), ADA, script=script, clock=clock) as chat:
        waits: list[float] = []
        items = []
        async for item in chat.host.turn(ADA, chat.session.id, "Hello"):
            items.append(item)
            if isinstance(item.body, Retrying):
                waits.append(item.body.seconds)
                # The turn sleeps on the still clock; moving it is what lets it go on.
                await _when_asleep(clock, item.body.seconds)

        assert 0.25 <= waits[0] <= 0.75
        assert waits[1:] == [7.0]
        assert Told(tuple(items)).text == "All is well."
        await check_books(chat, ["failed", "failed", "ok"])


async def _when_asleep(clock: StillClock, seconds: float) -> None:
    from anyio.lowlevel import checkpoint  # noqa: PLC0415  # used here alone

    for _ in range(20):
        await checkpoint()
    clock.move(seconds)


@pytest.mark.parametrize("reason", ["max_tokens", "tool_use"])
async def test_truncated_arguments_are_never_run(tmp_path: Path, reason: str) -> None:
    """B061, B062: cut by the output limit, or said to be a call although its JSON is open."""
    cut = Answer((Text("Writing"), ToolUse("note", raw='{"account": "acc-1", "text": "fir')), stop_reason=reason)
    async with harness(with_attempts(tmp_path / "world", 1), ADA, script=[cut, "I will write less.", "All is well."]) as chat:
        told = await chat.say("Note something long")

        assert [outcome.code for outcome in told.outcomes] == ["invalid"]
        assert told.ended.status == "done"
        assert effects(tmp_path / "world") == []
        call = chat.provider.requests[-1].body["messages"][1]["content"][1]
        assert call["input"] == {}
        await check_next_turn(chat)


async def test_complete_arguments_of_a_message_cut_by_the_output_limit_are_not_run_either(tmp_path: Path) -> None:
    cut = Answer((ToolUse("rate", {}),), stop_reason="max_tokens")
    async with harness(with_attempts(tmp_path / "world", 1), ADA, script=[cut, "Less.", "All is well."]) as chat:
        told = await chat.say("What is the rate?")

        assert [(outcome.code, outcome.step) for outcome in told.outcomes] == [("invalid", "cut")]
        assert "output limit" in told.outcomes[0].shown.summary
        await check_next_turn(chat)


async def test_unknown_blocks_and_thinking_come_back_as_they_were(tmp_path: Path) -> None:
    blocks = (Thinking("Let me think."), Raw({"type": "new_block_2027", "x": {"b": 1, "a": [1.0]}}), Text("Hm."), ToolUse("rate", {}))
    async with harness(with_attempts(tmp_path / "world", 1), ADA, script=[Answer(blocks), "Three.", "All is well."]) as chat:
        told = await chat.say("Rate?")

        assert told.text == "Hm.\nThree."
        await check_next_turn(chat)


async def test_a_provider_that_pauses_in_its_own_work_is_asked_to_go_on(tmp_path: Path) -> None:
    search = Raw({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "weather"}})
    paused = Answer((Text("Searching."), search), stop_reason="pause_turn")
    async with harness(with_attempts(tmp_path / "world", 1), ADA, script=[paused, "It is sunny.", "All is well."]) as chat:
        told = await chat.say("Weather?")

        assert told.text == "Searching.\nIt is sunny."
        assert (told.ended.status, told.ended.model_requests) == ("done", 2)
        await check_next_turn(chat)


async def test_at_the_bound_the_model_is_asked_once_more_without_tools(tmp_path: Path) -> None:
    """B066"""
    made = book(tmp_path / "world")
    made.limits = Limits(model_requests=5)
    look, ask = ToolUse("accounts", {}), ToolUse("rate", {})
    script: list[Entry] = [ask, look, ask, look, "Here is what I found."]
    async with harness(made, ADA, script=script) as chat:
        told = await chat.say("Look at everything")

        assert told.ended.status == "limit"
        assert told.text == "Here is what I found."
        assert [request.body["tool_choice"]["type"] for request in chat.provider.requests] == ["auto"] * 4 + ["none"]
        assert len(told.outcomes) == 4


async def test_the_same_failing_call_is_not_tried_a_third_time(tmp_path: Path) -> None:
    """B068"""
    again = ToolUse("note", {"account": "acc-9", "text": "x"})
    async with harness(book(tmp_path / "world"), ADA, script=[again, again, again, "I can't."]) as chat:
        told = await chat.say("Note x")

        assert [outcome.code for outcome in told.outcomes] == ["invalid", "invalid", "limit"]
        assert told.ended.status == "limit"
        assert told.ended.model_requests == 4


async def test_a_stop_closes_the_upstream_stream_and_keeps_what_was_said(tmp_path: Path) -> None:
    """B081: one row, aborted, its input as reported, its output estimated."""
    import anyio  # noqa: PLC0415  # used here alone

    from handgriff.testing.loopback.script import Hold  # noqa: PLC0415

    never = anyio.Event()
    held = Answer((Text("I am telling a long story", chunk=4),), holds=(Hold(6, never.wait),))
    async with harness(book(tmp_path / "world"), ADA, script=[held, "All is well."]) as chat:
        items = []
        async for item in chat.host.turn(ADA, chat.session.id, "Tell me"):
            items.append(item)
            if len(items) == 3:
                await chat.host.stop(ADA, chat.session.id)
        told = Told(tuple(items))

        assert told.ended.status == "aborted"
        assert not any(isinstance(event.body, AssistantMessage) for event in told.events)
        never.set()
        await chat.provider.ended(0)
        assert chat.provider.requests[0].disconnected_after is not None
        engine = await chat.host.engine()
        [row] = await engine.store.requests(ADA.tenant, session=chat.session.id)
        assert (row.status, row.estimated, row.aborted_by) == ("aborted", True, "stop")
        assert row.output_tokens > 0
        assert row.cost_pico
        await check_next_turn(chat)
