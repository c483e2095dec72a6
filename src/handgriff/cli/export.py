"""`sessions export`: a whole session as JSON Lines. Its row, each event with how state changed, then what stands in state and scratch.

Below are the core's values; above, the command. Unlike what `sessions show --json` prints, this is complete: what only a provider reads is
in it, so an export is to be kept like the store itself.
"""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from handgriff.cli.records import scratch_record
from handgriff.core import jsontext
from handgriff.core.codec import pack
from handgriff.core.delta import KINDS, Delta, Operation
from handgriff.core.events import KINDS as EVENTS
from handgriff.core.events import Event
from handgriff.core.jsontext import Json
from handgriff.core.rows import Record, Session

_EVENTS: Final[Mapping[type, str]] = {body: name for name, body in EVENTS.items()}
_OPERATIONS: Final[Mapping[type, str]] = {kind: name for name, kind in KINDS.items()}


def session_line(session: Session) -> dict[str, Json]:
    """The first line: the session's row."""
    return {"type": "session", **_packed(session)}


def event_line(event: Event) -> dict[str, Json]:
    """One event, with its delta."""
    place: dict[str, Json] = {"seq": event.seq, "id": event.id, "turn": event.turn, "at": event.at.isoformat()}
    return {"type": _EVENTS[type(event.body)], **place, **_packed(event.body), "delta": delta_record(event.delta)}


def state_line(values: Mapping[str, Any]) -> dict[str, Json]:
    """What stands in state, by key with its prefix."""
    return {"type": "state", "values": dict(values)}


def scratch_line(record: Record) -> dict[str, Json]:
    """One scratch record."""
    return {"type": "scratch", **scratch_record(record)}


def delta_record(delta: Delta) -> list[Json]:
    """How state changed: its operations, each by the name of what it does."""
    return [_operation(operation) for operation in delta]


def _operation(operation: Operation) -> dict[str, Json]:
    values = {item.name: getattr(operation, item.name) for item in fields(operation)}
    if not values.get("namespace"):
        values.pop("namespace", None)
    return {"op": _OPERATIONS[type(operation)], **{name: _value(name, value) for name, value in values.items()}}


def _value(name: str, value: object) -> Json:
    if isinstance(value, datetime):
        return value.isoformat()
    if name == "value" and isinstance(value, str):
        return jsontext.loads(value)
    return value  # type: ignore[return-value]  # scopes, keys, versions and sums


def _packed(record: object) -> dict[str, Json]:
    packed = pack(record)
    if not isinstance(packed, dict):
        raise TypeError(f"{type(record).__name__} is no record")
    return packed
