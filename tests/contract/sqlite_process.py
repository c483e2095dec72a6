"""A process of its own that works on an SQLite store; `test_sqlite_processes` starts several on one file.

python -m tests.contract.sqlite_process append PATH NAME COUNT
python -m tests.contract.sqlite_process contend PATH NAME COUNT
python -m tests.contract.sqlite_process crash PATH ROUNDS SEED
python -m tests.contract.sqlite_process transact PATH NAME COUNT
python -m tests.contract.sqlite_process hold PATH NAME 1
python -m tests.contract.sqlite_process crash-transactions PATH ROUNDS SEED
"""

import asyncio
import itertools
import os
import random
import signal
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from typing import Any

from handgriff.core.batch import CheckLease, ReleaseLease
from handgriff.core.delta import Append, Delete, Delta, Increment, Set
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.samples import TENANT, USER, at, change, create, hold, renew, say

SESSION = "s1"
_RECOUNT = """
    SELECT place.scope, place.namespace, place.keys, place.bytes,
        COUNT(value), COALESCE(SUM(LENGTH(CAST(key AS BLOB)) + LENGTH(CAST(value AS BLOB))), 0)
    FROM handgriff_place AS place LEFT JOIN handgriff_state AS state USING (tenant, scope, scope_id, namespace)
    GROUP BY place.tenant, place.scope, place.scope_id, place.namespace
"""


async def append(path: str, name: str, count: int) -> None:
    """Append *count* events, each with a write to a shared key and one of its own."""
    store = SqliteStore.open(path)
    with suppress(CommitRefused):  # all want to make it, one does
        await store.commit((create(),))
    for number in range(count):
        both = (Increment("user", "hot", 1), Set("app", f"{name}-{number}", "1"))
        await store.commit((change(*both, event=f"{name}-{number}"),), durable=number % 16 == 0)
    await store.close()


async def contend(path: str, name: str, count: int) -> None:
    """Take the lease of the session *count* times; under it, write two events in two commits."""
    store = SqliteStore.open(path)
    for number in range(count):
        turn = f"{name}-{number}"
        epoch = await _hold(store, turn)
        await store.commit((CheckLease(TENANT, SESSION, turn, epoch), say(f"{turn} begins")))
        await store.commit((CheckLease(TENANT, SESSION, turn, epoch), say(f"{turn} ends"), ReleaseLease(TENANT, SESSION, turn, epoch)))
    await store.close()


async def _hold(store: SqliteStore, turn: str) -> int:
    while True:
        session = await store.session(TENANT, SESSION)
        assert session is not None
        with suppress(CommitRefused):
            await store.commit((hold(turn, after=session.lease.epoch),))
            return session.lease.epoch + 1


def crash(path: str, rounds: int, seed: int) -> None:
    """Kill a writing child *rounds* times, each at another moment, and look at the file after each."""
    chance = random.Random(seed)  # noqa: S311  # moments, not secrets
    for _ in range(rounds):
        acknowledged = _written_until_killed(_write_forever, path, after=chance.randrange(1, 60), spin=chance.randrange(20_000))
        asyncio.run(_check(path, acknowledged))


def _written_until_killed(write: Callable[[str, int], Coroutine[Any, Any, None]], path: str, *, after: int, spin: int) -> int:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        asyncio.run(write(path, writing))
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as answers:
        last = b""
        for _ in range(after):
            last = answers.read(8)
        for _ in range(spin):  # some moment between two commits, or in the middle of one
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while answer := answers.read(8):
            last = answer
    return int(last)


async def _write_forever(path: str, answers: int) -> None:
    store = SqliteStore.open(path)
    with suppress(CommitRefused):
        await store.commit((create(),))
    session = await store.session(TENANT, SESSION)
    assert session is not None
    for number in itertools.count(session.head + 1):
        await store.commit((change(*delta(number), event=f"e{number}"),), durable=number % 3 == 0)
        os.write(answers, b"%8d" % number)


def delta(number: int) -> Delta:
    """What the event of this number changes: something in every kind of place, by most kinds of operation."""
    begins = (Delete("app", "list"),) if number % 20 == 1 else ()
    return (
        Set("session", "last", str(number)),
        Set("session", f"size-{number % 7}", f'"{"x" * (number % 40)}"'),
        Increment("user", "count", 1),
        *begins,
        Append("app", "list", str(number)),
        renew(now=number, until=number + 60),
        Set("scratch", "last", str(number), "notes"),
        Delete("scratch", f"odd-{1 - number % 2}", "notes"),
        Set("scratch", f"odd-{number % 2}", "true", "notes"),
    )


async def _check(path: str, acknowledged: int) -> None:
    store = SqliteStore.open(path)
    session = await store.session(TENANT, SESSION)
    assert session is not None
    head = session.head
    assert acknowledged <= head <= acknowledged + 1
    events = await store.events(TENANT, SESSION, after=head - 100)
    numbers = range(max(head - 100, 0) + 1, head + 1)
    assert [(event.seq, event.id, event.delta) for event in events] == [(number, f"e{number}", delta(number)) for number in numbers]
    own = await store.values(TENANT, "session", SESSION)
    assert (own["last"].text, own["last"].version) == (str(head), head)
    assert (await store.values(TENANT, "user", USER))["count"].text == str(head)
    since = (head - 1) // 20 * 20 + 1
    assert (await store.values(TENANT, "app", ""))["list"].json() == list(range(since, head + 1))
    record = await store.record(TENANT, SESSION, "notes", now=at(head))
    assert record is not None
    assert {key: value.json() for key, value in record.values.items()} == {"last": head, f"odd-{head % 2}": True}
    assert record.expires_at == at(head + 60)
    await store.close()
    _recount(path)


def _recount(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        places = connection.execute(_RECOUNT).fetchall()
        assert [place[:2] for place in places] == [("app", ""), ("scratch", "notes"), ("session", ""), ("user", "")]
        for *place, keys, size, counted, weighed in places:
            assert (keys, size) == (counted, weighed), place
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def transact(path: str, name: str, count: int) -> None:
    """Write *count* rows, each with an event in one transaction; every fourth is taken back."""
    store = SqliteStore.open(path)
    for number in range(count):
        transaction = await store.begin()
        transaction.connection.execute("INSERT INTO app_rows (text) VALUES (?)", (f"{name}-{number}",))
        if number % 4:
            await transaction.commit((change(Increment("user", "hot", 1), event=f"{name}-{number}"),))
        else:
            await transaction.roll_back()
    await store.close()


async def hold_open(path: str) -> None:
    """Begin a transaction, write in it, say so, and wait to be killed."""
    store = SqliteStore.open(path)
    transaction = await store.begin()
    transaction.connection.execute("INSERT INTO app_rows (text) VALUES ('held')")
    print("open", flush=True)  # noqa: T201  # whoever started this process reads it
    await asyncio.Event().wait()


def crash_transactions(path: str, rounds: int, seed: int) -> None:
    """Kill a child that transacts *rounds* times, each at another moment, and look at the file after each."""
    chance = random.Random(seed)  # noqa: S311  # moments, not secrets
    for _ in range(rounds):
        acknowledged = _written_until_killed(_transact_forever, path, after=chance.randrange(1, 12), spin=chance.randrange(60_000))
        asyncio.run(_check_transactions(path, acknowledged))


async def _transact_forever(path: str, answers: int) -> None:
    store = SqliteStore.open(path)
    session = await store.session(TENANT, SESSION)
    assert session is not None
    for number in itertools.count(session.head + 1):
        transaction = await store.begin()
        transaction.connection.execute("INSERT INTO app_rows (text) VALUES (?)", (f"e{number}",))
        await transaction.commit((say(f"e{number}"),))
        os.write(answers, b"%8d" % number)


async def _check_transactions(path: str, acknowledged: int) -> None:
    store = SqliteStore.open(path)
    events = [event.id for event in await store.events(TENANT, SESSION)]
    with closing(sqlite3.connect(path)) as connection:
        assert [text for (text,) in connection.execute("SELECT text FROM app_rows ORDER BY rowid")] == events
    assert acknowledged <= len(events) <= acknowledged + 1
    await store.close()


def main(work: str, path: str, name: str, count: str) -> None:
    """Do what the command line says."""
    match work:
        case "crash":
            crash(path, int(name), int(count))
        case "crash-transactions":
            crash_transactions(path, int(name), int(count))
        case "hold":
            asyncio.run(hold_open(path))
        case _:
            asyncio.run({"append": append, "contend": contend, "transact": transact}[work](path, name, int(count)))


if __name__ == "__main__":
    main(*sys.argv[1:])
