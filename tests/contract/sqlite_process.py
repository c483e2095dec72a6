"""A process of its own that works on an SQLite store; `test_sqlite_processes` starts several on one file.

python -m tests.contract.sqlite_process append PATH NAME COUNT
python -m tests.contract.sqlite_process contend PATH NAME COUNT
python -m tests.contract.sqlite_process crash PATH ROUNDS SEED
"""

import asyncio
import itertools
import os
import random
import signal
import sys
from contextlib import suppress

from handgriff.core.batch import CheckLease, ReleaseLease
from handgriff.core.state import Scope
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.samples import TENANT, USER, create, hold, put, say

SESSION = "s1"
PLACES: tuple[tuple[str, Scope, str], ...] = (("a", "session", SESSION), ("b", "user", USER), ("c", "app", ""))


async def append(path: str, name: str, count: int) -> None:
    """Append *count* events, each with a write to a shared key."""
    store = SqliteStore.open(path)
    with suppress(CommitRefused):  # all want to make it, one does
        await store.commit((create(),))
    for number in range(count):
        batch = (say(f"{name}-{number}"), put("hot", "1", "user"), put(f"{name}-{number}", "1", "app"))
        await store.commit(batch, durable=number % 16 == 0)
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
        acknowledged = _written_until_killed(path, after=chance.randrange(1, 60), spin=chance.randrange(20_000))
        asyncio.run(_check(path, acknowledged))


def _written_until_killed(path: str, *, after: int, spin: int) -> int:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        asyncio.run(_write_forever(path, writing))
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
        values = (put(key, str(number), scope) for key, scope, _ in PLACES)
        await store.commit((say(f"e{number}", str(number)), *values), durable=number % 3 == 0)
        os.write(answers, b"%8d" % number)


async def _check(path: str, acknowledged: int) -> None:
    store = SqliteStore.open(path)
    events = await store.events(TENANT, SESSION)
    session = await store.session(TENANT, SESSION)
    assert session is not None
    assert acknowledged <= session.head <= acknowledged + 1
    assert [event.id for event in events] == [f"e{number}" for number in range(1, session.head + 1)]
    for key, scope, place in PLACES:
        value = (await store.values(TENANT, scope, place))[key]
        assert (value.text, value.version) == (str(session.head), session.head)
    await store.close()


if __name__ == "__main__":
    work, path, name, count = sys.argv[1:]
    if work == "crash":
        crash(path, int(name), int(count))
    else:
        asyncio.run({"append": append, "contend": contend}[work](path, name, int(count)))
