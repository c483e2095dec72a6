"""What a conversation leaves behind, written: events with their deltas, and what was seen."""

import sqlite3
from typing import TypeAlias, assert_never

from handgriff.core.batch import AppendEvent, IntroduceSeen, IntroduceTyped
from handgriff.core.events import encode
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import day, micros
from handgriff.stores.sqlite.deltas import apply_change, apply_changes, read_delta
from handgriff.stores.sqlite.statements import statements

SeenOperation: TypeAlias = IntroduceSeen | IntroduceTyped

_SQL = statements("events")
_HEAD, _APPEND, _STORED = _SQL["head"], _SQL["append_event"], _SQL["stored_event"]
_MOVE, _MOVE_DAY, _SEEN = _SQL["move_head"], _SQL["move_head_and_day"], _SQL["introduce_seen"]


class Conversation:
    """One batch's writes. It remembers the heads of the sessions it has met, so that a batch asks once, and the seqs it has assigned."""

    seqs: list[int]

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self.seqs = []
        self._cursor = cursor
        self._heads: dict[tuple[str, str], tuple[int, int, int]] = {}

    def append(self, operation: AppendEvent) -> None:
        """Append the event with its delta, unless it is stored already.

        Raises:
            CommitRefused: its session is unknown, it is stored with another body or delta, or its delta does not apply.
        """
        tenant, session, event, change = operation.tenant, operation.session, operation.event, operation.change
        head, active_at, active_day = self._head(tenant, session)
        kind, body = encode(event.body)
        delta, changes = (None, None) if change is None else read_delta(change.delta)
        at = micros(event.at)
        row = (tenant, session, head + 1, event.id, event.turn, at, kind, body, delta)
        if not self._cursor.execute(_APPEND, row).rowcount:
            self.seqs.append(self._stored(tenant, session, event.id, [kind, body, delta]))
            return
        self.seqs.append(head + 1)
        active_at = max(active_at, at)
        today = day(active_at)
        if today == active_day:
            self._cursor.execute(_MOVE, (head + 1, active_at, tenant, session))
        else:
            self._cursor.execute(_MOVE_DAY, (head + 1, active_at, today, tenant, session))
        self._heads[tenant, session] = (head + 1, active_at, today)
        if change is None or delta is None:
            return
        if changes is None:
            apply_change(self._cursor, tenant, session, change)
        else:
            apply_changes(self._cursor, tenant, session, change, changes)

    def introduce(self, operation: SeenOperation) -> None:
        """Write what was seen, as seen by the last event.

        Raises:
            CommitRefused: its session is unknown.
        """
        tenant, session = operation.tenant, operation.session
        seq, *_ = self._head(tenant, session)
        match operation:
            case IntroduceSeen(values=values):
                self._cursor.executemany(_SEEN, [(tenant, session, kind, value, seq) for kind, value in values])
            case IntroduceTyped(text=text):
                self._cursor.execute(_SQL["introduce_typed"], {"tenant": tenant, "session": session, "text": text, "seq": seq})
            case _:
                assert_never(operation)

    def forget(self) -> None:
        """Sessions were written in another way meanwhile."""
        self._heads.clear()

    def _head(self, tenant: str, session: str) -> tuple[int, int, int]:
        found = self._heads.get((tenant, session))
        if found is None:
            found = self._cursor.execute(_HEAD, (tenant, session)).fetchone()
            if found is None:
                raise CommitRefused("session", session)
            self._heads[tenant, session] = found
        return found

    def _stored(self, tenant: str, session: str, event: str, given: list[str | None]) -> int:
        seq, *stored = self._cursor.execute(_STORED, (tenant, session, event)).fetchone()
        if stored != given:
            raise CommitRefused("event", event)
        return int(seq)
