"""Whole sessions written: copied, and cut back."""

from dataclasses import replace

from handgriff.core.batch import ForkSession, RewindSession
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.conversation import replace_session_values
from handgriff.stores.memory.sessions import create_session, known_session
from handgriff.stores.memory.tables import Tables
from handgriff.stores.memory.workflows import rewind_workflows, start_workflow


def fork_session(tables: Tables, operation: ForkSession) -> None:
    """Copy a session up to an event.

    Raises:
        CommitRefused: the source is unknown, or the new id, its alias or one of its instances exists.
    """
    new, upto = operation.session, operation.upto
    source = known_session(tables, new.tenant, operation.source)
    old, place = (new.tenant, source.id), (new.tenant, new.id)
    create_session(tables, replace(new, head=min(upto, source.head)))
    for (*owner, seq), event in list(tables.events.items()):
        if tuple(owner) == old and seq <= upto:
            tables.put(tables.events, (*place, seq), event)
    for (*owner, event_id), row in list(tables.bodies.items()):
        if tuple(owner) == old and row[0] <= upto:
            tables.put(tables.bodies, (*place, event_id), row)
    for (*owner, kind, value), seq in list(tables.introduced.items()):
        if tuple(owner) == old and seq <= upto:
            tables.put(tables.introduced, (*place, kind, value), seq)
    tables.put(tables.typed, place, tuple(row for row in tables.typed.get(old, ()) if row[0] <= upto))
    replace_session_values(tables, *place, dict(operation.values))
    for workflow in operation.workflows:
        start_workflow(tables, workflow)


def rewind_session(tables: Tables, operation: RewindSession) -> None:
    """Cut a session back to an event.

    Raises:
        CommitRefused: it is unknown, something was appended meanwhile, or a call holds one of its instances.
    """
    place, to = (operation.tenant, operation.session), operation.to
    if known_session(tables, *place).head != operation.head:
        raise CommitRefused("session", operation.session)
    tables.drop(tables.events, lambda key, event: key[:2] == place and event.seq > to)
    tables.drop(tables.bodies, lambda key, row: key[:2] == place and row[0] > to)
    tables.drop(tables.introduced, lambda key, seq: key[:2] == place and seq > to)
    tables.put(tables.typed, place, tuple(row for row in tables.typed.get(place, ()) if row[0] <= to))
    tables.drop(tables.proposals, lambda key, _: key[0] == operation.tenant and key[1] in operation.proposals)
    replace_session_values(tables, *place, dict(operation.values))
    rewind_workflows(tables, operation)
