"""Whole sessions written: copied, and cut back."""

import sqlite3
from dataclasses import replace

from handgriff.core.batch import ForkSession, RewindSession
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.places import replace_values
from handgriff.stores.sqlite.sessions import create_session
from handgriff.stores.sqlite.statements import statements
from handgriff.stores.sqlite.workflows import rewind_workflows, start_workflow

_SQL = statements("copies")
_HEAD = statements("events")["head"]


def fork_session(cursor: sqlite3.Cursor, operation: ForkSession) -> None:
    """Copy a session up to an event.

    Raises:
        CommitRefused: the source is unknown, or the new id, its alias or one of its instances exists.
    """
    new, source = operation.session, operation.source
    head = _head(cursor, new.tenant, source)
    create_session(cursor, replace(new, head=min(operation.upto, head)))
    copy = {"tenant": new.tenant, "source": source, "new": new.id, "upto": operation.upto}
    for statement in ("copy_events", "copy_seen", "copy_typed"):
        cursor.execute(_SQL[statement], copy)
    replace_values(cursor, (new.tenant, "session", new.id, ""), dict(operation.values))
    for workflow in operation.workflows:
        start_workflow(cursor, workflow)


def rewind_session(cursor: sqlite3.Cursor, operation: RewindSession) -> None:
    """Cut a session back to an event.

    Raises:
        CommitRefused: it is unknown, something was appended meanwhile, or a call holds one of its instances.
    """
    tenant, session = operation.tenant, operation.session
    if _head(cursor, tenant, session) != operation.head:
        raise CommitRefused("session", session)
    for statement in ("cut_events", "cut_seen", "cut_typed"):
        cursor.execute(_SQL[statement], {"tenant": tenant, "session": session, "to": operation.to})
    cursor.executemany(_SQL["drop_proposal"], [(tenant, proposal) for proposal in operation.proposals])
    replace_values(cursor, (tenant, "session", session, ""), dict(operation.values))
    rewind_workflows(cursor, operation)


def _head(cursor: sqlite3.Cursor, tenant: str, session: str) -> int:
    row = cursor.execute(_HEAD, (tenant, session)).fetchone()
    if row is None:
        raise CommitRefused("session", session)
    head: int = row[0]
    return head
