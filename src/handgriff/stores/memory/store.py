"""The front of the memory store: one lock around a commit, reads as they are asked.

Texts are looked at before they are kept, so that a test on this store finds what a file would refuse.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from handgriff.core.batch import AppendEvent, Batch
from handgriff.core.events import Event, ProposalState
from handgriff.core.jsontext import JsonError
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook, Request, Session
from handgriff.core.seen import stands_alone
from handgriff.core.state import Scope, Value
from handgriff.errors import BackendError
from handgriff.ports.store import Committed
from handgriff.stores.memory.apply import apply
from handgriff.stores.memory.sessions import aliased_session
from handgriff.stores.memory.tables import Tables

R = TypeVar("R")


class MemoryStore:
    """Keeps everything until the process ends. What its methods promise is said by the store port."""

    def __init__(self) -> None:
        self._tables = Tables()
        self._lock = threading.Lock()
        self._is_closed = False

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:  # noqa: ARG002  # nothing here outlives the process
        """Write all of *batch* or nothing."""
        try:
            with self._lock, self._tables.whole():
                self._check_open()
                _check_texts(batch)
                return Committed(apply(self._tables, batch))
        except (UnicodeEncodeError, JsonError) as error:
            raise BackendError("memory", "commit", hint=f"The batch holds what no store can keep: {error}.") from error

    async def close(self) -> None:
        """Refuse what comes later."""
        self._is_closed = True

    async def session(self, tenant: str, session: str) -> Session | None:
        """The session, of whichever user."""
        return self._tables.sessions.get((tenant, session))

    async def session_by_alias(self, tenant: str, user: str, alias: str) -> Session | None:
        """The session a client's thread id stands for."""
        return aliased_session(self._tables, tenant, user, alias)

    async def sessions(self, tenant: str, user: str, *, before: str | None = None, limit: int = 50) -> Sequence[Session]:
        """A user's sessions, newest first."""
        mine = _having(self._tables.sessions, tenant=tenant, user=user)
        mine.sort(key=_age, reverse=True)
        if before is not None:
            last = next((session for session in mine if session.id == before), None)
            mine = [session for session in mine if last is not None and _age(session) < _age(last)]
        return tuple(mine[:limit])

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events with a seq greater than *after*, in order."""
        owner = self._tables.sessions.get((tenant, session))
        seqs = range(max(after, 0) + 1, owner.head + 1) if owner is not None else range(0)
        found = (self._tables.events.get((tenant, session, seq)) for seq in seqs)
        return tuple(event for event in found if event is not None)[:limit]

    async def seen(self, tenant: str, session: str, kind: str, value: str) -> Literal["introduced", "typed"] | None:
        """Whether *value* was introduced as *kind*, or stands in a typed text by itself."""
        if (tenant, session, kind, value) in self._tables.introduced:
            return "introduced"
        texts = self._tables.typed.get((tenant, session), ())
        return "typed" if any(stands_alone(value, text) for text in texts) else None

    async def values(self, tenant: str, scope: Scope, scope_id: str, keys: Sequence[str] | None = None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        cells = self._tables.state.get((tenant, scope, scope_id), {})
        wanted: Iterable[str] = cells if keys is None else (key for key in keys if key in cells)
        found = ((key, *cells[key]) for key in wanted)
        return {key: Value(text, version) for key, text, version in found if text is not None}

    async def prefix(self, tenant: str, hash: str) -> str | None:  # noqa: A002  # the field's name
        """A kept prefix's text."""
        return self._tables.prefixes.get((tenant, hash))

    async def effect(self, tenant: str, tool: str, key: str) -> Effect | None:
        """The record of this key."""
        return self._tables.effects.get((tenant, tool, key))

    async def effects(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records, oldest claim first."""
        found = _having(self._tables.effects, tenant=tenant, session=session, state=state)
        return tuple(sorted(found, key=lambda effect: effect.claimed_at))

    async def proposal(self, tenant: str, proposal: str) -> Proposal | None:
        """The proposal, of whichever user."""
        return self._tables.proposals.get((tenant, proposal))

    async def proposals(
        self, tenant: str, *, user: str | None = None, session: str | None = None, state: ProposalState | None = None
    ) -> Sequence[Proposal]:
        """Proposals, oldest first."""
        found = _having(self._tables.proposals, tenant=tenant, user=user, session=session, state=state)
        return tuple(sorted(found, key=lambda proposal: proposal.created_at))

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        """Queued hooks, oldest first."""
        return tuple(_having(self._tables.hooks, tenant=tenant))

    async def requests(self, tenant: str, *, session: str | None = None, turn: str | None = None) -> Sequence[Request]:
        """Ledger rows, oldest first."""
        found = _having(self._tables.requests, tenant=tenant, session=session, turn=turn)
        return tuple(sorted(found, key=lambda request: request.opened_at))

    def _check_open(self) -> None:
        if self._is_closed:
            cause = RuntimeError("the store is closed")
            raise BackendError("memory", "commit", hint="The store is closed.") from cause


def _age(session: Session) -> tuple[datetime, str]:
    return session.created_at, session.id


def _having(table: Mapping[Any, R], **fields_: str | None) -> list[R]:
    wanted = [(name, value) for name, value in fields_.items() if value is not None]
    return [record for record in table.values() if all(getattr(record, name) == value for name, value in wanted)]


def _check_texts(batch: Batch) -> None:
    for operation in batch:
        if not isinstance(operation, AppendEvent):  # a body's texts are mended when it is encoded
            for text in _texts(operation):
                text.encode()


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))
