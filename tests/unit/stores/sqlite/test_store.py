"""Opening and closing a file, and what can be wrong with one."""

import sqlite3
from pathlib import Path

import pytest

from handgriff.errors import BackendError, DefinitionError
from handgriff.ports.store import Store
from handgriff.stores.sqlite import SqliteStore
from handgriff.stores.sqlite.store import _keeps_a_log
from handgriff.testing.samples import TENANT, create, furnish, put, say

pytestmark = pytest.mark.anyio


async def test_what_was_written_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    store: Store = SqliteStore.open(path)
    await store.commit(furnish("s1"))
    await store.close()

    again = SqliteStore.open(str(path))
    assert [event.id for event in await again.events(TENANT, "s1", limit=1)] == ["e1"]
    assert (await again.values(TENANT, "session", "s1"))["topic"].text == '"s1"'
    await again.close()


async def test_closing_leaves_one_file(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await store.commit((create(),))
    await store.close()
    await store.close()

    assert _files(tmp_path) == ["handgriff.db"]


async def test_a_closed_store_reads_nothing(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await store.close()

    with pytest.raises(BackendError, match="closed"):
        await store.session(TENANT, "s1")


@pytest.mark.parametrize("path", ["", ":memory:"])
async def test_a_path_that_names_no_file_is_refused(path: str) -> None:
    with pytest.raises(DefinitionError, match="MemoryStore"):
        SqliteStore.open(path)


async def test_a_missing_folder_is_an_error_with_a_hint(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "handgriff.db", tmp_path):
        with pytest.raises(BackendError, match="folder must exist") as failed:
            SqliteStore.open(path)
        assert isinstance(failed.value.__cause__, sqlite3.OperationalError)


async def test_a_file_somebody_keeps_for_himself_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(BackendError, match="Another process"):
        SqliteStore.open(path, patience=0.02)
    other.execute("ROLLBACK")
    await SqliteStore.open(path, patience=0.02).close()
    other.close()


async def test_a_file_that_cannot_carry_a_log_is_refused() -> None:
    connection = sqlite3.connect(":memory:")  # as some network file systems do, it answers with another mode

    with pytest.raises(sqlite3.OperationalError, match="write-ahead log"):
        _keeps_a_log(connection, is_last=False)
    connection.close()


async def test_an_sqlite_without_strict_tables_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))

    with pytest.raises(BackendError, match=r"3\.37\.0 is needed"):
        SqliteStore.open(tmp_path / "handgriff.db")


async def test_a_file_of_another_kind_is_an_error_with_a_hint_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Buy milk. " * 1000)

    with pytest.raises(BackendError, match="not an SQLite database"):
        SqliteStore.open(path)
    assert path.read_text() == "Buy milk. " * 1000


async def test_a_damaged_file_is_an_error_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    store = SqliteStore.open(path)
    await store.commit((create(), *(say(f"e{n}", "x" * 500) for n in range(100))))
    await store.close()
    _damage(path, "handgriff_event")

    damaged = SqliteStore.open(path)
    with pytest.raises(BackendError, match="damaged"):
        await damaged.events(TENANT, "s1")
    with pytest.raises(BackendError, match="damaged"):
        await damaged.commit((say("late"),))
    await damaged.close()


async def test_an_event_of_a_newer_version_is_an_error_and_no_gap(tmp_path: Path) -> None:
    path = tmp_path / "handgriff.db"
    store = SqliteStore.open(path)
    await store.commit((create(), say("e1")))
    with sqlite3.connect(path) as other:
        other.execute("UPDATE handgriff_event SET kind = 'hologram'")
    other.close()

    with pytest.raises(BackendError, match="hologram") as failed:
        await store.events(TENANT, "s1")
    assert isinstance(failed.value.__cause__, ValueError)
    await store.close()


async def test_two_stores_on_one_file_see_each_others_commits(tmp_path: Path) -> None:
    one, two = (SqliteStore.open(tmp_path / "handgriff.db") for _ in range(2))
    await one.commit((create(),))

    for number in range(10):
        await (one, two)[number % 2].commit((say(f"e{number}"), put("k", str(number))), durable=number % 3 == 0)
        assert (await one.values(TENANT, "session", "s1"))["k"].version == number + 1
        assert len(await two.events(TENANT, "s1")) == 2 * (number + 1)

    await two.close()
    await one.close()


async def test_our_tables_stand_beside_the_applications(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as application:
        application.execute("CREATE TABLE session (id TEXT)")
        application.execute("INSERT INTO session VALUES ('theirs')")
    store = SqliteStore.open(path)
    await store.commit((create(),))
    await store.close()

    assert application.execute("SELECT id FROM session").fetchall() == [("theirs",)]
    names = [row[0] for row in application.execute("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")]
    assert all(name == "session" or name.startswith("handgriff_") for name in names)
    application.close()


async def test_an_integer_no_column_holds_is_refused_whole(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    with pytest.raises(BackendError, match="too large"):
        await store.events(TENANT, "s1", after=2**63)
    await store.close()


def _files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _damage(path: Path, table: str) -> None:
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    content = path.read_bytes()
    path.write_bytes(content[: (page - 1) * size] + b"\xff" * size + content[page * size :])
