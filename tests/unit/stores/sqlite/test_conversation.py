"""Events appended: when a session was active, by the moment and by the day."""

import sqlite3
from dataclasses import replace

from handgriff.core.batch import AppendEvent, DeleteSession
from handgriff.stores.sqlite.apply import apply
from handgriff.stores.sqlite.columns import day, micros
from handgriff.testing.samples import TENANT, at, create, say

DAY = 86_400


def test_activity_goes_on_and_never_back(cursor: sqlite3.Cursor) -> None:
    apply(cursor, (create(),))

    for seconds, latest in ((5, 5), (3, 5), (2 * DAY, 2 * DAY), (DAY, 2 * DAY), (-DAY, 2 * DAY), (2 * DAY + 1, 2 * DAY + 1)):
        apply(cursor, (_at(seconds),))
        assert cursor.execute("SELECT active_at, active_day FROM handgriff_session").fetchall() == [
            (micros(at(latest)), day(micros(at(latest))))
        ]


def test_events_of_one_batch_follow_each_other(cursor: sqlite3.Cursor) -> None:
    apply(cursor, (create(), _at(1), _at(3 * DAY), _at(2)))

    assert cursor.execute("SELECT head, active_at FROM handgriff_session").fetchall() == [(3, micros(at(3 * DAY)))]
    assert cursor.execute("SELECT seq FROM handgriff_event").fetchall() == [(1,), (2,), (3,)]


def test_a_session_that_is_made_anew_in_a_batch_begins_at_one(cursor: sqlite3.Cursor) -> None:
    committed = apply(cursor, (create(), say("e1"), say("e2"), DeleteSession(TENANT, "s1"), create(), say("e2")))

    assert committed.seqs == (1, 2, 1)


def _at(seconds: float) -> AppendEvent:
    said = say(f"at {seconds}")
    return replace(said, event=replace(said.event, at=at(seconds)))
