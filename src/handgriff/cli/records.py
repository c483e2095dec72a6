"""What `--json` prints: events, frames and rows as plain values, by the names a reader of the documentation expects.

Below are the core's values; above, the commands. What only a provider reads (`wire`) and what only the store needs is left out, and so is
a field that has its default.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, assert_never

from handgriff.core import jsontext
from handgriff.core.claim import read_outcome
from handgriff.core.codec import pack
from handgriff.core.contract import Contract
from handgriff.core.events import KINDS, CallOutcome, Event, Frame, Item, Moved, Progress, Retrying, Shown, TextDelta
from handgriff.core.jsontext import Json
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Effect, Proposal, Record, Session
from handgriff.errors import Refusal

_TYPES: Final[Mapping[type, str]] = {
    **{body: name for name, body in KINDS.items()},
    TextDelta: "text_delta",
    Progress: "progress",
    Retrying: "retrying",
}
_OF_THE_PROVIDER: Final = frozenset({"wire", "wire_id", "digest"})


def item_record(item: Item) -> dict[str, Json]:
    """An event or a frame: `type`, where it stands, and its body's fields."""
    body = _public(pack(item.body))
    fields = body if isinstance(body, dict) else {}
    match item:
        case Event(seq, id_, turn, at, _):
            place: dict[str, Json] = {"seq": seq, "id": id_, "turn": turn, "at": at.isoformat()}
        case Frame(seq, offset, turn, _):
            place = {"seq": seq, "offset": offset, "turn": turn}
        case _:
            assert_never(item)
    return {"type": _TYPES[type(item.body)], **place, **fields}


def outcome_item(outcome: CallOutcome) -> Json:
    """A call's end as its event tells it."""
    return _public(pack(outcome))


def session_record(session: Session) -> dict[str, Json]:
    """A session, without what its provider pinned."""
    return {
        "id": session.id,
        "title": session.title,
        "alias": session.alias,
        "created_at": session.created_at.isoformat(),
        "head": session.head,
        "lane": session.pinned.lane if session.pinned else None,
        "turn": session.lease.turn,
    }


def proposal_record(proposal: Proposal) -> dict[str, Json]:
    """A proposal, with exactly the arguments that would run: never its code, nor what is kept of it."""
    return {
        "id": proposal.id,
        "state": proposal.state,
        "tool": proposal.tool,
        "arguments": jsontext.loads(proposal.arguments),
        "summary": proposal.summary,
        "diff": pack(proposal.diff),
        "count": proposal.count,
        "sample": list(proposal.sample),
        "user": proposal.user,
        "confirm": proposal.confirm,
        "code_sent": proposal.code is not None,
        "session": proposal.session,
        "turn": proposal.turn,
        "call": proposal.call,
        "created_at": proposal.created_at.isoformat(),
        "expires_at": proposal.expires_at.isoformat(),
        "decided_by": proposal.decided_by,
        "decided_at": _time(proposal.decided_at),
    }


def effect_record(effect: Effect) -> dict[str, Json]:
    """An effect record; its key is (tool, key) within the tenant."""
    return {
        "tool": effect.tool,
        "key": effect.key,
        "state": effect.state,
        "session": effect.session,
        "user": effect.user,
        "arguments": jsontext.loads(effect.arguments) if effect.arguments else None,
        "transaction": effect.transaction,
        "fires": None if effect.fires is None else pack(effect.fires),
        "turn": effect.turn,
        "call": effect.call,
        "claimed_at": effect.claimed_at.isoformat(),
        "lease_until": effect.lease_until.isoformat(),
        "settled_at": _time(effect.settled_at),
        "steps": [name for name, _ in effect.steps],
        "result": None if effect.result is None else outcome_record(read_outcome(effect.result)),
        "proposal": effect.proposal,
        "resolved_by": effect.resolved_by,
    }


def scratch_record(record: Record) -> dict[str, Json]:
    """A scratch record; its key is (session, namespace) within the tenant."""
    return {
        "session": record.session,
        "namespace": record.namespace,
        "expires_at": record.expires_at.astimezone(UTC).isoformat(),
        "data": {key: value.json() for key, value in record.values.items()},
    }


def outcome_record(outcome: Outcome) -> dict[str, Json]:
    """A call's end: the refusal with its facts, or summary, link, diff and data."""
    if outcome.code is not None:
        told = jsontext.loads(outcome.text)
        return told if isinstance(told, dict) else {"refused": outcome.code, "message": outcome.shown.summary}
    data = None if outcome.data is None else jsontext.loads(outcome.data)
    return {**shown_record(outcome.shown), "data": data, "replayed": outcome.replayed, **moved_record(outcome.moved)}


def moved_record(moved: Moved | None) -> dict[str, Json]:
    """The workflow that a call has moved, or begun."""
    if moved is None:
        return {}
    return {"workflow": {"machine": moved.machine, "handle": moved.handle, "before": moved.before, "after": moved.after}}


def shown_record(shown: Shown) -> dict[str, Json]:
    """What people see of an outcome."""
    return {"summary": shown.summary, "link": shown.link, "diff": pack(shown.diff)}


def contract_record(contract: Contract) -> dict[str, Json]:
    """A tool of the menu."""
    return {
        "name": contract.name,
        "toolbox": contract.toolbox,
        "effect": contract.effect,
        "confirm": contract.confirm_word,
        "description": contract.description.text,
        "schema": jsontext.loads(contract.schema.text),
    }


def refusal_record(refusal: Refusal) -> dict[str, Json]:
    """A refusal with its facts."""
    return {
        "refused": refusal.code,
        "message": refusal.message,
        "next": refusal.next,
        **{name: pack(fact) for name, fact in refusal.facts.items()},
    }


def _public(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _public(item) for name, item in value.items() if name not in _OF_THE_PROVIDER}
    return [_public(item) for item in value] if isinstance(value, list) else value


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
