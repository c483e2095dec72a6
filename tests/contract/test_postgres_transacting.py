"""Several processes in transactions on one PostgreSQL database, and processes that are killed in the midst of one."""

import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace

import anyio
import pytest

from handgriff.core.batch import ClaimEffect, HoldProposal
from handgriff.core.delta import Increment, Value
from handgriff.testing.samples import EFFECT, PROPOSAL, TENANT, USER, change, create
from tests.contract.postgres import Database, application, database, new_database, store_at
from tests.contract.postgres_transacting import KEYS, MOST, STEPS, TASKS
from tests.contract.test_postgres_processes import ENVIRONMENT, run

pytestmark = pytest.mark.anyio

WORK = "tests.contract.postgres_transacting"


@pytest.fixture
async def opened(postgres_url: str) -> AsyncIterator[Database]:
    async with new_database(postgres_url) as url, database(url) as opened, application(opened):
        yield opened


async def test_two_processes_lose_no_row_and_no_change(opened: Database) -> None:
    async with store_at(opened.url) as store:
        await store.commit((create(),))

        run(("share", opened.url, "one"), ("share", opened.url, "two"), module=WORK)

        steps = [f"{name} {task} {step}" for name in ("one", "two") for task in range(TASKS) for step in range(STEPS)]
        assert sorted(await opened.rows()) == sorted(steps)
        assert await store.values(TENANT, "user", USER) == {"n": Value(str(len(steps)), len(steps))}


async def test_of_two_processes_that_settle_a_claim_one_keeps_its_row(opened: Database) -> None:
    """Exactly once, whoever else believes to hold it."""
    async with store_at(opened.url) as store:
        await store.commit(tuple(ClaimEffect(replace(EFFECT, key=key, transaction=True)) for key in KEYS))

        run(("race", opened.url, "one"), ("race", opened.url, "two"), module=WORK)

        assert sorted(await opened.rows()) == sorted(KEYS)
        assert {effect.state for effect in await store.effects(TENANT)} == {"done"}


async def test_two_processes_send_a_user_no_more_codes_than_one_may(opened: Database) -> None:
    async with store_at(opened.url) as store:
        await store.commit(tuple(HoldProposal(replace(PROPOSAL, id=key, confirm="code")) for key in KEYS))

        run(("codes", opened.url, "one"), ("codes", opened.url, "two"), module=WORK)

        assert sum(proposal.codes_sent for proposal in await store.proposals(TENANT)) == MOST


async def test_a_killed_process_leaves_no_row_and_no_lock(opened: Database) -> None:
    await opened.superuser.execute("INSERT INTO app_rows VALUES ('shared')")
    async with store_at(opened.url) as store:
        await store.commit((create(),))

        killed_in_a_transaction(opened.url)

        with anyio.fail_after(30):
            await opened.superuser.execute("UPDATE app_rows SET text = 'seen' WHERE text = 'shared'")
            await store.commit((change(Increment("user", "n", 1)),), durable=True)
        assert await opened.rows() == ["seen"]
        assert await store.values(TENANT, "user", USER) == {"n": Value("1", 1)}


async def test_a_killed_process_leaves_every_row_with_its_change_or_neither(opened: Database) -> None:
    run(("crash", opened.url, "11"), module=WORK)


def killed_in_a_transaction(url: str) -> None:
    """A process has written a row, locked another one, had a batch refused, and is no more."""
    program = [sys.executable, "-m", WORK, "open", url, "killed"]
    with subprocess.Popen(program, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        process.kill()
