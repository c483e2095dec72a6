"""What tests of the runtime share: people of two tenants, descriptions nobody reads, and short ways to look at what was stored."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from handgriff import Assistant, Caller, Host, Limits, Toolbox
from handgriff.core.events import CallOutcome, Decision, Event, Item, TurnEnded
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Request
from handgriff.testing.harness import Harness
from handgriff.testing.loopback.journal import Request as Received

ADA = Caller("acme", "ada", permissions={"refund", "note"}, roles={"clerk"}, modules={"shop"})
BOB = Caller("acme", "bob", permissions={"refund", "note"})
EVE = Caller("globex", "eve", permissions={"refund", "note"})
ADA_ELSEWHERE = Caller("globex", "ada", permissions={"refund", "note"})
PEOPLE = {(caller.tenant, caller.user): caller for caller in (ADA, BOB, EVE, ADA_ELSEWHERE)}

WORDS = "Use when: it is tested. Not for: anything else. Needs: nothing. Effect: as declared."
"""A description in its four parts."""


async def everybody(tenant: str, user: str) -> Caller | None:
    """Callers: everybody of both tenants."""
    return PEOPLE.get((tenant, user))


def assistant(*boxes: Toolbox, instructions: str = "You test.", context: str = "", **limits: Any) -> Assistant:
    """An assistant with these toolboxes."""
    return Assistant("desk", instructions=instructions, context=context, toolboxes=boxes, limits=Limits(**limits))


async def read(items: AsyncIterator[Item]) -> list[Item]:
    """Everything a turn yields."""
    return [item async for item in items]


async def events(host: Host, caller: Caller, session: str) -> list[Event]:
    """Everything stored of a session."""
    return list(await host.sessions.events(caller, session))


async def outcomes(chat: Harness) -> list[CallOutcome]:
    """Every call's end, as stored."""
    return [event.body for event in await chat.events() if isinstance(event.body, CallOutcome)]


async def decisions(chat: Harness) -> list[str]:
    """Every proposal's way, as stored."""
    return [event.body.state for event in await chat.events() if isinstance(event.body, Decision)]


async def endings(chat: Harness) -> list[str]:
    """Every turn's status, as stored."""
    return [event.body.status for event in await chat.events() if isinstance(event.body, TurnEnded)]


async def rows(chat: Harness) -> Sequence[Request]:
    """The session's ledger rows."""
    return await (await chat.host.engine()).store.requests(chat.caller.tenant, session=chat.session.id)


def told(request: Received) -> list[str]:
    """The tool results in a request's newest message, as the model reads them."""
    content = request.body["messages"][-1]["content"]
    return [block["content"] for block in content if block["type"] == "tool_result"]


def data(outcome: Outcome) -> Any:
    """What a call answered to a program."""
    return None if outcome.data is None else json.loads(outcome.data)
