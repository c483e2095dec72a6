"""A process of its own that works on a PostgreSQL store; `test_postgres_processes` starts several on one database.

python -m tests.contract.postgres_process open URL NAME
python -m tests.contract.postgres_process count URL NAME
python -m tests.contract.postgres_process share URL NAME
python -m tests.contract.postgres_process crash URL SEED
"""

import asyncio
import itertools
import os
import random
import signal
import sys
from contextlib import suppress
from typing import NoReturn

import anyio

from handgriff.core.delta import Increment, Set
from handgriff.core.scope import Scope
from handgriff.ports.store import CommitRefused
from handgriff.stores.postgres.driver import connect
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import TENANT, USER, change, create
from tests.servers.postgres import SUPERUSER, as_user

SESSION = "s1"
TASKS, STEPS, ROUNDS = 8, 20, 20
PLACES: tuple[tuple[Scope, str], ...] = (("session", SESSION), ("user", USER), ("app", ""))


async def look(store: PostgresStore, name: str) -> None:
    """Only look, once the tables are there."""
    assert await store.session(name, SESSION) is None


async def count(store: PostgresStore, name: str) -> None:
    """Count to `TASKS` times `STEPS` at one key of one session, all tasks at once."""
    with suppress(CommitRefused):  # all want to make it, one does
        await store.commit((create(SESSION),))

    async def work() -> None:
        for step in range(STEPS):
            await store.commit((change(Increment("session", "n", 1)),), durable=step % 8 == 0)

    async with anyio.create_task_group() as tasks:
        for _ in range(TASKS):
            tasks.start_soon(work)


async def share(store: PostgresStore, name: str) -> None:
    """Make `TASKS` sessions at once, each with keys of its own in the scopes all of them share; then write to them."""

    async def work(session: str) -> None:
        first = change(Set("user", f"first:{session}", "1"), Set("app", f"first:{session}", "1"), session=session)
        await store.commit((create(session), first))
        for step in range(STEPS):
            mine = change(Set("app", f"a:{session}:{step}", "1"), session=session)
            shared = change(Set("user", f"u:{session}:{step}", "1"), Increment("app", "n", 1), session=session)
            await store.commit((mine, shared))

    async with anyio.create_task_group() as tasks:
        for number in range(TASKS):
            tasks.start_soon(work, f"{name}{number}")


def crash(url: str, seed: int) -> None:
    """Kill a writing child `ROUNDS` times, each at another moment, and look at the database after each."""
    chance = random.Random(seed)  # noqa: S311  # moments, not secrets
    for _ in range(ROUNDS):
        acknowledged = _written_until_killed(url, after=chance.randrange(1, 30), spin=chance.randrange(40_000))
        asyncio.run(_check(url, acknowledged))


def _written_until_killed(url: str, *, after: int, spin: int) -> int:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        asyncio.run(_write_forever(url, writing))
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


async def _write_forever(url: str, answers: int) -> NoReturn:
    store = await PostgresStore.open(f"{url}?application_name=killed")
    with suppress(CommitRefused):
        await store.commit((create(SESSION),))
    session = await store.session(TENANT, SESSION)
    assert session is not None
    for number in itertools.count(session.head + 1):
        operations = [each for scope, _ in PLACES for each in (Set(scope, "n", str(number)), Increment(scope, "count", 1))]
        await store.commit((change(*operations, event=f"e{number}"),), durable=number % 3 == 0)
        os.write(answers, b"%8d" % number)
    raise AssertionError("it is killed before it ends")


async def _check(url: str, acknowledged: int) -> None:
    superuser = await connect(as_user(url, SUPERUSER))
    # What was sent may still be carried out; this waits until the server is through with it.
    await superuser.fetch("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'killed'")
    await superuser.close()
    store = await PostgresStore.open(url)
    session = await store.session(TENANT, SESSION)
    assert session is not None
    assert acknowledged <= session.head <= acknowledged + 1
    assert [event.id for event in await store.events(TENANT, SESSION)] == [f"e{number}" for number in range(1, session.head + 1)]
    for place in PLACES:
        values = await store.values(TENANT, *place)
        assert {key: (value.text, value.version) for key, value in values.items()} == dict.fromkeys(
            ("n", "count"), (str(session.head), session.head)
        )
    await store.close()


async def main(work: str, url: str, name: str) -> None:
    """Do *work* as *name*."""
    store = await PostgresStore.open(url)
    await {"open": look, "count": count, "share": share}[work](store, name)
    await store.close()


if __name__ == "__main__":
    if sys.argv[1] == "crash":
        crash(sys.argv[2], int(sys.argv[3]))
    else:
        asyncio.run(main(*sys.argv[1:]))
