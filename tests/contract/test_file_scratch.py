"""Scratch in files keeps what the port promises; and what only files can get wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import pytest

import handgriff
from handgriff.core.delta import Delete
from handgriff.core.rows import Record
from handgriff.errors import BackendError
from handgriff.ports.scratch import Scratch
from handgriff.stores.files import FileScratch, read_records, write_records
from handgriff.stores.files.folder import Folder, opened
from handgriff.stores.files.records import over, remove_over
from handgriff.testing.scratch import ScratchSuite
from handgriff.testing.scratch.notes import HOUR, PAD, SESSION, START, TENANT, at, guard, item, note, read, write
from handgriff.testing.scratch.places import HOSTILE

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(handgriff.__file__).parents[1]


class TestFileScratch(ScratchSuite):
    @pytest.fixture
    def scratch(self, tmp_path: Path) -> Scratch:
        return FileScratch(tmp_path / "scratch")


@pytest.fixture
def scratch(tmp_path: Path) -> FileScratch:
    return FileScratch(tmp_path)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / TENANT / "tmp" / "state"


@pytest.mark.anyio
async def test_a_record_is_a_file_that_people_can_read(scratch: FileScratch, state: Path) -> None:
    await write(scratch, note("direction", '"DHL→DPD"'), item("codes", '"A1"'))

    assert (state / f"{PAD}_{SESSION}.json").read_text("utf-8") == (
        """\
{
  "tenant": "acme",
  "session": "s1",
  "namespace": "pad",
  "expires_at": "2026-03-04T06:06:07.123456+00:00",
  "data": {
    "direction": "DHL→DPD",
    "codes": [
      "A1"
    ]
  },
  "versions": {
    "direction": 1772600767123457,
    "codes": 1772600767123457
  },
  "first_version": 1772600767123456
}
"""
    )


@pytest.mark.anyio
async def test_a_sweep_leaves_its_moment(scratch: FileScratch, state: Path) -> None:
    await write(scratch, note("a", "1"))
    await scratch.sweep(TENANT, now=at(5), limit=10)

    assert datetime.fromisoformat((state / ".last_gc").read_text().strip()) == at(5)


@pytest.mark.anyio
async def test_what_is_over_is_removed_when_it_is_read(scratch: FileScratch, state: Path) -> None:
    await write(scratch, note("a", "1"))
    await scratch.record(TENANT, SESSION, PAD, now=at(HOUR))

    assert _names(state) == [".lock"]


@pytest.mark.anyio
async def test_a_tenant_that_is_only_read_gets_no_folder(scratch: FileScratch, tmp_path: Path) -> None:
    await read(scratch)
    await scratch.records(TENANT, now=START)
    await scratch.renew(TENANT, SESSION, PAD, now=START, until=at(1))
    await scratch.sweep(TENANT, now=START, limit=1)
    await scratch.forget(TENANT)

    assert _names(tmp_path) == []


@pytest.mark.anyio
async def test_no_id_leaves_the_folder_or_meets_another_on_a_file_system_that_folds(tmp_path: Path) -> None:
    scratch = FileScratch(tmp_path / "inner")
    places = {place for name in HOSTILE for place in ((name, "s", "p"), ("t", name, "p"), ("t", "s", name), (name, name, name))}
    for tenant, session, pad in places:
        await write(scratch, note("a", "1", pad), tenant=tenant, session=session)

    assert _names(tmp_path) == ["inner"]
    files = _files(tmp_path / "inner")
    assert len(files) == len({str(file).lower().rstrip(". ") for file in files}) == len(places)
    assert all(str(file).isascii() and len(file.name) < 250 for file in files)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _files(root: Path) -> set[Path]:
    return {path.relative_to(root) for path in root.glob("*/tmp/state/*.json")}


WHOLE: dict[str, object] = {"tenant": TENANT, "session": SESSION, "namespace": PAD, "expires_at": "2026-03-05T00:00:00+01:00", "data": {}}
WHOLE |= {"versions": {}, "first_version": 1}
DAMAGED = {
    "nothing": "",
    "half": json.dumps(WHOLE)[:40],
    "a list": "[]",
    "no data": json.dumps({**WHOLE, "data": None}),
    "no deadline": json.dumps({**WHOLE, "expires_at": None}),
    "no moment": json.dumps({**WHOLE, "expires_at": "tomorrow"}),
    "no offset": json.dumps({**WHOLE, "expires_at": "2026-03-05T00:00:00"}),
    "odd versions": json.dumps({**WHOLE, "versions": {"a": "1"}}),
    "no first version": json.dumps({**WHOLE, "first_version": True}),
    "another session's": json.dumps({**WHOLE, "session": "s2"}),
    "another tenant's": json.dumps({**WHOLE, "tenant": "globex"}),
    "twice": '{"data": {}, "data": {}}',
    "no text": "\udcff",
}


@pytest.mark.anyio
@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED.keys())
async def test_a_damaged_file_is_named_and_never_an_empty_record(scratch: FileScratch, state: Path, text: str) -> None:
    await write(scratch, note("a", "1"), note("a", "1", "other"))
    file = state / f"{PAD}_{SESSION}.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    ways: list[Callable[[], Awaitable[object]]] = [
        lambda: read(scratch),
        lambda: scratch.records(TENANT, now=START),
        lambda: write(scratch, note("a", "2")),
        lambda: scratch.renew(TENANT, SESSION, PAD, now=START, until=at(2 * HOUR)),
        lambda: scratch.sweep(TENANT, now=at(HOUR), limit=10),
    ]
    for way in ways:
        with pytest.raises(BackendError, match=rf"{PAD}_{SESSION}\.json.*delete it"):
            await way()

    assert file.read_bytes() == text.encode(errors="surrogateescape")
    # The sweep has not stopped at it.
    assert _names(state) == [".last_gc", ".lock", file.name]
    await scratch.forget(TENANT, SESSION)
    assert file.name not in _names(state)


@pytest.mark.anyio
async def test_what_people_edit_is_what_is_read(scratch: FileScratch, state: Path) -> None:
    await write(scratch, note("a", "1"), note("b", "1"), note("b", "2"))
    version = (await scratch.records(TENANT, now=START))[0].values["b"].version
    file = state / f"{PAD}_{SESSION}.json"
    shown = json.loads(file.read_text())
    shown |= {"data": {"a": [1, {"x": 2.5}], "new": None}, "expires_at": "2026-03-04T08:06:07+01:00", "remark": "edited"}
    file.write_text(json.dumps(shown))

    assert await read(scratch) == {"a": [1, {"x": 2.5}], "new": None}
    assert await read(scratch, moment=2 * HOUR) == {}
    file.write_text(json.dumps(shown))
    await write(scratch, note("b", "1"))
    (found,) = await scratch.records(TENANT, now=START)
    assert found.values["b"].version > version


@pytest.mark.anyio
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
async def test_no_symbolic_link_is_followed(tmp_path: Path, depth: int) -> None:
    link = "/".join((TENANT, "tmp", "state", f"{PAD}_{SESSION}.json")[:depth])
    root, outside = tmp_path / "root", tmp_path / "outside"
    scratch, other = FileScratch(root), FileScratch(outside)
    await write(other, note("secret", "1"))
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside / link)
    before = (outside / TENANT / "tmp" / "state" / f"{PAD}_{SESSION}.json").read_text()

    ways: list[Callable[[], Awaitable[object]]] = [
        lambda: read(scratch),
        lambda: scratch.records(TENANT, now=START),
        lambda: write(scratch, note("a", "2")),
        lambda: scratch.sweep(TENANT, now=at(HOUR), limit=10),
    ]
    for way in ways:
        with pytest.raises(BackendError, match="symbolic link"):
            await way()
    assert (outside / TENANT / "tmp" / "state" / f"{PAD}_{SESSION}.json").read_text() == before


@pytest.mark.anyio
async def test_links_in_the_place_of_other_files_are_not_followed_either(scratch: FileScratch, state: Path, tmp_path: Path) -> None:
    await write(scratch, note("a", "1"))
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (state / ".last_gc").symlink_to(mine)
    await scratch.sweep(TENANT, now=START, limit=1)
    (state / ".lock").unlink()
    (state / ".lock").symlink_to(mine)

    with pytest.raises(BackendError, match="symbolic link"):
        await write(scratch, note("a", "2"))
    assert mine.read_text() == "mine"
    assert not (state / ".last_gc").is_symlink()


@pytest.mark.anyio
async def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    await write(FileScratch(tmp_path / "link"), note("a", "1"))

    assert await read(FileScratch(tmp_path / "real")) == {"a": 1}


@pytest.mark.anyio
async def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(scratch: FileScratch, state: Path) -> None:
    os.makedirs(state)  # noqa: PTH103  # as its neighbour
    os.mkfifo(state / f"{PAD}_{SESSION}.json")

    with pytest.raises(BackendError, match="pipe"):
        await read(scratch)


@pytest.mark.anyio
async def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(BackendError, match="no folder"):
        await read(FileScratch(tmp_path / "file"))


@pytest.mark.anyio
async def test_other_files_are_left_alone(scratch: FileScratch, state: Path) -> None:
    await write(scratch, note("a", "1"))
    for name in ("notes.txt", "package.json", ".hidden_a.json"):
        (state / name).write_text("no record")

    assert len(await scratch.records(TENANT, now=START)) == 1
    await scratch.forget(TENANT)
    assert _names(state) == [".hidden_a.json", ".lock", "notes.txt", "package.json"]


@pytest.mark.anyio
async def test_what_a_killed_writer_left_goes_with_the_next_sweep(scratch: FileScratch, state: Path) -> None:
    await write(scratch, note("a", "1"))
    (state / ".0123.tmp").write_text("half")

    assert await scratch.sweep(TENANT, now=START, limit=1) == 0
    assert _names(state) == [".last_gc", ".lock", f"{PAD}_{SESSION}.json"]


@pytest.mark.anyio
async def test_a_record_that_was_renewed_after_it_was_looked_at_is_not_removed(scratch: FileScratch, tmp_path: Path) -> None:
    """B007: the condition is looked at under the lock."""
    for pad in ("a", "b"):
        await write(scratch, note("k", "1", pad), ttl=100)
    with opened(tmp_path, TENANT, "test") as folder:
        assert folder is not None
        files, fault = over(folder, at(200))
        await scratch.renew(TENANT, SESSION, "a", now=at(99), until=at(HOUR))
        await write(scratch, note("k", "1", "c"), moment=99)

        assert fault is None
        assert remove_over(folder, files, at(200)) == 1
    assert [record.namespace for record in await scratch.records(TENANT, now=at(200))] == ["a", "c"]


@pytest.mark.anyio
async def test_a_lock_that_somebody_keeps_is_waited_for_and_then_said(scratch: FileScratch, tmp_path: Path) -> None:
    await write(scratch, note("a", "1"))
    with opened(tmp_path, TENANT, "test") as folder:
        assert folder is not None
        impatient = Folder(folder.name, folder.path, folder.descriptor, patience=0.01)
        with folder.locked(), pytest.raises(BackendError, match=r"keeps .*\.lock"), impatient.locked():
            pass
        with impatient.locked():
            pass


@pytest.mark.anyio
async def test_records_of_any_store_are_written_as_these_files_and_read_again(tmp_path: Path) -> None:
    source, target = FileScratch(tmp_path / "source"), tmp_path / "target"
    for tenant, session in ((TENANT, "s1"), (TENANT, "x" * 256), ("globex", "a/b")):
        await write(source, note("a", '{"x":[1,null]}'), note("b", "1"), note("c", "1", "other"), tenant=tenant, session=session)
    await write(source, Delete("scratch", "b", PAD))
    records = read_records(tmp_path / "source")

    paths = write_records(target, records)

    assert len(records) == len(set(paths)) == 6
    assert read_records(target) == records
    assert [record for record in records if record.tenant == TENANT] == list(await FileScratch(target).records(TENANT, now=START))
    assert {path.relative_to(target) for path in paths} == _files(target) == _files(tmp_path / "source")
    assert write_records(target, records) == paths


@pytest.mark.anyio
async def test_a_guard_of_before_a_copy_does_not_fit_what_comes_later(tmp_path: Path) -> None:
    scratch = FileScratch(tmp_path)
    write_records(tmp_path, [Record(TENANT, SESSION, PAD, at(HOUR), {})])
    await write(scratch, guard("a", None), note("a", "1"))

    assert await read(scratch) == {"a": 1}


def test_reading_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="nowhere"):
        read_records(tmp_path / "nowhere")


def test_a_folder_may_hold_other_things_than_records(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "file").write_text("")

    assert read_records(tmp_path) == ()


@pytest.mark.anyio
async def test_processes_that_append_to_one_record_lose_nothing(tmp_path: Path) -> None:
    names = ("one", "two")
    _run(*(("append", tmp_path, name, 60) for name in names))

    held = await read(FileScratch(tmp_path))
    assert isinstance(held["codes"], list)
    assert sorted(map(str, held["codes"])) == sorted(f"{name}-{number}" for name in names for number in range(60))


def test_a_killed_process_leaves_the_old_record_or_the_new_one(tmp_path: Path) -> None:
    _run(("crash", tmp_path, 12, 7))


def test_a_full_disk_leaves_the_old_record_and_nothing_else(tmp_path: Path, state: Path) -> None:
    _run(("full", tmp_path, 2000, 0))

    assert _names(state) == [".lock", f"{PAD}_{SESSION}.json"]


def _run(*commands: tuple[object, ...]) -> None:
    environment = os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.contract.file_process", *map(str, command)], env=environment, stderr=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    for process in started:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
