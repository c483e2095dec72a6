"""A process of its own that works on scratch in files; `test_file_scratch` starts several on one folder.

python -m tests.contract.file_process append FOLDER NAME COUNT
python -m tests.contract.file_process crash FOLDER ROUNDS SEED
python -m tests.contract.file_process full FOLDER SIZE 0
"""

import asyncio
import itertools
import os
import random
import resource
import signal
import sys

from handgriff.errors import BackendError
from handgriff.stores.files import FileScratch
from handgriff.testing.scratch.notes import PAD, SESSION, START, TENANT, item, note, read, write


async def append(folder: str, name: str, count: int) -> None:
    """Append *count* codes to one record."""
    scratch = FileScratch(folder)
    for number in range(count):
        await write(scratch, item("codes", f'"{name}-{number}"'))


def crash(folder: str, rounds: int, seed: int) -> None:
    """Kill a writing child *rounds* times, each at another moment, and look at the record after each."""
    chance = random.Random(seed)  # noqa: S311  # moments, not secrets
    for _ in range(rounds):
        acknowledged = _written_until_killed(folder, after=chance.randrange(1, 60), spin=chance.randrange(20_000))
        asyncio.run(_check(folder, acknowledged))


def _written_until_killed(folder: str, *, after: int, spin: int) -> int:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        asyncio.run(_write_forever(folder, writing))
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as answers:
        last = b""
        for _ in range(after):
            last = answers.read(8)
        for _ in range(spin):  # some moment between two writes, or in the middle of one
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while answer := answers.read(8):
            last = answer
    return int(last)


async def _write_forever(folder: str, answers: int) -> None:
    scratch = FileScratch(folder)
    held = await read(scratch)
    for number in itertools.count(int(str(held.get("a", 0))) + 1):
        await write(scratch, note("a", str(number)), note("filling", f'"{"x" * (number % 7) * 5000}"'), note("b", str(number)))
        os.write(answers, b"%8d" % number)


async def _check(folder: str, acknowledged: int) -> None:
    scratch = FileScratch(folder)
    held = await read(scratch)
    number = int(str(held["a"]))
    assert held["b"] == number
    assert acknowledged <= number <= acknowledged + 1
    assert len(str(held["filling"])) == number % 7 * 5000
    # The dead child's lock is gone with it, and so is what it had begun, once somebody sweeps.
    await scratch.sweep(TENANT, now=START, limit=1)
    state = os.path.join(folder, TENANT, "tmp", "state")  # noqa: PTH118  # a path for listing
    assert sorted(os.listdir(state)) == [".last_gc", ".lock", f"{PAD}_{SESSION}.json"]  # noqa: PTH208  # names are all there is to see


async def full(folder: str, size: int) -> None:
    """Find out that a file may not grow past *size*."""
    scratch = FileScratch(folder)
    await write(scratch, note("a", "1"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        await write(scratch, note("b", f'"{"x" * 2 * size}"'))
    except BackendError as error:
        assert PAD in str(error)  # noqa: PT017  # there is no pytest here
    else:
        raise AssertionError("written past the end of the disk")
    assert await read(scratch) == {"a": 1}


if __name__ == "__main__":
    work, folder, name, count = sys.argv[1:]
    if work == "crash":
        crash(folder, int(name), int(count))
    elif work == "append":
        asyncio.run(append(folder, name, int(count)))
    else:
        asyncio.run(full(folder, int(name)))
