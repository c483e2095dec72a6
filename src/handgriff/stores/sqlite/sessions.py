"""Sessions and their lease, written. Each guard is one statement's WHERE: no row touched, no permission."""

import sqlite3
from collections.abc import Mapping
from typing import TypeAlias, assert_never

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
from handgriff.core.rows import Session
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import micros, pinned_text, session_row
from handgriff.stores.sqlite.statements import statements

SessionOperation: TypeAlias = CreateSession | DeleteSession | PinSession | HoldLease | CheckLease | RenewLease | ReleaseLease | RequestStop

_SQL = statements("sessions")
_OWNED = ("events", "state", "seen", "typed", "effects", "proposals", "hooks", "session")


def write_session(connection: sqlite3.Connection, operation: SessionOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case CreateSession(session):
            _create(connection, session)
        case DeleteSession(tenant, session, keep_since):
            since = None if keep_since is None else micros(keep_since)
            for table in _OWNED:
                connection.execute(_SQL[f"delete_{table}"], {"tenant": tenant, "session": session, "since": since})
        case PinSession(tenant, session, pinned, title):
            values = {"tenant": tenant, "session": session, "pinned": pinned_text(pinned), "title": title}
            if connection.execute(_SQL["pin_session"], values).rowcount == 0:
                raise CommitRefused("session", session)
        case HoldLease(tenant, session, turn, holder, after, now, until):
            times = {"now": micros(now), "until": micros(until)}
            _take(connection, "hold_lease", tenant, session, {"turn": turn, "holder": holder, "after": after, **times})
        case CheckLease(tenant, session, turn, epoch):
            held = {"tenant": tenant, "session": session, "turn": turn, "epoch": epoch}
            if connection.execute(_SQL["check_lease"], held).fetchone() is None:
                raise CommitRefused("lease", session)
        case RenewLease(tenant, session, turn, epoch, until):
            _take(connection, "renew_lease", tenant, session, {"turn": turn, "epoch": epoch, "until": micros(until)})
        case ReleaseLease(tenant, session, turn, epoch):
            _take(connection, "release_lease", tenant, session, {"turn": turn, "epoch": epoch})
        case RequestStop(tenant, session, turn):
            connection.execute(_SQL["request_stop"], {"tenant": tenant, "session": session, "turn": turn})
        case _:
            assert_never(operation)


def _create(connection: sqlite3.Connection, session: Session) -> None:
    if connection.execute(_SQL["create_session"], session_row(session)).rowcount:
        return
    taken = connection.execute(_SQL["session_exists"], {"tenant": session.tenant, "session": session.id}).fetchone()
    # Only two rules can be broken: if the id is free, it was the alias.
    raise CommitRefused("session", session.id) if taken or session.alias is None else CommitRefused("alias", session.alias)


def _take(connection: sqlite3.Connection, statement: str, tenant: str, session: str, values: Mapping[str, object]) -> None:
    if connection.execute(_SQL[statement], {"tenant": tenant, "session": session, **values}).rowcount == 0:
        raise CommitRefused("lease", session)
