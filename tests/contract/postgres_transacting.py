"""A process of its own that works in transactions on a PostgreSQL store; `test_postgres_processes` starts several on one database, whose
application has a table `app_rows`.

python -m tests.contract.postgres_transacting share URL NAME
python -m tests.contract.postgres_transacting race URL NAME
python -m tests.contract.postgres_transacting codes URL NAME
python -m tests.contract.postgres_transacting open URL NAME
python -m tests.contract.postgres_transacting crash URL SEED
"""

import asyncio
import itertools
import os
import random
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, NoReturn

import anyio

from handgriff.core.batch import KeepCode, SettleEffect
from handgriff.core.delta import Increment
from handgriff.ports.store import CommitRefused
from handgriff.stores.postgres.driver import connect
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import EFFECT, START, TENANT, at, change, create
from tests.servers.postgres import SUPERUSER, as_user

KEYS = tuple(f"k{number}" for number in range(24))
"""Of effects that are claimed, and of proposals that are held."""
TASKS, STEPS, ROUNDS, MOST = 6, 8, 15, 5
INSERT = "INSERT INTO app_rows VALUES ($1)"


async def share(store: PostgresStore, name: str) -> None:
    """Count at one key with a row for each step, all tasks at once."""

    async def work(task: int) -> None:
        for step in range(STEPS):
            transaction = await store.begin()
            await transaction.connection.execute(INSERT, f"{name} {task} {step}")
            await transaction.commit((change(Increment("user", "n", 1)),))

    await together(TASKS, work)


async def race(store: PostgresStore, name: str) -> None:
    """Settle every claim with a row, and take the row back where somebody else was first."""

    async def work(task: int) -> None:
        for key in KEYS[task:] + KEYS[:task]:
            transaction = await store.begin()
            await transaction.connection.execute(INSERT, key)
            with suppress(CommitRefused):
                await transaction.commit((SettleEffect(TENANT, EFFECT.tool, key, EFFECT.claim, "done", at(5), f'"{name}"'),))
            await transaction.roll_back()

    await together(TASKS, work)


async def codes(store: PostgresStore, name: str) -> None:
    """Keep a code for every proposal, all at once."""

    async def work(task: int) -> None:
        with suppress(CommitRefused):
            await store.commit((KeepCode(TENANT, KEYS[task], 0, name, at(5), START, MOST),), durable=True)

    await together(len(KEYS), work)


async def stay(store: PostgresStore, name: str) -> None:
    """Write in a transaction, have a batch refused, say so, and go no further."""
    transaction = await store.begin()
    await transaction.connection.execute(INSERT, name)
    with suppress(CommitRefused):
        await transaction.commit((change(Increment("user", "n", 1)), change(Increment("user", "n", 1), session="never")))
    await transaction.connection.fetch("SELECT FROM app_rows WHERE text = 'shared' FOR UPDATE")
    sys.stdout.write("open\n")
    sys.stdout.flush()
    await anyio.sleep_forever()


async def together(tasks: int, work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Do *work* so many times at once."""
    async with anyio.create_task_group() as group:
        for number in range(tasks):
            group.start_soon(work, number)


def crash(url: str, seed: int) -> None:
    """Kill a child that writes rows with its batches `ROUNDS` times, each at another moment, and look at the database after each."""
    chance = random.Random(seed)  # noqa: S311  # moments, not secrets
    for _ in range(ROUNDS):
        acknowledged = _written_until_killed(url, after=chance.randrange(1, 12), spin=chance.randrange(60_000))
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
        await store.commit((create(),))
    session = await store.session(TENANT, "s1")
    assert session is not None
    for number in itertools.count(session.head + 1):
        transaction = await store.begin()
        await transaction.connection.execute(INSERT, str(number))
        await transaction.commit((change(Increment("user", "n", 1)),))
        os.write(answers, b"%8d" % number)
    raise AssertionError("it is killed before it ends")


async def _check(url: str, acknowledged: int) -> None:
    superuser = await connect(as_user(url, SUPERUSER))
    # What was sent may still be carried out; this waits until the server is through with it.
    await superuser.fetch("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'killed'")
    rows = [int(row["text"]) for row in await superuser.fetch("SELECT text FROM app_rows")]
    await superuser.close()
    store = await PostgresStore.open(url)
    session = await store.session(TENANT, "s1")
    assert session is not None
    assert acknowledged <= session.head <= acknowledged + 1
    assert sorted(rows) == list(range(1, session.head + 1))
    assert (await store.values(TENANT, "user", "ada"))["n"].text == str(session.head)
    await store.close()


async def main(work: str, url: str, name: str) -> None:
    """Do *work* as *name*."""
    store = await PostgresStore.open(url)
    await {"share": share, "race": race, "codes": codes, "open": stay}[work](store, name)
    await store.close()


if __name__ == "__main__":
    if sys.argv[1] == "crash":
        crash(sys.argv[2], int(sys.argv[3]))
    else:
        asyncio.run(main(*sys.argv[1:]))
