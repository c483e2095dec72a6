"""Several processes on one PostgreSQL database, and processes that are killed."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import handgriff
from handgriff.stores.postgres.driver import connect
from handgriff.stores.postgres.store import PostgresStore
from handgriff.testing.samples import TENANT, USER
from tests.contract.postgres import new_database
from tests.contract.postgres_process import SESSION, STEPS, TASKS

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{Path(handgriff.__file__).parents[1]}{os.pathsep}{ROOT}"}

pytestmark = pytest.mark.anyio


@pytest.fixture
async def url(postgres_url: str) -> AsyncIterator[str]:
    async with new_database(postgres_url) as url:
        yield url


async def test_processes_that_open_an_empty_database_together_find_one_schema(url: str) -> None:
    run(*(("open", url, name) for name in ("one", "two", "three")))

    connection = await connect(url)
    versions = [row["version"] for row in await connection.fetch("SELECT version FROM handgriff.schema_version ORDER BY 1")]
    await connection.close()
    assert versions == list(range(1, len(versions) + 1))


async def test_two_processes_count_together_and_lose_nothing(url: str) -> None:
    run(("count", url, "one"), ("count", url, "two"))

    store = await PostgresStore.open(url)
    value = (await store.values(TENANT, "session", SESSION))["n"]
    events = await store.events(TENANT, SESSION)
    await store.close()
    assert (value.text, value.version) == ("320", 2 * TASKS * STEPS)
    assert [event.seq for event in events] == list(range(1, 321))


async def test_sixteen_sessions_of_two_processes_lose_no_key_that_they_share(url: str) -> None:
    """Also in the very commits that make the sessions."""
    run(("share", url, "x"), ("share", url, "y"))

    sessions = [f"{name}{number}" for name in "xy" for number in range(TASKS)]
    store = await PostgresStore.open(url)
    app, user = await store.values(TENANT, "app", ""), await store.values(TENANT, "user", USER)
    totals = await store.totals(TENANT, "app", "")
    await store.close()
    first = {f"first:{session}" for session in sessions}
    assert app.keys() == first | {f"a:{session}:{step}" for session in sessions for step in range(STEPS)} | {"n"}
    assert user.keys() == first | {f"u:{session}:{step}" for session in sessions for step in range(STEPS)}
    assert app["n"].text == str(len(sessions) * STEPS)
    assert (totals.keys, totals.bytes) == (len(app), sum(len(key) + len(value.text) for key, value in app.items()))


async def test_a_killed_client_leaves_every_event_with_all_of_its_delta_or_none(url: str) -> None:
    run(("crash", url, "7"))


def run(*commands: tuple[str, ...], module: str = "tests.contract.postgres_process") -> None:
    programs = [[sys.executable, "-m", module, *command] for command in commands]
    started = [subprocess.Popen(program, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) for program in programs]
    for process in started:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
