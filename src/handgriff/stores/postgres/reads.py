"""The reading half: each question is one call of a function of `schema/`, and so one consistent view and one round trip."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

from handgriff.core.delta import Value, decode_delta
from handgriff.core.events import Event, ProposalState, decode
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook, Record, Request, Session, Workflow
from handgriff.core.scope import Scope
from handgriff.core.seen import SHORTEST, stands_alone
from handgriff.core.state import Totals
from handgriff.stores.postgres.columns import EFFECT, HOOK, PROPOSAL, REQUEST, WORKFLOW, Row, session_record
from handgriff.stores.postgres.connections import Connections
from handgriff.stores.postgres.faults import fault
from handgriff.stores.postgres.texts import given, kept, kept_tenant

R = TypeVar("R")


class Reads:
    """The reads of the store port. What they promise is said there."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def session(self, tenant: str, session: str) -> Session | None:
        """The session, of whichever user."""
        return _one(await self._read(session_record, "SELECT * FROM handgriff.read_session($1, $2)", tenant, session))

    async def session_by_alias(self, tenant: str, user: str, alias: str) -> Session | None:
        """The session a client's thread id stands for."""
        return _one(await self._read(session_record, "SELECT * FROM handgriff.read_alias($1, $2, $3)", tenant, user, alias))

    async def sessions(self, tenant: str, user: str, *, before: str | None = None, limit: int = 50) -> Sequence[Session]:
        """A user's sessions, newest first."""
        return await self._read(session_record, "SELECT * FROM handgriff.read_sessions($1, $2, $3, $4)", tenant, user, before, limit)

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events with a seq greater than *after*, in order."""
        return await self._read(_event, "SELECT * FROM handgriff.read_events($1, $2, $3, $4)", tenant, session, after, limit)

    async def seen(self, tenant: str, session: str, kind: str, value: str) -> Literal["introduced", "typed"] | None:
        """Whether *value* was introduced as *kind*, or stands in a typed text by itself."""
        is_long = len(value) >= SHORTEST
        statement = "SELECT * FROM handgriff.read_seen($1, $2, $3, $4, $5) AS text"
        found = await self._read(_text, statement, tenant, session, kind, value, is_long)
        if None in found:
            return "introduced"
        # PostgreSQL finds the value, as bytes; whether it stands alone is decided above. The texts are one session's.
        return "typed" if any(stands_alone(value, text) for text in filter(None, found)) else None

    async def values(self, tenant: str, scope: Scope, scope_id: str, keys: Sequence[str] | None = None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        wanted = None if keys is None else [kept(key) for key in keys]
        return dict(await self._read(_value, "SELECT * FROM handgriff.read_values($1, $2, $3, $4)", tenant, scope, scope_id, wanted))

    async def totals(self, tenant: str, scope: Scope, scope_id: str) -> Totals:
        """How much the scope holds."""
        found = await self._read(_totals, "SELECT * FROM handgriff.read_totals($1, $2, $3)", tenant, scope, scope_id)
        return found[0]

    async def session_values(self, tenant: str, sessions: Sequence[str]) -> dict[str, dict[str, Value]]:
        """The session scope of each of *sessions* that holds anything."""
        wanted = [kept(session) for session in sessions]
        found: dict[str, dict[str, Value]] = {}
        for owner, key, value in await self._read(_owned, "SELECT * FROM handgriff.read_session_values($1, $2)", tenant, wanted):
            found.setdefault(owner, {})[key] = value
        return found

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace."""
        return _one(await self._records(tenant, session, namespace, now))

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        return await self._records(tenant, session, None, now)

    async def tenants(self) -> Sequence[str]:
        """Every tenant that has anything, in order."""
        rows = await self._connections.ask("read", "SELECT * FROM handgriff.read_tenants() AS tenant")
        return tuple(sorted(given(row["tenant"]) for row in rows))

    async def interrupted(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions whose lease is over and still names a turn."""
        rows = await self._connections.ask("read", "SELECT * FROM handgriff.read_interrupted($1, $2)", now, limit)
        return tuple((given(row["tenant"]), given(row["session"])) for row in rows)

    async def abandoned(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions with an effect that runs by its record and whose lease is over."""
        rows = await self._connections.ask("read", "SELECT * FROM handgriff.read_abandoned($1, $2)", now, limit)
        return tuple((given(row["tenant"]), given(row["session"])) for row in rows)

    async def uncertain(self, tools: Sequence[str], *, after: tuple[str, str] = ("", ""), limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions with an indeterminate effect of one of *tools*, in order."""
        wanted, (tenant, session) = [kept(tool) for tool in tools], map(kept, after)
        statement = "SELECT * FROM handgriff.read_uncertain($1, $2, $3, $4)"
        rows = await self._connections.ask("read", statement, wanted, tenant, session, limit)
        return tuple((given(row["tenant"]), given(row["session"])) for row in rows)

    async def queueing(self, *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Tenants for which hooks are queued, in order."""
        rows = await self._connections.ask("read", "SELECT * FROM handgriff.read_queueing($1, $2) AS tenant", kept(after), limit)
        return tuple(given(row["tenant"]) for row in rows)

    async def idle(self, tenant: str, before: datetime, *, limit: int = 100) -> Sequence[str]:
        """Ids of the tenant's sessions without an event since *before*, longest idle first."""
        return [given(row["id"]) for row in await self._ask("SELECT * FROM handgriff.read_idle($1, $2, $3) AS id", tenant, before, limit)]

    async def prefix(self, tenant: str, hash: str) -> str | None:  # noqa: A002  # the field's name
        """A kept prefix's text."""
        return _one(await self._read(_text, "SELECT handgriff.read_prefix($1, $2) AS text", tenant, hash))

    async def effect(self, tenant: str, tool: str, key: str) -> Effect | None:
        """The record of this key."""
        return _one(await self._read(EFFECT.record, "SELECT * FROM handgriff.read_effect($1, $2, $3)", tenant, tool, key))

    async def effects(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records, oldest claim first."""
        return await self._read(EFFECT.record, "SELECT * FROM handgriff.read_effects($1, $2, $3)", tenant, session, state)

    async def unsettled(self, tenant: str, *, session: str | None = None) -> Sequence[Effect]:
        """Records that are running or indeterminate, oldest claim first."""
        return await self._read(EFFECT.record, "SELECT * FROM handgriff.read_unsettled($1, $2)", tenant, session)

    async def owing(self, tenant: str, *, session: str | None = None, user: str | None = None) -> Sequence[Effect]:
        """Records that are done, and that an instance outside the store has still to follow; oldest claim first."""
        return await self._read(EFFECT.record, "SELECT * FROM handgriff.read_owing($1, $2, $3)", tenant, session, user)

    async def proposal(self, tenant: str, proposal: str) -> Proposal | None:
        """The proposal, of whichever user."""
        return _one(await self._read(PROPOSAL.record, "SELECT * FROM handgriff.read_proposal($1, $2)", tenant, proposal))

    async def proposals(
        self, tenant: str, *, user: str | None = None, session: str | None = None, state: ProposalState | None = None
    ) -> Sequence[Proposal]:
        """Proposals, oldest first."""
        return await self._read(PROPOSAL.record, "SELECT * FROM handgriff.read_proposals($1, $2, $3, $4)", tenant, user, session, state)

    async def for_second_person(self, tenant: str, now: datetime) -> Sequence[Proposal]:
        """Pending proposals that another person must confirm, oldest first."""
        return await self._read(PROPOSAL.record, "SELECT * FROM handgriff.read_for_second_person($1, $2)", tenant, now)

    async def waiting(self, tenant: str, user: str, now: datetime, *, session: str | None = None) -> Sequence[Proposal]:
        """A user's pending proposals that are not expired, oldest first."""
        return await self._read(PROPOSAL.record, "SELECT * FROM handgriff.read_waiting($1, $2, $3, $4)", tenant, user, session, now)

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        """Queued hooks, oldest first."""
        return await self._read(HOOK.record, "SELECT * FROM handgriff.read_hooks($1)", tenant)

    async def workflow(self, tenant: str, machine: str, handle: str) -> Workflow | None:
        """The instance of this key, of whichever user."""
        return _one(await self._read(WORKFLOW.record, "SELECT * FROM handgriff.read_workflow($1, $2, $3)", tenant, machine, handle))

    async def workflows(self, tenant: str, *, session: str | None = None) -> Sequence[Workflow]:
        """A session's own instances, or all of the tenant's, by machine and handle."""
        return await self._read(WORKFLOW.record, "SELECT * FROM handgriff.read_workflows($1, $2)", tenant, session)

    async def requests(self, tenant: str, *, session: str | None = None, turn: str | None = None) -> Sequence[Request]:
        """Ledger rows, oldest first."""
        return await self._read(REQUEST.record, "SELECT * FROM handgriff.read_requests($1, $2, $3)", tenant, session, turn)

    async def _records(self, tenant: str, session: str | None, namespace: str | None, now: datetime) -> Sequence[Record]:
        rows = await self._ask("SELECT * FROM handgriff.read_records($1, $2, $3, $4)", tenant, session, namespace, now)
        found: dict[tuple[str, str], tuple[datetime, dict[str, Value]]] = {}
        for row in rows:
            values = found.setdefault((given(row["session"]), given(row["namespace"])), (row["expires_at"], {}))[1]
            if row["key"] is not None:
                values.update([_value(row)])
        return tuple(Record(tenant, *place, expires_at, values) for place, (expires_at, values) in found.items())

    async def _read(self, read: Callable[[Row], R], statement: str, tenant: str, *values: object) -> tuple[R, ...]:
        rows = await self._ask(statement, tenant, *values)
        try:
            return tuple(map(read, rows))
        except ValueError as error:
            raise fault("read", error) from error

    async def _ask(self, statement: str, tenant: str, *values: object) -> Iterable[Row]:
        words = [kept(value) if isinstance(value, str) else value for value in values]
        return await self._connections.ask("read", statement, kept_tenant(tenant), *words)


def _one(found: Sequence[R]) -> R | None:
    return found[0] if found else None


def _event(row: Row) -> Event:
    turn = row["turn"]
    body, delta = decode(row["kind"], row["body"]), decode_delta(row["delta"])
    return Event(row["seq"], given(row["id"]), None if turn is None else given(turn), row["at"], body, delta)


def _value(row: Row) -> tuple[str, Value]:
    return given(row["key"]), Value(given(row["value"]), row["version"])


def _owned(row: Row) -> tuple[str, str, Value]:
    return given(row["owner"]), *_value(row)


def _totals(row: Row) -> Totals:
    return Totals(row["keys"] or 0, row["bytes"] or 0)


def _text(row: Row) -> Any:
    return None if row["text"] is None else given(row["text"])
