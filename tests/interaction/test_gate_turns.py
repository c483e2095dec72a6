"""The gate inside a turn: order, results for every call, a history that only grows, and what the model is told. Cases B031, B034, B072."""

import json
from itertools import pairwise
from typing import Any

import pytest

from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.prompt import extends
from handgriff.testing.loopback.script import Script, ToolUse
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio


def opened(office: Office, script: Script, **options: Any) -> Any:
    return harness(office.assistant(**options), ADA, callers=everybody, script=script)


def uses(*tools: str) -> list[ToolUse]:
    return [ToolUse(tool, {}) for tool in tools]


def told(chat: Harness) -> list[str]:
    """The texts of the user messages as the provider received them last, without results."""
    messages = chat.provider.requests[-1].body["messages"]
    blocks = [block for message in messages if message["role"] == "user" for block in message["content"]]
    return [block["text"] for block in blocks if block["type"] == "text"]


def results(chat: Harness) -> list[dict[str, Any]]:
    messages = chat.provider.requests[-1].body["messages"]
    return [block for message in messages for block in message["content"] if block["type"] == "tool_result"]


async def test_a_forbidden_call_between_two_allowed_ones_gets_its_result_and_stops_neither() -> None:
    office = Office()
    async with opened(office, [uses("look", "discharge", "submit"), "Done."]) as chat:
        said = await chat.say("Go.")

        assert [outcome.code for outcome in said.outcomes] == [None, "closed", None]
        assert office.ran == ["look", "submit"]
        assert [result.get("is_error", False) for result in results(chat)] == [False, True, False]
        assert chat.provider.violations == ()


async def test_a_refused_event_is_refused_to_its_sender_and_later_ones_are_processed() -> None:
    office = Office()
    async with opened(office, [uses("submit"), "Submitted.", uses("discharge", "reject"), "Rejected."]) as chat:
        await chat.say("Submit.")
        said = await chat.say("Pay, or reject.")

        assert [(outcome.tool, outcome.code) for outcome in said.outcomes] == [("discharge", "closed"), ("reject", None)]
        assert (await chat.host.workflows.states(ADA, chat.session.id))["paper"] == "draft"


async def test_firing_calls_of_one_message_run_in_their_order_and_each_sees_what_the_one_before_moved() -> None:
    office = Office()
    async with opened(office, [uses("submit", "approve", "audit", "discharge"), "Paid."]) as chat:
        said = await chat.say("All of it.")

        assert [outcome.code for outcome in said.outcomes] == [None] * 4
        assert office.ran == ["submit", "approve", "audit", "discharge"]


async def test_the_list_is_the_same_in_every_request_and_the_history_only_grows() -> None:
    script: list[Any] = [uses("submit"), "One.", uses("discharge"), "Two.", uses("approve", "discharge"), "Three."]
    async with opened(Office(), script) as chat:
        for text in ("One", "Two", "Three"):
            await chat.say(text)

        requests = chat.provider.requests
        assert len({json.dumps(request.body["tools"]) for request in requests}) == 1
        assert all(extends(one.raw, two.raw) for one, two in pairwise(requests))


async def test_what_no_state_ever_opens_is_not_offered() -> None:
    async with opened(Office(), ["Hello."], unbound="closed") as chat:
        await chat.say("Hello?")

        offered = [tool["name"] for tool in chat.provider.requests[0].body["tools"]]
        assert offered == ["approve", "audit", "discharge", "reject", "submit"]


async def test_the_first_message_says_where_the_workflow_is_and_what_is_open() -> None:
    async with opened(Office(), ["Hello."]) as chat:
        await chat.say("Hello?")

        assert told(chat) == ["The paper is in 'draft' now. Open there: submit.", "Hello?"]


async def test_what_the_models_own_call_has_moved_is_told_by_its_result_alone() -> None:
    async with opened(Office(), ["Hello.", uses("submit"), "Done.", "Yes."]) as chat:
        await chat.say("Hello?")
        await chat.say("Submit.")
        await chat.say("And?")

        assert told(chat)[1:] == ["Hello?", "Submit.", "And?"]
        assert '"state":"review"' in json.dumps(results(chat)).replace("\\", "").replace(" ", "")


async def test_what_somebody_else_has_moved_is_told_with_the_next_message() -> None:
    async with opened(Office(), ["Hello.", "Yes."]) as chat:
        await chat.say("Hello?")
        await chat.host.call(ADA, "submit", {}, session=chat.session.id)
        await chat.say("And?")

        assert told(chat)[-2:] == ["The paper is in 'review' now. Open there: approve, reject.", "And?"]
