"""Records as rows: the fields of a frozen dataclass are columns of its table. Moments are moments there; tuples and dataclasses are
JSON text.

A record is written as a JSON object whose members are the columns, and read from a row by their names.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from handgriff.core import jsontext
from handgriff.core.codec import pack, unpack
from handgriff.core.rows import Effect, Lease, Pinned, Proposal, QueuedHook, Request, Session, Workflow
from handgriff.stores.postgres.texts import given, kept, kept_tenant

R = TypeVar("R")
Row: TypeAlias = Mapping[str, Any]
Word: TypeAlias = str | None
"""What is sent of a value: text, or NULL."""


class Columns(Generic[R]):
    """How the records of one kind become rows, and rows records."""

    def __init__(self, kind: type[R]) -> None:
        hints = get_type_hints(kind)
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass; typing has no public bound for one
        self._kind = kind
        self._ways = [(name, *_way(name, hints[name])) for name in names]

    def text(self, record: R) -> str:
        """*record* as a JSON object."""
        return _object({name: write(getattr(record, name)) for name, write, _ in self._ways})

    def record(self, row: Row) -> R:
        """The record of a row."""
        return self._kind(*[read(row[name]) for name, _, read in self._ways])


def session_text(session: Session) -> str:
    """*session* as a JSON object, its lease spread over columns."""
    lease, active = session.lease, session.active_at or session.created_at
    return _object(
        {
            "tenant": kept_tenant(session.tenant),
            "id": kept(session.id),
            "user": kept(session.user),
            "created_at": session.created_at.isoformat(),
            "head": session.head,
            "title": _kept(session.title),
            "alias": _kept(session.alias),
            "pinned": None if session.pinned is None else pinned_text(session.pinned),
            "lease_epoch": lease.epoch,
            "lease_turn": _kept(lease.turn),
            "lease_holder": _kept(lease.holder),
            "lease_until": moment(lease.until),
            "lease_stop": lease.stop,
            "active_at": moment(session.active_at),
            "active_day": active.astimezone(UTC).date().isoformat(),
        }
    )


def session_record(row: Row) -> Session:
    """The session of a row."""
    return Session(
        given(row["tenant"]),
        given(row["user"]),
        given(row["id"]),
        row["created_at"],
        row["head"],
        _given(row["title"]),
        _given(row["alias"]),
        None if row["pinned"] is None else unpack(Pinned, jsontext.loads(row["pinned"])),
        Lease(row["lease_epoch"], _given(row["lease_turn"]), _given(row["lease_holder"]), row["lease_until"], row["lease_stop"]),
        row["active_at"],
    )


def pinned_text(pinned: Pinned) -> str:
    """What a session keeps, as one text that is equal where the values are."""
    return jsontext.admit(pack(pinned))


def moment(at: datetime | None) -> str | None:
    """*at* as it is written."""
    return None if at is None else at.isoformat()


_Way = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def _way(name: str, hint: Any) -> _Way:
    if name == "tenant":
        return kept_tenant, given
    if datetime in (hint, *get_args(hint)):
        return moment, _as_it_is
    if get_origin(hint) is tuple:
        return lambda value: jsontext.admit(pack(value)), lambda text: unpack(hint, jsontext.loads(text))
    if any(map(is_dataclass, get_args(hint))):
        return (
            lambda value: None if value is None else jsontext.admit(pack(value)),
            lambda text: None if text is None else unpack(hint, jsontext.loads(text)),
        )
    return _kept, _given


def _kept(value: Any) -> Any:
    return kept(value) if isinstance(value, str) else value


def _given(value: Any) -> Any:
    return given(value) if isinstance(value, str) else value


def _as_it_is(value: Any) -> Any:
    return value


def _object(members: Mapping[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False)


EFFECT = Columns(Effect)
PROPOSAL = Columns(Proposal)
HOOK = Columns(QueuedHook)
REQUEST = Columns(Request)
WORKFLOW = Columns(Workflow)
