"""What is removed for good: a session with everything of its own, a user, a tenant. Rows go here; their bytes in `transaction`."""

import sqlite3
from typing import Final

from handgriff.core.batch import Batch, DeleteSession, Erase, RewindSession
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import micros
from handgriff.stores.sqlite.statements import filtered, statements

_SQL = statements("removal")
_LEDGER = statements("ledger")
_ACTIVE = statements("sessions")["is_active_since"]
_OF_SESSION: Final = (
    "delete_events",
    "delete_state",
    "delete_places",
    "delete_seen",
    "delete_typed",
    "delete_effects",
    "delete_proposals",
    "delete_hooks",
    "delete_pin",
    "delete_session",
)
_OF_USER: Final = ("user_effects", "user_proposals", "user_hooks", "user_state", "user_places")
_OF_TENANT: Final = (
    "tenant_events",
    "tenant_state",
    "tenant_places",
    "tenant_seen",
    "tenant_typed",
    "tenant_effects",
    "tenant_proposals",
    "tenant_hooks",
    "tenant_prefixes",
    "tenant_pins",
    "tenant_sessions",
)
_REMOVES: Final = frozenset((DeleteSession, RewindSession, Erase))


def removes(batch: Batch) -> bool:
    """Whether *batch* removes what must not stay in the file."""
    return not _REMOVES.isdisjoint(map(type, batch))


def erases(batch: Batch) -> bool:
    """Whether *batch* erases a user or a tenant."""
    return Erase in map(type, batch)


def delete_session(cursor: sqlite3.Cursor, operation: DeleteSession) -> None:
    """Remove a session.

    Raises:
        CommitRefused: it is not idle any more.
    """
    place = {"tenant": operation.tenant, "session": operation.session}
    if operation.idle_since is not None:
        active = cursor.execute(_ACTIVE, {**place, "since": micros(operation.idle_since)}).fetchone()
        if active is not None:
            raise CommitRefused("session", operation.session)
    _delete(cursor, {**place, "since": None if operation.keep_since is None else micros(operation.keep_since)})


def erase(cursor: sqlite3.Cursor, operation: Erase) -> None:
    """Remove what belongs to a tenant, or to one of its users; ledger rows get the pseudonym."""
    tenant, user, pseudonym = operation.tenant, operation.user, operation.pseudonym
    whose: dict[str, object] = {"tenant": tenant, "user": user}
    if user is None:
        for statement in _OF_TENANT:
            cursor.execute(_SQL[statement], whose)
    else:
        for (session,) in cursor.execute(_SQL["sessions_of_user"], whose).fetchall():
            _delete(cursor, {"tenant": tenant, "session": session, "since": None})
        for statement in _OF_USER:
            cursor.execute(_SQL[statement], whose)
    # A tenant's rows move to the pseudonym as a whole; a user's stay with the tenant that paid for them.
    owner = pseudonym if user is None else tenant
    rename = filtered(_LEDGER["pseudonymise"], *(() if user is None else ("user",)))
    cursor.execute(rename, {**whose, "owner": owner, "pseudonym": pseudonym})


def _delete(cursor: sqlite3.Cursor, place: dict[str, object]) -> None:
    for statement in _OF_SESSION:
        cursor.execute(_SQL[statement], place)
