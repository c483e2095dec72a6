"""The reading half: one connection, microseconds a question, so it asks on the event loop. One statement is one consistent view."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from handgriff.core.events import Event, ProposalState, decode
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook, Request, Session
from handgriff.core.seen import SHORTEST, stands_alone
from handgriff.core.state import Scope, Value
from handgriff.stores.sqlite.columns import moment, session_record
from handgriff.stores.sqlite.faults import fault
from handgriff.stores.sqlite.records import EFFECT, HOOK, PROPOSAL, REQUEST
from handgriff.stores.sqlite.statements import filtered, listed, statements

R = TypeVar("R")
_SESSIONS = statements("sessions")
_EVENTS = statements("events")
_EFFECTS = statements("effects")
_LEDGER = statements("ledger")


class Reads:
    """The reads of the store port. What they promise is said there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._reading = connection

    async def session(self, tenant: str, session: str) -> Session | None:
        """The session, of whichever user."""
        return self._one(session_record, _SESSIONS["session"], {"tenant": tenant, "session": session})

    async def session_by_alias(self, tenant: str, user: str, alias: str) -> Session | None:
        """The session a client's thread id stands for."""
        return self._one(session_record, _SESSIONS["session_by_alias"], {"tenant": tenant, "user": user, "alias": alias})

    async def sessions(self, tenant: str, user: str, *, before: str | None = None, limit: int = 50) -> Sequence[Session]:
        """A user's sessions, newest first."""
        statement = _SESSIONS["newest_sessions" if before is None else "older_sessions"]
        return self._all(session_record, statement, {"tenant": tenant, "user": user, "before": before, "limit": limit})

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events with a seq greater than *after*, in order."""
        place = {"tenant": tenant, "session": session, "after": after, "limit": -1 if limit is None else limit}
        return self._all(_event, _EVENTS["events"], place)

    async def seen(self, tenant: str, session: str, kind: str, value: str) -> Literal["introduced", "typed"] | None:
        """Whether *value* was introduced as *kind*, or stands in a typed text by itself."""
        place = {"tenant": tenant, "session": session, "kind": kind, "value": value}
        if self._one(_text, _EVENTS["introduced"], place) is not None:
            return "introduced"
        if len(value) < SHORTEST:
            return None
        # SQLite finds the value, as bytes; whether it stands alone is decided above. The texts are one session's.
        return "typed" if any(stands_alone(value, text) for text in self._all(_text, _EVENTS["typed_with"], place)) else None

    async def values(self, tenant: str, scope: Scope, scope_id: str, keys: Sequence[str] | None = None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        place: dict[str, Any] = {"tenant": tenant, "scope": scope, "scope_id": scope_id}
        if keys is None:
            return dict(self._all(_value, _EVENTS["all_values"], place))
        place |= {f"key{n}": key for n, key in enumerate(keys)}
        return dict(self._all(_value, listed(_EVENTS["some_values"], len(keys)), place))

    async def prefix(self, tenant: str, hash: str) -> str | None:  # noqa: A002  # the field's name
        """A kept prefix's text."""
        return self._one(_text, _LEDGER["prefix"], {"tenant": tenant, "hash": hash})

    async def effect(self, tenant: str, tool: str, key: str) -> Effect | None:
        """The record of this key."""
        return self._one(EFFECT.record, _EFFECTS["effect"], {"tenant": tenant, "tool": tool, "key": key})

    async def effects(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records, oldest claim first."""
        return self._filtered(EFFECT.record, _EFFECTS["effects"], tenant, {"session": session, "state": state})

    async def proposal(self, tenant: str, proposal: str) -> Proposal | None:
        """The proposal, of whichever user."""
        return self._one(PROPOSAL.record, _EFFECTS["proposal"], {"tenant": tenant, "proposal": proposal})

    async def proposals(
        self, tenant: str, *, user: str | None = None, session: str | None = None, state: ProposalState | None = None
    ) -> Sequence[Proposal]:
        """Proposals, oldest first."""
        return self._filtered(PROPOSAL.record, _EFFECTS["proposals"], tenant, {"user": user, "session": session, "state": state})

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        """Queued hooks, oldest first."""
        return self._all(HOOK.record, _EFFECTS["hooks"], {"tenant": tenant})

    async def requests(self, tenant: str, *, session: str | None = None, turn: str | None = None) -> Sequence[Request]:
        """Ledger rows, oldest first."""
        return self._filtered(REQUEST.record, _LEDGER["requests"], tenant, {"session": session, "turn": turn})

    def _filtered(
        self, record: Callable[[Sequence[Any]], R], statement: str, tenant: str, filters: Mapping[str, str | None]
    ) -> tuple[R, ...]:
        given = {column: value for column, value in filters.items() if value is not None}
        return self._all(record, filtered(statement, *given), {"tenant": tenant, **given})

    def _one(self, record: Callable[[Sequence[Any]], R], statement: str, values: Mapping[str, Any]) -> R | None:
        return next(iter(self._all(record, statement, values)), None)

    def _all(self, record: Callable[[Sequence[Any]], R], statement: str, values: Mapping[str, Any]) -> tuple[R, ...]:
        try:
            return tuple(map(record, self._reading.execute(statement, values).fetchall()))
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise fault("read", error) from error


def _event(row: Sequence[Any]) -> Event:
    seq, id_, turn, at, kind, body = row
    return Event(seq, id_, turn, moment(at), decode(kind, body))


def _value(row: Sequence[Any]) -> tuple[str, Value]:
    key, text, version = row
    return key, Value(text, version)


def _text(row: Sequence[Any]) -> str:
    text: str = row[0]
    return text
