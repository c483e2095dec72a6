"""`handgriff gc`, `erase` and `migrate`: the operator's upkeep of a store, over all tenants."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import anyio
import asyncpg  # type: ignore[import-untyped]  # it ships no types
import pytest

from handgriff import Caller
from handgriff.testing.clock import StillClock
from tests.interaction.cli_pad import inhabited
from tests.interaction.cli_process import Ended, at_terminal, handgriff, with_pad
from tests.servers.postgres import DATABASE, OWNER, SUPERUSER, as_user

ADA, BOB, EVE = Caller("acme", "ada"), Caller("acme", "bob"), Caller("glo%bex", "e/ve")
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
CANARY = "canary-41f0aa"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_pad(tmp_path)


async def inhabit(folder: Path, at: datetime, *callers: Caller) -> None:
    """A session of each caller, with state, a scratch record, and one turn."""
    async with inhabited(folder, StillClock(at)) as host:
        for caller in callers:
            session = await host.sessions.create(caller, title=CANARY, state={"k": CANARY, "user:k": CANARY})
            await host.call(caller, "note", {"text": CANARY}, session=session.id)
            async for _ in host.turn(caller, session.id, CANARY):
                pass


async def left(folder: Path) -> dict[str, tuple[int, int]]:
    """How many sessions and ledger rows each caller has."""
    async with inhabited(folder) as host:
        store = (await host.engine()).store
        return {
            caller.user: (
                len(await host.sessions.list(caller)),
                sum(row.user == caller.user for row in await store.requests(caller.tenant)),
            )
            for caller in (ADA, BOB, EVE)
        }


def run(folder: Path, name: str, *words: str) -> Ended:
    return handgriff(folder, name, "pad:host", *words)


def test_gc_removes_what_is_over_and_idle_of_all_tenants_and_leaves_what_was_spent(folder: Path) -> None:
    """B008."""
    anyio.run(inhabit, folder, datetime.now(UTC), BOB)
    anyio.run(inhabit, folder, LONG_AGO, ADA, EVE)

    assert run(folder, "gc", "--json").json == {"records": 2, "sessions": 0, "effects": 0}
    assert run(folder, "gc", "--idle", "14d", "--json").json == {"records": 0, "sessions": 2, "effects": 0}
    assert anyio.run(left, folder) == {"ada": (0, 1), "bob": (1, 1), "e/ve": (0, 1)}
    told = run(folder, "gc", "--idle", "P14D")
    assert (told.code, told.err) == (0, "")
    assert "sessions deleted: 0" in told.out


def test_gc_of_one_tenant_leaves_the_others_alone(folder: Path) -> None:
    anyio.run(inhabit, folder, LONG_AGO, ADA, EVE)

    assert run(folder, "gc", "--idle", "36h", "--tenant", "glo%bex", "--json").json == {"records": 1, "sessions": 1, "effects": 0}
    assert run(folder, "gc", "--idle", "36h", "--tenant", "no\x1b[2Jbody", "--json").json == {"records": 0, "sessions": 0, "effects": 0}
    assert anyio.run(left, folder) == {"ada": (1, 1), "bob": (0, 0), "e/ve": (0, 1)}


@pytest.mark.parametrize("idle", ["14", "soon", "0d", "-3d", "99999999d"])
def test_what_is_no_duration_is_wrong_use_and_removes_nothing(folder: Path, idle: str) -> None:
    anyio.run(inhabit, folder, LONG_AGO, ADA)

    ended = run(folder, "gc", f"--idle={idle}", "--json")

    assert (ended.code, ended.out) == (2, "")
    assert "--idle" in ended.err
    assert anyio.run(left, folder)["ada"] == (1, 1)


def test_erasing_a_user_prints_the_pseudonym_and_leaves_no_byte(folder: Path) -> None:
    """P20."""
    anyio.run(inhabit, folder, datetime.now(UTC), ADA)

    erased = run(folder, "erase", "--tenant", "acme", "--user", "ada", "--yes", "--json")

    assert erased.code == 0
    assert (erased.json["tenant"], erased.json["user"], erased.json["sessions"]) == ("acme", "ada", 1)
    assert erased.json["pseudonym"]
    assert CANARY.encode() not in b"".join(file.read_bytes() for file in folder.glob("pad.db*"))
    assert anyio.run(left, folder)["ada"] == (0, 0)


def test_erasing_a_tenant_takes_all_of_its_users_and_nobody_elses(folder: Path) -> None:
    anyio.run(inhabit, folder, datetime.now(UTC), ADA, BOB, EVE)

    told = run(folder, "erase", "--tenant", "acme", "--yes")

    assert told.code == 0
    assert "sessions erased: 2" in told.out
    assert "ledger rows stay under: " in told.out
    assert anyio.run(left, folder) == {"ada": (0, 0), "bob": (0, 0), "e/ve": (1, 1)}


@pytest.mark.parametrize(("typed", "code"), [("\n", 1), ("yes\n", 0)], ids=["no", "yes"])
def test_erasing_asks_a_person(folder: Path, typed: str, code: int) -> None:
    anyio.run(inhabit, folder, datetime.now(UTC), ADA)

    ended = at_terminal(folder, "erase", "pad:host", "--tenant", "acme", "--user", "ada", typed=typed)

    assert ended.code == code
    assert "Erase everything of user ada of tenant acme? [y/N] " in ended.out
    assert anyio.run(left, folder)["ada"] == ((0, 0) if code == 0 else (1, 1))


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--tenant", "acme"), 2, "--yes"),
        (("--yes",), 2, "--tenant"),
        (("--tenant", "", "--yes"), 1, "tenant: expected text"),
        (("--tenant", "x" * 257, "--yes"), 1, "tenant: expected text"),
    ],
    ids=["nobody to ask", "whose", "nobody", "nobody can be that"],
)
def test_what_does_not_say_whom_or_is_not_agreed_to_erases_nothing(folder: Path, words: tuple[str, ...], code: int, told: str) -> None:
    anyio.run(inhabit, folder, datetime.now(UTC), ADA)

    ended = run(folder, "erase", *words)

    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert anyio.run(left, folder)["ada"] == (1, 1)


def test_a_new_file_is_brought_to_the_newest_schema_and_then_there_is_nothing_to_do(folder: Path) -> None:
    """Of a host whose model has no key too: nothing but the store is opened."""
    first = handgriff(folder, "migrate", "pad:keyless", "--json")
    again = handgriff(folder, "migrate", "--store", "sqlite:///pad.db")

    newest = first.json["to"]
    assert first.json == {"store": "sqlite", "from": 0, "to": newest}
    assert newest >= 1
    assert (again.code, again.err) == (0, "")
    assert f"nothing to do: schema {newest} is the newest" in again.out
    assert handgriff(folder, "migrate", "pad:assistant", "--dev", "--store", "memory://").out.splitlines()[-1] == (
        "nothing to do: such a store keeps no schema"
    )


def test_a_newer_schema_is_refused_and_stays(folder: Path) -> None:
    newest = handgriff(folder, "migrate", "pad:host", "--json").json["to"]
    with closing(sqlite3.connect(folder / "pad.db")) as connection:
        connection.execute("INSERT INTO handgriff_schema (version, name) VALUES (?, 'later')", (newest + 1,))
        connection.commit()

    ended = handgriff(folder, "migrate", "pad:host", "--json")

    assert (ended.code, ended.out) == (1, "")
    assert f"has schema {newest + 1} and this version of Handgriff knows {newest}" in ended.err
    assert "Traceback" not in ended.err
    with closing(sqlite3.connect(folder / "pad.db")) as connection:
        assert connection.execute("SELECT MAX(version) FROM handgriff_schema").fetchone() == (newest + 1,)


def test_a_database_is_brought_to_the_newest_schema_and_a_newer_one_is_refused(folder: Path, postgres_url: str) -> None:
    """P21."""
    database = anyio.run(new_database, postgres_url)

    first = handgriff(folder, "migrate", "--store", database, "--json")
    again = handgriff(folder, "migrate", "--store", database)
    newest = first.json["to"]
    anyio.run(
        execute,
        database,
        "INSERT INTO handgriff.schema_version (version, name) SELECT max(version) + 1, 'later' FROM handgriff.schema_version",
    )
    newer = handgriff(folder, "migrate", "--store", database)

    assert first.json == {"store": "postgresql", "from": 0, "to": newest}
    assert f"nothing to do: schema {newest} is the newest" in again.out
    assert newer.code == 1
    assert f"has schema {newest + 1} and this version of Handgriff knows {newest}" in newer.err


async def new_database(url: str) -> str:
    """The address of an empty database beside the one at *url*."""
    await execute(as_user(url, SUPERUSER), f"CREATE DATABASE migrated OWNER {OWNER}")
    return f"{url.removesuffix(DATABASE)}migrated"


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--store NAME"),
        (("pad:assistant",), "Add --dev"),
        (("pad:host", "--store", "memory://"), "leave out --store"),
        (("pad:given",), "given as an object"),
        (("--store", "floppy://a"), "begins no name of a store"),
    ],
    ids=["which", "an assistant", "two stores", "an object", "no such store"],
)
def test_what_names_no_store_to_migrate_is_wrong_use(folder: Path, words: tuple[str, ...], told: str) -> None:
    ended = handgriff(folder, "migrate", *words)

    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_a_server_that_is_not_there_is_told_without_its_password(folder: Path) -> None:
    ended = handgriff(folder, "migrate", "--store", "postgresql://shop:hunter2@127.0.0.1:1/shop", "--json")

    assert (ended.code, ended.out) == (1, "")
    assert "hunter2" not in ended.err
    assert "Traceback" not in ended.err
