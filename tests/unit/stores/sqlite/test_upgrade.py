import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from handgriff.errors import BackendError, DefinitionError
from handgriff.stores.sqlite.upgrade import migrate

pytestmark = pytest.mark.anyio


async def test_a_file_that_is_not_there_is_made_and_an_existing_one_left_alone(tmp_path: Path) -> None:
    before, newest = await migrate(f"{tmp_path}/new.db")

    assert before == 0 < newest
    assert await migrate(f"{tmp_path}/new.db") == (newest, newest)


async def test_an_empty_file_has_no_schema_yet(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()

    before, after = await migrate(f"{tmp_path}/empty.db")

    assert before == 0 < after


async def test_a_newer_schema_is_the_operators_to_solve_and_stays(tmp_path: Path) -> None:
    path = f"{tmp_path}/newer.db"
    _, newest = await migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO handgriff_schema (version, name) VALUES (?, 'later')", (newest + 1,))
        connection.commit()

    with pytest.raises(BackendError, match=f"has schema {newest + 1} .* knows {newest}"):
        await migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT MAX(version) FROM handgriff_schema").fetchone() == (newest + 1,)


async def test_what_is_no_database_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "letter.db"
    path.write_text("Dear Ada, " * 100)

    with pytest.raises(BackendError, match="not an SQLite database"):
        await migrate(str(path))
    assert path.read_text() == "Dear Ada, " * 100


@pytest.mark.parametrize("name", ["", ":memory:"], ids=["nothing", "memory"])
async def test_what_names_no_file_is_told(name: str) -> None:
    with pytest.raises(DefinitionError, match="names no file"):
        await migrate(name)


async def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="its folder must exist"):
        await migrate(f"{tmp_path}/no/such/folder/x.db")
