"""Sessions and their lease, written."""

from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, assert_never

from handgriff.core.batch import (
    CheckLease,
    CreateSession,
    DeleteSession,
    HoldLease,
    PinSession,
    ReleaseLease,
    RenewLease,
    RequestStop,
)
from handgriff.core.rows import Lease, Session
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.tables import Place, Tables

SessionOperation: TypeAlias = CreateSession | DeleteSession | PinSession | RequestStop
LeaseOperation: TypeAlias = HoldLease | CheckLease | RenewLease | ReleaseLease


def known_session(tables: Tables, tenant: str, session: str) -> Session:
    """The session.

    Raises:
        CommitRefused: there is none.
    """
    found = tables.sessions.get((tenant, session))
    if found is None:
        raise CommitRefused("session", session)
    return found


def aliased_session(tables: Tables, tenant: str, user: str, alias: str) -> Session | None:
    """The session a client's thread id stands for."""
    place = (tenant, user, alias)
    return next((session for session in tables.sessions.values() if (session.tenant, session.user, session.alias) == place), None)


def write_session(tables: Tables, operation: SessionOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case CreateSession(session):
            create_session(tables, session)
        case DeleteSession(tenant, session, keep_since, idle_since):
            held = tables.sessions.get((tenant, session))
            if idle_since is not None and held is not None and (held.active_at or held.created_at) >= idle_since:
                raise CommitRefused("session", session)
            delete_session(tables, tenant, session, keep_since)
        case PinSession(tenant, session, pinned, title):
            found = known_session(tables, tenant, session)
            if found.pinned not in (None, pinned):
                raise CommitRefused("session", session)
            title = found.title if title is None else title
            tables.put(tables.sessions, (tenant, session), replace(found, pinned=pinned, title=title))
        case RequestStop(tenant, session, turn):
            running = tables.sessions.get((tenant, session))
            if running is not None and running.lease.turn == turn:
                tables.put(tables.sessions, (tenant, session), replace(running, lease=replace(running.lease, stop=True)))
        case _:
            assert_never(operation)


def write_lease(tables: Tables, operation: LeaseOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: the lease is not what it must be.
    """
    session = tables.sessions.get((operation.tenant, operation.session))
    lease = None if session is None else _next_lease(session.lease, operation)
    if session is None or lease is None:
        raise CommitRefused("lease", operation.session)
    tables.put(tables.sessions, (session.tenant, session.id), replace(session, lease=lease))


def _next_lease(lease: Lease, operation: LeaseOperation) -> Lease | None:
    if isinstance(operation, HoldLease):
        is_free = lease.epoch == operation.after and not lease.is_held(operation.now)
        return Lease(operation.after + 1, operation.turn, operation.holder, operation.until) if is_free else None
    if (lease.turn, lease.epoch) != (operation.turn, operation.epoch):
        return None
    match operation:
        case CheckLease():
            return lease
        case RenewLease(until=until):
            return replace(lease, until=until)
        case ReleaseLease():
            return Lease(lease.epoch)
        case _:
            assert_never(operation)


def create_session(tables: Tables, session: Session) -> None:
    """Add a session.

    Raises:
        CommitRefused: its id or its alias exists.
    """
    if session.alias is not None and aliased_session(tables, session.tenant, session.user, session.alias) is not None:
        raise (
            CommitRefused("session", session.id)
            if (session.tenant, session.id) in tables.sessions
            else CommitRefused("alias", session.alias)
        )
    if not tables.add(tables.sessions, (session.tenant, session.id), session):
        raise CommitRefused("session", session.id)


def delete_session(tables: Tables, tenant: str, session: str, keep_since: datetime | None) -> None:
    """Remove everything of a session."""
    owned: tuple[dict[Any, Any], ...] = (tables.sessions, tables.events, tables.bodies, tables.introduced, tables.typed)
    for table in owned:
        tables.drop(table, lambda key, _: key[:2] == (tenant, session))
    places: tuple[dict[Place, Any], ...] = (tables.state, tables.deadlines)
    for table in places:
        tables.drop(table, lambda key, _: key.tenant == tenant and key.scope in ("session", "scratch") and key.owner == session)
    tables.drop(tables.workflows, lambda _, workflow: (workflow.tenant, workflow.session) == (tenant, session))
    tables.drop(tables.proposals, lambda _, proposal: (proposal.tenant, proposal.session) == (tenant, session))
    tables.drop(
        tables.effects,
        lambda _, effect: (
            (effect.tenant, effect.session) == (tenant, session)
            and (keep_since is None or (effect.claimed_at < keep_since and effect.state in ("done", "failed")))
        ),
    )
    if keep_since is None:
        tables.drop(tables.hooks, lambda _, hook: (hook.tenant, hook.session) == (tenant, session))
