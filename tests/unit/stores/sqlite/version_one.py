"""A file as version 1 of the schema left it, with rows in every table."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handgriff.core.events import encode
from handgriff.stores.sqlite import migration
from handgriff.stores.sqlite.columns import micros, pinned_text
from handgriff.stores.sqlite.effects import EFFECT
from handgriff.stores.sqlite.proposals import PROPOSAL
from handgriff.stores.sqlite.records import HOOK, REQUEST
from handgriff.testing import samples
from handgriff.testing.samples import TENANT, USER, at, say

SESSIONS: Mapping[str, Mapping[str, Any]] = {
    "full": {"head": 3, "title": "Orders", "alias": "thread-1", "pinned": pinned_text(samples.PINNED)},
    "bare": {"head": 0, "title": None, "alias": None, "pinned": None},
}
STATE = (
    ("session", "full", "topic", 2, '"orders"'),
    ("session", "full", "é", 1, '"👋"'),
    ("session", "full", "gone", 4, None),
    ("user", USER, "name", 1, '"Ada"'),
    ("app", "", "brand", 7, None),
)


def make(path: Path) -> None:
    """Make the file."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(migration._TABLE)
    apply(connection, 1)
    for id_, fields in SESSIONS.items():
        lease = {"lease_epoch": 2, "lease_turn": "t1", "lease_holder": "h1", "lease_until": micros(at(30)), "lease_stop": 1}
        insert(connection, "session", {"tenant": TENANT, "user": USER, "id": id_, "created_at": micros(at(0)), **fields, **lease})
    for seq in (1, 2, 3):
        kind, body = encode(say(f"e{seq}").event.body)
        # A clock went back, so the last event is not the latest.
        moment = micros(at(90_000 - 1000 * seq))
        event = {"seq": seq, "id": f"e{seq}", "turn": "t1", "at": moment, "kind": kind, "body": body}
        insert(connection, "event", {"tenant": TENANT, "session": "full", **event})
    for scope, scope_id, key, version, value in STATE:
        state = {"scope": scope, "scope_id": scope_id, "key": key, "version": version, "value": value}
        insert(connection, "state", {"tenant": TENANT, **state})
    insert(connection, "seen", {"tenant": TENANT, "session": "full", "kind": "order", "value": "o_17"})
    insert(connection, "typed", {"tenant": TENANT, "session": "full", "n": 1, "text": "What became of o_99?"})
    insert(connection, "prefix", {"tenant": TENANT, "hash": "p", "text": "You are helpful."})
    insert(connection, "effect", EFFECT.row(samples.EFFECT))
    insert(connection, "proposal", PROPOSAL.row(samples.PROPOSAL))
    insert(connection, "request", REQUEST.row(samples.CLOSED_REQUEST))
    insert(connection, "hook", HOOK.row(samples.HOOK))
    connection.close()


def apply(connection: sqlite3.Connection, version: int) -> None:
    """Bring the file from the schema before *version* to *version*."""
    (file,) = Path(migration.__file__).with_name("schema").glob(f"{version:04}_*.sql")
    for statement in migration._split(file.read_text("utf-8")):
        connection.execute(statement)
    connection.execute(migration._APPLIED, (version, file.stem))


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Put *row* into a table of ours, given without our prefix."""
    # Fields of a record that came later have no column yet.
    known = {name for _, name, *_ in connection.execute(f"PRAGMA table_info(handgriff_{table})")}
    row = {name: value for name, value in row.items() if name in known}
    columns = ", ".join(f'"{name}"' for name in row)
    values = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT INTO handgriff_{table} ({columns}) VALUES ({values})", row)  # noqa: S608  # our own names
