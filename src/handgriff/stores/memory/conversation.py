"""What a conversation leaves behind, written: events, state, and what was seen."""

from dataclasses import replace
from typing import TypeAlias, assert_never

from handgriff.core.batch import ApplyDelta, IntroduceSeen, IntroduceTyped
from handgriff.core.events import Event, Written, decode, encode
from handgriff.core.state import Delete, Scope, Set
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.sessions import known_session
from handgriff.stores.memory.tables import Tables

ConversationOperation: TypeAlias = ApplyDelta | IntroduceSeen | IntroduceTyped


def append_event(tables: Tables, tenant: str, session: str, event: Written) -> int:
    """Append *event*, unless it is stored already, and return its seq.

    Raises:
        CommitRefused: its session is unknown, or it is stored with another body.
    """
    owner = known_session(tables, tenant, session)
    kind, text = encode(event.body)
    seq, *stored = tables.bodies.get((tenant, session, event.id), (owner.head + 1, kind, text))
    if stored != [kind, text]:
        raise CommitRefused("event", event.id)
    if tables.add(tables.bodies, (tenant, session, event.id), (seq, kind, text)):
        tables.put(tables.sessions, (tenant, session), replace(owner, head=seq))
        # What a reader gets went through the encoding, as in a file.
        tables.put(tables.events, (tenant, session, seq), Event(seq, event.id, event.turn, event.at, decode(kind, text)))
    return seq


def write_conversation(tables: Tables, operation: ConversationOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its session is unknown.
    """
    tenant, session = operation.tenant, operation.session
    known_session(tables, tenant, session)
    match operation:
        case ApplyDelta(user=user, delta=delta):
            for change in delta:
                _change(tables, (tenant, change.scope, {"app": "", "user": user, "session": session}[change.scope]), change)
        case IntroduceSeen(values=values):
            for kind, value in values:
                tables.add(tables.introduced, (tenant, session, kind, value), None)
        case IntroduceTyped(text=text):
            tables.put(tables.typed, (tenant, session), (*tables.typed.get((tenant, session), ()), text))
        case _:
            assert_never(operation)


def _change(tables: Tables, place: tuple[str, Scope, str], change: Set | Delete) -> None:
    cells = tables.state.get(place, {})
    text, version = cells.get(change.key, (None, 0))
    match change:
        case Set(key=key, value=value):
            tables.put(tables.state, place, {**cells, key: (value, version + 1)})
        case Delete(key=key):
            if text is not None:
                tables.put(tables.state, place, {**cells, key: (None, version + 1)})
        case _:
            assert_never(change)
