"""What a conversation leaves behind, written: events, state, and what was seen."""

import sqlite3
from typing import TypeAlias, assert_never

from handgriff.core.batch import AppendEvent, ApplyDelta, IntroduceSeen, IntroduceTyped
from handgriff.core.events import Written, encode
from handgriff.core.state import Delete, Set
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import micros
from handgriff.stores.sqlite.statements import statements

ConversationOperation: TypeAlias = AppendEvent | ApplyDelta | IntroduceSeen | IntroduceTyped

_SQL = statements("events")
_NEXT_SEQ = _SQL["next_seq"]
_APPEND = _SQL["append_event"]
_SET = _SQL["set_value"]
_EXISTS = statements("sessions")["session_exists"]


class Conversation:
    """One batch's writes. It remembers which sessions it has met, so that a batch asks once, and the seqs it was given."""

    seqs: list[int]

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.seqs = []
        self._connection = connection
        self._met: set[tuple[str, str]] = set()

    def write(self, operation: ConversationOperation) -> None:
        """Write *operation*.

        Raises:
            CommitRefused: its session is unknown, or its event is stored with another body.
        """
        match operation:
            case AppendEvent(tenant, session, event):
                self.seqs.append(self._append(tenant, session, event))
            case ApplyDelta(tenant, session, user, delta):
                self._meet(tenant, session)
                for change in delta:
                    self._change(tenant, {"app": "", "user": user, "session": session}[change.scope], change)
            case IntroduceSeen(tenant, session, values):
                self._meet(tenant, session)
                rows = [{"tenant": tenant, "session": session, "kind": kind, "value": value} for kind, value in values]
                self._connection.executemany(_SQL["introduce_seen"], rows)
            case IntroduceTyped(tenant, session, text):
                self._meet(tenant, session)
                self._connection.execute(_SQL["introduce_typed"], {"tenant": tenant, "session": session, "text": text})
            case _:
                assert_never(operation)

    def forget(self, tenant: str, session: str) -> None:
        """This session was deleted in the meantime."""
        self._met.discard((tenant, session))

    def _meet(self, tenant: str, session: str) -> None:
        if (tenant, session) in self._met:
            return
        if self._connection.execute(_EXISTS, {"tenant": tenant, "session": session}).fetchone() is None:
            raise CommitRefused("session", session)
        self._met.add((tenant, session))

    def _append(self, tenant: str, session: str, event: Written) -> int:
        head = self._connection.execute(_NEXT_SEQ, (tenant, session)).fetchone()
        if head is None:
            raise CommitRefused("session", session)
        self._met.add((tenant, session))
        seq: int = head[0]
        kind, body = encode(event.body)
        row = (tenant, session, seq, event.id, event.turn, micros(event.at), kind, body)
        if self._connection.execute(_APPEND, row).rowcount:
            return seq
        place = {"tenant": tenant, "session": session, "id": event.id}
        self._connection.execute(_SQL["undo_seq"], place)
        stored_seq, *stored = self._connection.execute(_SQL["stored_event"], place).fetchone()
        if stored != [kind, body]:
            raise CommitRefused("event", event.id)
        return int(stored_seq)

    def _change(self, tenant: str, scope_id: str, change: Set | Delete) -> None:
        match change:
            case Set(scope, key, value):
                self._connection.execute(_SET, (tenant, scope, scope_id, key, value))
            case Delete(scope, key):
                place = {"tenant": tenant, "scope": scope, "scope_id": scope_id, "key": key}
                self._connection.execute(_SQL["delete_value"], place)
            case _:
                assert_never(change)
