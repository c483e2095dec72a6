"""The front of the memory store: one lock around a commit, reads as they are asked.

Texts are looked at before they are kept, so that a test on this store finds what a file would refuse.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, TypeVar

from handgriff.core.batch import AppendEvent, Batch
from handgriff.core.delta import Value
from handgriff.core.events import Event, ProposalState
from handgriff.core.jsontext import JsonError
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook, Record, Request, Session, Workflow
from handgriff.core.scope import Scope
from handgriff.core.seen import stands_alone
from handgriff.core.state import Totals
from handgriff.errors import BackendError
from handgriff.ports.store import Committed
from handgriff.stores.memory.apply import apply
from handgriff.stores.memory.conversation import totals
from handgriff.stores.memory.effects import is_owing
from handgriff.stores.memory.sessions import aliased_session
from handgriff.stores.memory.tables import Cells, Place, Tables
from handgriff.stores.memory.workflows import workflows_of

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
                return apply(self._tables, batch)
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
        return "typed" if any(stands_alone(value, text) for _, text in texts) else None

    async def values(self, tenant: str, scope: Scope, scope_id: str, keys: Sequence[str] | None = None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        cells = self._tables.state.get(Place(tenant, scope, scope_id), {})
        return _values(cells, cells if keys is None else (key for key in keys if key in cells))

    async def totals(self, tenant: str, scope: Scope, scope_id: str) -> Totals:
        """How much the scope holds."""
        return totals(self._tables.state.get(Place(tenant, scope, scope_id), {}))

    async def session_values(self, tenant: str, sessions: Sequence[str]) -> dict[str, dict[str, Value]]:
        """The session scope of each of *sessions* that holds anything."""
        found = {session: await self.values(tenant, "session", session) for session in sessions}
        return {session: values for session, values in found.items() if values}

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace."""
        return self._record(Place(tenant, "scratch", session, namespace), now)

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        places = sorted(place for place in self._tables.deadlines if place.tenant == tenant and session in (None, place.owner))
        return tuple(record for place in places if (record := self._record(place, now)) is not None)

    async def tenants(self) -> Sequence[str]:
        """Every tenant that has a session, state, effects, workflows or ledger rows, in order."""
        tables = self._tables
        keyed = (tables.sessions, tables.state, tables.effects, tables.workflows, tables.requests)
        return tuple(sorted({place[0] for table in keyed for place in table}))

    async def interrupted(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions whose lease is over and still names a turn."""
        found = [
            (lease.until, session.tenant, session.id)
            for session in self._tables.sessions.values()
            if (lease := session.lease).turn is not None and lease.until is not None and lease.until <= now
        ]
        return tuple((tenant, session) for _, tenant, session in sorted(found)[:limit])

    async def abandoned(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions with an effect that runs by its record and whose lease is over, oldest lease first."""
        found = sorted((each.lease_until, each.tenant, each.session) for each in self._tables.effects.values() if each.is_abandoned(now))
        return tuple(dict.fromkeys((tenant, session) for _, tenant, session in found))[:limit]

    async def uncertain(self, tools: Sequence[str], *, after: tuple[str, str] = ("", ""), limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions with an indeterminate effect of one of *tools*, in order."""
        wanted, effects = frozenset(tools), self._tables.effects.values()
        found = {(each.tenant, each.session) for each in effects if each.state == "indeterminate" and each.tool in wanted}
        return tuple(sorted(place for place in found if place > after)[:limit])

    async def queueing(self, *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Tenants for which hooks are queued, in order."""
        return tuple(sorted({tenant for tenant, _ in self._tables.hooks if tenant > after})[:limit])

    async def idle(self, tenant: str, before: datetime, *, limit: int = 100) -> Sequence[str]:
        """Ids of the tenant's sessions without an event since *before*, longest idle first."""
        mine = ((session.active_at or session.created_at, session.id) for session in _having(self._tables.sessions, tenant=tenant))
        return tuple(session for _, session in sorted(pair for pair in mine if pair[0] < before)[:limit])

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

    async def unsettled(self, tenant: str, *, session: str | None = None) -> Sequence[Effect]:
        """Records that are running or indeterminate, oldest claim first."""
        found = _having(self._tables.effects, tenant=tenant, session=session)
        return tuple(sorted((each for each in found if each.state in ("running", "indeterminate")), key=lambda effect: effect.claimed_at))

    async def owing(self, tenant: str, *, session: str | None = None, user: str | None = None) -> Sequence[Effect]:
        """Records that are done, and that an instance outside the store has still to follow; oldest claim first."""
        found = _having(self._tables.effects, tenant=tenant, session=session, user=user)
        return tuple(sorted((each for each in found if is_owing(each)), key=lambda effect: effect.claimed_at))

    async def proposal(self, tenant: str, proposal: str) -> Proposal | None:
        """The proposal, of whichever user."""
        return self._tables.proposals.get((tenant, proposal))

    async def proposals(
        self, tenant: str, *, user: str | None = None, session: str | None = None, state: ProposalState | None = None
    ) -> Sequence[Proposal]:
        """Proposals, oldest first."""
        found = _having(self._tables.proposals, tenant=tenant, user=user, session=session, state=state)
        return tuple(sorted(found, key=lambda proposal: proposal.created_at))

    async def for_second_person(self, tenant: str, now: datetime) -> Sequence[Proposal]:
        """Pending proposals that another person must confirm, oldest first."""
        found = _having(self._tables.proposals, tenant=tenant, state="pending", confirm="second_person")
        return tuple(sorted((each for each in found if now < each.expires_at), key=lambda proposal: proposal.created_at))

    async def waiting(self, tenant: str, user: str, now: datetime, *, session: str | None = None) -> Sequence[Proposal]:
        """A user's pending proposals that are not expired at *now*; oldest first."""
        found = _having(self._tables.proposals, tenant=tenant, user=user, session=session, state="pending")
        return tuple(sorted((each for each in found if now < each.expires_at), key=lambda proposal: proposal.created_at))

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        """Queued hooks, oldest first."""
        return tuple(_having(self._tables.hooks, tenant=tenant))

    async def workflow(self, tenant: str, machine: str, handle: str) -> Workflow | None:
        """The instance of this key, of whichever user."""
        return self._tables.workflows.get((tenant, machine, handle))

    async def workflows(self, tenant: str, *, session: str | None = None) -> Sequence[Workflow]:
        """A session's own instances, or all of the tenant's; by machine and handle."""
        return workflows_of(self._tables, tenant, session)

    async def requests(self, tenant: str, *, session: str | None = None, turn: str | None = None) -> Sequence[Request]:
        """Ledger rows, oldest first."""
        found = _having(self._tables.requests, tenant=tenant, session=session, turn=turn)
        return tuple(sorted(found, key=lambda request: request.opened_at))

    def _record(self, place: Place, now: datetime) -> Record | None:
        deadline = self._tables.deadlines.get(place)
        if deadline is None or deadline.at <= now:
            return None
        cells = self._tables.state.get(place, {})
        return Record(place.tenant, place.owner, place.namespace, deadline.at, _values(cells, cells))

    def _check_open(self) -> None:
        if self._is_closed:
            cause = RuntimeError("the store is closed")
            raise BackendError("memory", "commit", hint="The store is closed.") from cause


def _age(session: Session) -> tuple[datetime, str]:
    return session.created_at, session.id


def _values(cells: Cells, keys: Iterable[str]) -> dict[str, Value]:
    found = ((key, cells[key]) for key in keys)
    return {key: Value(cell.text, cell.version) for key, cell in found if cell.text is not None}


def _having(table: Mapping[Any, R], **fields_: str | None) -> list[R]:
    wanted = [(name, value) for name, value in fields_.items() if value is not None]
    return [record for record in table.values() if all(getattr(record, name) == value for name, value in wanted)]


def _check_texts(batch: Batch) -> None:
    for operation in batch:
        for text in _texts(_beside_body(operation) if isinstance(operation, AppendEvent) else operation):
            text.encode()


def _beside_body(operation: AppendEvent) -> object:
    # A body's texts are mended when it is encoded.
    return operation.tenant, operation.session, operation.event.id, operation.event.turn, operation.change


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    else:
        kind: Any = type(value)
        for name in _names(kind):
            yield from _texts(getattr(value, name))


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
