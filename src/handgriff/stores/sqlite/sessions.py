"""Sessions and their lease, written. Each guard is one statement's WHERE: no row touched, no permission."""

import sqlite3
from collections.abc import Mapping
from typing import TypeAlias, assert_never

from handgriff.core.batch import CheckLease, CreateSession, HoldLease, PinSession, ReleaseLease, RenewLease, RequestStop
from handgriff.core.rows import Session
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import micros, pinned_text, session_row
from handgriff.stores.sqlite.statements import statements

SessionOperation: TypeAlias = CreateSession | PinSession | HoldLease | CheckLease | RenewLease | ReleaseLease | RequestStop

_SQL = statements("sessions")
_CHECK = _SQL["check_lease"]


def write_session(cursor: sqlite3.Cursor, operation: SessionOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case CheckLease(tenant, session, turn, epoch):
            if cursor.execute(_CHECK, (tenant, session, epoch, turn)).fetchone() is None:
                raise CommitRefused("lease", session)
        case CreateSession(session):
            create_session(cursor, session)
        case PinSession():
            _pin(cursor, operation)
        case HoldLease(tenant, session, turn, holder, after, now, until):
            times = {"now": micros(now), "until": micros(until)}
            _take(cursor, "hold_lease", tenant, session, {"turn": turn, "holder": holder, "after": after, **times})
        case RenewLease(tenant, session, turn, epoch, until):
            _take(cursor, "renew_lease", tenant, session, {"turn": turn, "epoch": epoch, "until": micros(until)})
        case ReleaseLease(tenant, session, turn, epoch):
            _take(cursor, "release_lease", tenant, session, {"turn": turn, "epoch": epoch})
        case RequestStop(tenant, session, turn):
            cursor.execute(_SQL["request_stop"], {"tenant": tenant, "session": session, "turn": turn})
        case _:
            assert_never(operation)


def create_session(cursor: sqlite3.Cursor, session: Session) -> None:
    """Add a session.

    Raises:
        CommitRefused: its id or its alias exists.
    """
    row = session_row(session)
    pinned = row.pop("pinned")
    if cursor.execute(_SQL["create_session"], row).rowcount == 0:
        taken = cursor.execute(_SQL["session_exists"], {"tenant": session.tenant, "session": session.id}).fetchone()
        # Only two rules can be broken: if the id is free, it was the alias.
        raise CommitRefused("session", session.id) if taken or session.alias is None else CommitRefused("alias", session.alias)
    if pinned is not None:
        cursor.execute(_SQL["pin"], {"tenant": session.tenant, "session": session.id, "pinned": pinned})


def _pin(cursor: sqlite3.Cursor, operation: PinSession) -> None:
    place = {"tenant": operation.tenant, "session": operation.session}
    if cursor.execute(_SQL["pin"], {**place, "pinned": pinned_text(operation.pinned)}).rowcount == 0:
        raise CommitRefused("session", operation.session)
    if operation.title is not None:
        cursor.execute(_SQL["entitle"], {**place, "title": operation.title})


def _take(cursor: sqlite3.Cursor, statement: str, tenant: str, session: str, values: Mapping[str, object]) -> None:
    if cursor.execute(_SQL[statement], {"tenant": tenant, "session": session, **values}).rowcount == 0:
        raise CommitRefused("lease", session)
