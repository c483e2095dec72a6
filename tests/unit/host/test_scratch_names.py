"""Names of a scratch beside the store."""

from pathlib import Path

import pytest

from handgriff.errors import DefinitionError
from handgriff.host.adapters import open_scratch
from handgriff.stores.files import FileScratch
from handgriff.stores.redis.scratch import RedisScratch
from handgriff.testing.scratch.notes import note, write


@pytest.mark.anyio
async def test_a_file_url_names_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my scratch"
    scratch = await open_scratch(folder.as_uri())
    await write(scratch, note("a", "1"))

    assert isinstance(scratch, FileScratch)
    assert {path.name for path in tmp_path.rglob("*.json")} == {"pad_s1.json"}  # noqa: ASYNC240  # one look at a small folder
    assert folder.exists()


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["redis://127.0.0.1:1/0", "rediss://ada:pw@127.0.0.1:1", "redis://127.0.0.1:1,127.0.0.1:2?cluster=true"])
async def test_a_redis_url_names_a_server_that_need_not_run_yet(name: str) -> None:
    scratch = await open_scratch(name)

    assert isinstance(scratch, RedisScratch)
    await scratch.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name", ["", "memory://", "file://", "file:///", "file://host/folder", "folder", "sqlite:///a.db", "redis:s3cret@host"]
)
async def test_other_names_are_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(DefinitionError, match=r"file:///folder.*redis://host") as refused:
        await open_scratch(name)

    assert "s3cret" not in str(refused.value)
