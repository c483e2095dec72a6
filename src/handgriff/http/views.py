"""What the JSON routes show of sessions, events, proposals and tools.

Below are stored records; above, the routes. No view holds what was meant for the model: data, wire texts, digests, grants.
"""

from datetime import datetime
from typing import assert_never

from handgriff.core import jsontext
from handgriff.core.catalogue import say
from handgriff.core.contract import Contract
from handgriff.core.events import (
    AssistantMessage,
    CallOutcome,
    Decision,
    Event,
    OperatorChange,
    ParkedCall,
    PartialMessage,
    SessionCreated,
    TurnEnded,
    UserMessage,
)
from handgriff.core.jsontext import Json
from handgriff.core.rows import Proposal, Session
from handgriff.core.titles import title_in
from handgriff.http.content import changes, content
from handgriff.http.interrupt import shown


def session_view(session: Session, now: datetime) -> dict[str, Json]:
    """A session in a list."""
    return {
        "id": session.id,
        "title": session.title,
        "alias": session.alias,
        "created_at": session.created_at.isoformat(),
        "head": session.head,
        "is_running": session.lease.is_held(now),
    }


def event_view(event: Event) -> dict[str, Json]:
    """A stored event."""
    return {"seq": event.seq, "at": event.at.isoformat(), "turn": event.turn, **_body(event)}


def proposal_view(proposal: Proposal, locale: str, now: datetime) -> dict[str, Json]:
    """A proposal, as whoever decides must see it: never its code, nor what is kept of it."""
    state = proposal.state_at(now)
    return {
        "id": proposal.id,
        "session": proposal.session,
        "call": proposal.call,
        "tool": proposal.tool,
        "user": proposal.user,
        "arguments": jsontext.loads(proposal.arguments),
        "summary": proposal.summary,
        "diff": changes(proposal.diff),
        "count": proposal.count,
        "sample": list(proposal.sample),
        "confirm": proposal.confirm,
        "code_sent": proposal.code is not None,
        "state": state,
        "state_text": say(f"state_{state}", locale),
        "created_at": proposal.created_at.isoformat(),
        "expires_at": proposal.expires_at.isoformat(),
        "decided_at": proposal.decided_at.isoformat() if proposal.decided_at else None,
        "decided_by": proposal.decided_by,
    }


def outcome_view(outcome: CallOutcome) -> dict[str, Json]:
    """How a call ended."""
    return {"call": outcome.call, "tool": outcome.tool, "code": outcome.code, **content(outcome)}


def tool_view(contract: Contract, locale: str, description: str | None = None) -> dict[str, Json]:
    """A tool of the menu, with the *description* it has in a list that varies."""
    return {
        "name": contract.name,
        "title": title_in(contract.title, locale) or contract.name,
        "toolbox": contract.toolbox,
        "description": description or contract.description.text,
        "effect": contract.effect,
        "confirm": contract.confirm_word,
        "arguments": jsontext.loads(contract.schema.text),
    }


def _body(event: Event) -> dict[str, Json]:
    match event.body:
        case SessionCreated():
            return {"kind": "session_created"}
        case UserMessage() as said:
            return {"kind": "user_message", "text": said.text}
        case AssistantMessage() as message:
            calls: list[Json] = [{"id": call.id, "tool": call.tool, "arguments": call.arguments} for call in message.calls]
            return {"kind": "assistant_message", "id": message.request, "text": message.text, "calls": calls}
        case PartialMessage(request, text):
            return {"kind": "partial_message", "id": request, "text": text}
        case CallOutcome() as outcome:
            return {"kind": "call_outcome", **outcome_view(outcome), "parent": outcome.parent, "late": outcome.late}
        case Decision(proposal, call, state):
            return {"kind": "decision", "proposal": proposal, "call": call, "state": state}
        case OperatorChange(what):
            return {"kind": "operator_change", "what": what}
        case TurnEnded() as ended:
            parked: list[Json] = [_parked(call) for call in ended.parked]
            return {"kind": "turn_ended", "status": ended.status, "code": ended.code, "message": ended.message, "parked": parked}
        case _:
            assert_never(event.body)


def _parked(parked: ParkedCall) -> dict[str, Json]:
    return {
        "proposal": parked.proposal,
        "call": parked.call,
        "tool": parked.tool,
        "summary": parked.summary,
        **shown(parked),
        "expires_at": parked.expires_at.isoformat(),
    }
