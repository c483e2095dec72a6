"""Lines from a descriptor, read without a thread."""

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from handgriff.mcp.stdio import _lines, _private_input

pytestmark = pytest.mark.anyio


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


async def read(descriptor: int) -> list[str]:
    return [line async for line in _lines(descriptor)]


async def test_lines_come_whole_however_they_were_written(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    for part in (b"on", b"e\ntwo\n\nthr", "€".encode()[:1], "€".encode()[1:] + b"\n", b"rest"):
        os.write(writing, part)
    os.close(writing)

    assert await read(reading) == ["one", "two", "", "thr€"]


async def test_a_line_longer_than_one_reading_is_one_line(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    text = b"x" * 300_000 + b"\n"

    def write() -> None:
        os.write(writing, text)
        os.close(writing)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, write)
        lines = await read(reading)

    assert [len(line) for line in lines] == [300_000]


async def test_who_waits_for_a_line_can_be_cancelled(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read, reading)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()

    os.close(writing)


async def test_a_file_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "frames").write_bytes(b"one\ntwo\n")
    with (tmp_path / "frames").open("rb") as file:
        assert await read(file.fileno()) == ["one", "two"]


def test_whoever_reads_the_standard_input_meanwhile_finds_it_empty() -> None:
    before = os.fstat(0)
    with _private_input() as descriptor:
        assert os.read(0, 10) == b""
        assert os.fstat(descriptor).st_ino == before.st_ino
        assert not os.get_inheritable(descriptor)

    assert os.fstat(0).st_ino == before.st_ino
