"""What is removed for good: a session with everything of its own, a user, a tenant, what is old. Rows go here; bytes in `transaction`."""

import sqlite3
from dataclasses import replace
from typing import Final

from handgriff.core.batch import Batch, DeleteSession, DropWorkflow, Erase, RewindSession, SweepEffects, SweepWorkflows
from handgriff.core.events import Decision, OperatorChange, decode, encode
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
    "delete_workflows",
    "delete_proposals",
    "delete_hooks",
    "delete_pin",
    "delete_session",
)
_OF_USER: Final = ("user_effects", "user_workflows", "user_proposals", "user_codes", "user_hooks", "user_state", "user_places")
_OF_TENANT: Final = (
    "tenant_events",
    "tenant_state",
    "tenant_places",
    "tenant_seen",
    "tenant_typed",
    "tenant_effects",
    "tenant_workflows",
    "tenant_proposals",
    "tenant_codes",
    "tenant_hooks",
    "tenant_prefixes",
    "tenant_pins",
    "tenant_sessions",
)
_RENAMED: Final = ("renamed_proposals", "renamed_effects")
_REMOVES: Final = frozenset((DeleteSession, RewindSession, SweepEffects, SweepWorkflows, DropWorkflow, Erase))


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
        _rename(cursor, {**whose, "pseudonym": pseudonym})
    # A tenant's rows move to the pseudonym as a whole; a user's stay with the tenant that paid for them.
    owner = pseudonym if user is None else tenant
    rename = filtered(_LEDGER["pseudonymise"], *(() if user is None else ("user",)))
    cursor.execute(rename, {**whose, "owner": owner, "pseudonym": pseudonym})


def _rename(cursor: sqlite3.Cursor, whose: dict[str, object]) -> None:
    """Put the pseudonym where others' records name who was erased."""
    for statement in _RENAMED:
        cursor.execute(_SQL[statement], whose)
    for session, seq, kind, text in cursor.execute(_SQL["events_that_name"], whose).fetchall():
        body = decode(kind, text)
        if isinstance(body, (Decision, OperatorChange)) and body.by == whose["user"]:
            _, renamed = encode(replace(body, by=str(whose["pseudonym"])))
            cursor.execute(_SQL["rename_event"], {**whose, "session": session, "seq": seq, "body": renamed})


def _delete(cursor: sqlite3.Cursor, place: dict[str, object]) -> None:
    for statement in _OF_SESSION:
        cursor.execute(_SQL[statement], place)
