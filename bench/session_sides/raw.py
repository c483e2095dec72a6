"""The floor: the drivers themselves, doing what an append does, with its durability and nothing around it.

For SQLite the adapter's own statements on its own tables, one transaction an event; for PostgreSQL one statement on tables of its own,
without partitions, fence or function. The event's text is made once; values are encoded each time.

python -m bench.session_sides.raw
"""

import json
import sqlite3
from datetime import UTC, datetime
from itertools import count
from secrets import token_hex

import asyncpg  # type: ignore[import-untyped]  # it ships no types

from bench.session_sides.protocol import KEYS, TASKS, TEXT, serve, together
from handgriff.core.batch import CreateSession
from handgriff.core.events import AssistantMessage, encode
from handgriff.core.rows import Session
from handgriff.host.adapters import open_store

KIND, BODY = encode(AssistantMessage("r", TEXT, "end"))
TENANT, USER = "acme", "ada"
CONNECTIONS = 10
"""As many as ours opens."""
_FILE = "sqlite:///"
_NUMBERS = count()

# What the adapter asks of SQLite for an event with three sets: five statements between the two of the transaction.
_HEAD = "SELECT head, active_at, active_day FROM handgriff_session WHERE tenant = ? AND id = ?"
_EVENT = """
INSERT INTO handgriff_event (tenant, session, seq, id, turn, at, kind, body, delta)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, session, id) DO NOTHING
"""
_MOVE = "UPDATE handgriff_session SET head = ?, active_at = ? WHERE tenant = ? AND id = ?"
_CELL = "WHERE tenant = ?1 AND scope = 'session' AND scope_id = ?2 AND namespace = ''"
_CELLS = f"""
SELECT NULL, keys, bytes FROM handgriff_place {_CELL}
UNION ALL SELECT key, version, value FROM handgriff_state {_CELL} AND key = ?3
UNION ALL SELECT key, version, value FROM handgriff_state {_CELL} AND key = ?4
UNION ALL SELECT key, version, value FROM handgriff_state {_CELL} AND key = ?5
"""  # noqa: S608  # put together of constants
_PUT = """
INSERT OR REPLACE INTO handgriff_state (tenant, scope, scope_id, namespace, key, version, value)
VALUES (?1, 'session', ?2, '', ?3, ?4, ?5), (?1, 'session', ?2, '', ?6, ?7, ?8), (?1, 'session', ?2, '', ?9, ?10, ?11)
"""

_SCHEMA = """
DROP SCHEMA IF EXISTS floor CASCADE;
CREATE SCHEMA floor;
CREATE TABLE floor.session (id text PRIMARY KEY, head bigint NOT NULL);
CREATE TABLE floor.event (session text, seq bigint, id text, at timestamptz, kind text, body text, delta text, PRIMARY KEY (session, seq));
CREATE TABLE floor.state (session text, key text, value text, version bigint, PRIMARY KEY (session, key));
"""
_APPEND = """
WITH moved AS (UPDATE floor.session SET head = head + 1 WHERE id = $1 RETURNING head),
written AS (INSERT INTO floor.event SELECT $1, head, $2, $3, $4, $5, $6 FROM moved)
INSERT INTO floor.state AS s
SELECT $1, d.key, d.value, 1 FROM moved, unnest($7::text[], $8::text[]) AS d (key, value)
ON CONFLICT (session, key) DO UPDATE SET value = excluded.value, version = s.version + 1
"""


async def append(*, store: str, each: int, durable: bool) -> dict[str, float]:
    """Events with three sets, each task in a session of its own."""
    sessions = [f"f-{token_hex(8)}" for _ in range(TASKS)]
    if store.startswith(_FILE):
        return await _append_to_file(store, sessions, each, durable=durable)
    return await _append_to_server(store, sessions, each, durable=durable)


async def _append_to_file(store: str, sessions: list[str], each: int, *, durable: bool) -> dict[str, float]:
    made = await open_store(store)
    await made.commit(tuple(CreateSession(Session(TENANT, USER, session, datetime.now(UTC))) for session in sessions), durable=True)
    await made.close()
    connection = sqlite3.connect(store.removeprefix(_FILE), isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}").fetchall()

    async def one(task: int, number: int) -> None:
        values = [json.dumps(value) for value in (number, number, "v")]
        _write(connection, sessions[task], values)

    told = await together(each, one)
    connection.close()
    return told


def _write(connection: sqlite3.Connection, session: str, values: list[str]) -> None:
    now = int(datetime.now(UTC).timestamp() * 1_000_000)
    delta = json.dumps([["set", "session", key, value, ""] for key, value in zip(KEYS, values, strict=True)], separators=(",", ":"))
    connection.execute("BEGIN IMMEDIATE")
    head, *_ = connection.execute(_HEAD, (TENANT, session)).fetchone()
    connection.execute(_EVENT, (TENANT, session, head + 1, f"e-{next(_NUMBERS)}", "turn", now, KIND, BODY, delta))
    connection.execute(_MOVE, (head + 1, now, TENANT, session))
    versions = {key: version for key, version, _ in connection.execute(_CELLS, (TENANT, session, *KEYS)).fetchall()}
    rows = [(key, versions.get(key, 0) + 1, value) for key, value in zip(KEYS, values, strict=True)]
    connection.execute(_PUT, (TENANT, session, *(each for row in rows for each in row)))
    connection.execute("COMMIT")


async def _append_to_server(store: str, sessions: list[str], each: int, *, durable: bool) -> dict[str, float]:
    settings = {"synchronous_commit": "on" if durable else "off"}
    async with asyncpg.create_pool(store, min_size=CONNECTIONS, max_size=CONNECTIONS, server_settings=settings) as pool:
        await pool.execute(_SCHEMA)
        await pool.executemany("INSERT INTO floor.session VALUES ($1, 0)", [(session,) for session in sessions])

        async def one(task: int, number: int) -> None:
            values = [json.dumps(value) for value in (number, number, "v")]
            delta = json.dumps([["set", "session", key, value, ""] for key, value in zip(KEYS, values, strict=True)], separators=(",", ":"))
            event = (f"e-{next(_NUMBERS)}", datetime.now(UTC), KIND, BODY, delta)
            await pool.execute(_APPEND, sessions[task], *event, list(KEYS), values)

        return await together(each, one)


if __name__ == "__main__":
    serve({"append": append})
