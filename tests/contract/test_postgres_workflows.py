"""Batches that name sessions, instances and effects in any order never wait for each other in a circle, which the suite would not notice:
a batch that is undone for that is sent again.
"""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import anyio
import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff.core.batch import (
    Batch,
    CheckWorkflow,
    ClaimEffect,
    ClaimWorkflow,
    DeleteSession,
    Erase,
    Operation,
    RewindSession,
    SettleEffect,
    SettleWorkflow,
    StartWorkflow,
    SweepWorkflows,
)
from handgriff.core.delta import Set
from handgriff.core.rows import Workflow
from handgriff.ports.store import CommitRefused
from handgriff.stores.postgres.driver import Row
from handgriff.stores.postgres.locks import locks_of
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import EFFECT, START, TENANT, USER, WORKFLOW, at, change, create, own_workflow, say
from tests.contract.postgres import Database, database

pytestmark = pytest.mark.anyio

WRITERS, ROUNDS, BATCHES = 10, 15, 8
SESSIONS, KEYS = ("s1", "s2"), ("k1", "k2")
INSTANCES = (*(own_workflow(session) for session in SESSIONS), WORKFLOW, replace(WORKFLOW, handle="w2", expires_at=at(1)))


@pytest.fixture
async def opened(postgres_url: str) -> AsyncIterator[Database]:
    async with database(postgres_url) as opened:
        yield opened


async def test_whatever_is_claimed_settled_and_removed_at_once_nothing_waits_in_a_circle(opened: Database) -> None:
    watched, written = Watched(opened), list[Batch]()
    store = PostgresStore(watched)

    async def work(seed: int, batches: int) -> None:
        chance = random.Random(seed)  # noqa: S311  # examples, not secrets
        for _ in range(batches):
            batch = any_batch(chance)
            with suppress(CommitRefused):
                await store.commit(batch, durable=True)
                written.append(batch)

    for number in range(ROUNDS):
        await (await opened.emptied()).commit((*map(create, SESSIONS), *map(StartWorkflow, INSTANCES)))
        async with anyio.create_task_group() as tasks:
            for writer in range(WRITERS):
                tasks.start_soon(work, number * WRITERS + writer, BATCHES)

    assert watched.circles == 0
    kinds = {type(operation) for batch in written for operation in batch}
    assert kinds >= {
        ClaimWorkflow,
        SettleWorkflow,
        CheckWorkflow,
        StartWorkflow,
        ClaimEffect,
        SettleEffect,
        RewindSession,
        DeleteSession,
        Erase,
    }


async def test_two_that_begin_the_same_instances_in_opposite_orders_do_not_wait_in_a_circle(opened: Database) -> None:
    """There is no row yet that they could lock."""
    store = await opened.emptied()
    watched = Watched(opened)
    fresh = [StartWorkflow(replace(WORKFLOW, handle=f"w{number}")) for number in range(200)]
    refused: list[str] = []

    async def begin(number: int) -> None:
        try:
            await PostgresStore(watched).commit(tuple(fresh[:: 1 - 2 * (number % 2)]))
        except CommitRefused as refusal:
            refused.append(refusal.guard)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(begin, number)

    assert watched.circles == 0
    assert refused == ["workflow"] * 7
    assert len(await store.workflows(TENANT)) == len(fresh)


def test_a_batch_locks_its_session_before_its_instances_and_these_in_order() -> None:
    claim, settle = claims(own_workflow(), 0, "k1"), settles(WORKFLOW, "k2")
    place = change(Set("app", "k", "1"))

    sent = locks_of((settle, ClaimEffect(EFFECT), claim, place))

    assert sent == ["session", TENANT, "s1", "app", TENANT, "", "workflow", TENANT, "chat", "s1", "workflow", TENANT, "invoice", "w1"]
    assert not locks_of((claim,))
    assert not locks_of((place, say("e1")))


def any_batch(chance: random.Random) -> Batch:
    """Some operations that meet others, in any order."""
    instance, other = chance.sample(INSTANCES, 2)
    key, session, version = chance.choice(KEYS), chance.choice(SESSIONS), chance.randrange(2)
    effect = replace(EFFECT, key=key, session=session, claim=key)
    outcome = SettleEffect(TENANT, EFFECT.tool, key, key, "failed", START)
    ways: Sequence[tuple[int, Callable[[], list[Operation]]]] = (
        (8, lambda: [claims(instance, version, key), checks(other, chance.randrange(2)), ClaimEffect(effect)]),
        (8, lambda: [outcome, settles(instance, key), change(Set("app", "k", "1"), session=session)]),
        (4, lambda: [outcome, settles(instance, key), settles(other, key)]),
        (4, lambda: [StartWorkflow(instance), claims(instance, 0, key), say(f"e{chance.random()}", session=session)]),
        (2, lambda: [StartWorkflow(instance), StartWorkflow(other)]),
        (1, lambda: [RewindSession(TENANT, session, 0, 0, (), workflows=(own_workflow(session),))]),
        (1, lambda: [DeleteSession(TENANT, session)]),
        (1, lambda: [Erase(TENANT, USER, "gone")]),
        (1, lambda: [SweepWorkflows(TENANT, at(9), 9), outcome]),
    )
    [make] = chance.choices([way for _, way in ways], [weight for weight, _ in ways])
    batch = make()
    chance.shuffle(batch)
    return tuple(batch)


def claims(instance: Workflow, version: int, key: str) -> ClaimWorkflow:
    """Hold *instance* for the effect *key*."""
    return ClaimWorkflow(TENANT, instance.machine, instance.handle, version, key, EFFECT.tool, key, "{}", "n")


def settles(instance: Workflow, key: str) -> SettleWorkflow:
    """Let go of *instance*, if the effect *key* holds it."""
    return SettleWorkflow(TENANT, instance.machine, instance.handle, key, moves=True)


def checks(instance: Workflow, version: int) -> CheckWorkflow:
    """The guard."""
    return CheckWorkflow(TENANT, instance.machine, instance.handle, version)


class Watched:
    """A pool that counts how often the server had to end a wait in a circle."""

    def __init__(self, opened: Database) -> None:
        self._pool = opened.pool
        self.acquire, self.close = opened.pool.acquire, opened.pool.close
        self.circles = 0

    async def fetch(self, statement: str, *values: object) -> list[Row]:
        """The rows of *statement*."""
        try:
            return await self._pool.fetch(statement, *values)
        except asyncpg.DeadlockDetectedError:
            self.circles += 1
            raise
