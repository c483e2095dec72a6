"""Bindings are enforced at the call: open exactly in their states, moved by successes alone, refused with the way. Cases B028, B032."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handgriff import Host, Refusal, Result
from handgriff.core.events import CallOutcome
from handgriff.core.outcome import Outcome
from handgriff.testing.harness import Harness, harness
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(office: Office, **options: Any) -> AsyncIterator[Harness]:
    async with harness(office.assistant(**options), ADA, callers=everybody) as chat:
        yield chat


async def called(chat: Harness, tool: str, **arguments: Any) -> Outcome:
    return await chat.host.call(ADA, tool, arguments, session=chat.session.id)


def text(outcome: Outcome) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(outcome.text)
    return read


async def state(host: Host, session: str) -> str:
    return (await host.workflows.states(ADA, session))["paper"]


async def test_a_call_out_of_its_state_is_refused_before_its_handler_with_state_allowed_tools_and_the_way() -> None:
    office = Office()
    async with opened(office) as chat:
        refused = await called(chat, "discharge")

        assert office.ran == []
        told = text(refused)
        assert (told["refused"], told["machine"], told["state"]) == ("closed", "paper", "draft")
        assert told["allowed"] == ["look", "submit"]
        assert told["path"] == ["submit", "approve", "discharge"]


async def test_successes_move_the_workflow_and_each_result_tells_where_it_is() -> None:
    office = Office()
    async with opened(office) as chat:
        told = [text(await called(chat, tool))["workflow"] for tool in ("submit", "approve", "discharge")]

        assert told == [
            {"machine": "paper", "state": "review", "open": ["approve", "reject"]},
            {"machine": "paper", "state": "approved", "open": ["audit", "discharge"]},
            {"machine": "paper", "state": "discharged", "open": ["audit"]},
        ]
        assert office.ran == ["submit", "approve", "discharge"]
        assert await state(chat.host, chat.session.id) == "discharged"


async def test_a_tool_bound_to_several_states_or_none_is_open_there_and_moves_nothing() -> None:
    office = Office()
    async with opened(office) as chat:
        assert (await called(chat, "audit")).code == "closed"
        assert (await called(chat, "look")).code is None
        await called(chat, "submit")
        await called(chat, "approve")

        assert (await called(chat, "audit")).code is None
        assert await state(chat.host, chat.session.id) == "approved"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("refuses", "denied"),
        ("raises", "indeterminate"),
        ("vetoes", None),
    ],
)
async def test_what_did_not_succeed_or_vetoes_fires_nothing(how: str, code: str | None) -> None:
    def refuse() -> Result[None]:
        raise Refusal("denied", "Not today.")

    def fail() -> Result[None]:
        raise RuntimeError("broken")

    answers = {"refuses": refuse, "raises": fail, "vetoes": lambda: Result("Almost.", fires=None)}
    office = Office(instead={"submit": answers[how]})
    async with opened(office) as chat:
        assert (await called(chat, "submit")).code == code
        assert await state(chat.host, chat.session.id) == "draft"

        office.instead.clear()
        again = await called(chat, "submit")
        # Only what is uncertain keeps others out, until somebody says what became of it.
        assert again.code == ("indeterminate" if how == "raises" else None)


async def test_sessions_have_instances_of_their_own() -> None:
    office = Office()
    async with opened(office) as chat:
        other = await chat.host.sessions.create(ADA)
        await called(chat, "submit")

        assert await state(chat.host, other.id) == "draft"
        assert await state(chat.host, chat.session.id) == "review"


async def test_the_events_of_calls_hold_their_transitions() -> None:
    async with opened(Office()) as chat:
        await called(chat, "submit")

        [moved] = [event.body.moved for event in await chat.events() if isinstance(event.body, CallOutcome)]
        assert moved is not None
        assert (moved.machine, moved.before, moved.after) == ("paper", "draft", "review")


async def test_what_is_bound_to_nothing_can_be_closed() -> None:
    office = Office()
    async with opened(office, unbound="closed") as chat:
        refused = await called(chat, "look")

        assert refused.code == "closed"
        assert text(refused)["allowed"] == ["submit"]
        assert office.ran == []


async def test_the_varying_list_holds_what_is_open_and_its_short_descriptions_only_at_the_beginning() -> None:
    async with opened(Office()) as chat:
        offered = {tool.contract.name: tool.description for tool in await chat.host.workflows.offered(ADA, chat.session.id)}
        assert sorted(offered) == ["look", "submit"]
        await called(chat, "submit")

        after = {tool.contract.name for tool in await chat.host.workflows.offered(ADA, chat.session.id)}
        assert after == {"approve", "look", "reject"}
