"""What one of several processes runs that call the same tool at the same instance at once."""

from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import anyio
import anyio.to_thread

from handgriff import Result
from tests.interaction.cabinet import Cabinet
from tests.interaction.counter import opened
from tests.interaction.papers import ADA, Office


def run(store: str, world: Path, session: str, times: int, cabinet: Path | None, pipe: Connection) -> None:
    """Say "ready", wait for an answer, call, and say how the calls ended. A handler that runs adds a line to `done` in *world*."""
    anyio.run(_race, store, world, session, times, cabinet, pipe)


async def _race(store: str, world: Path, session: str, times: int, cabinet: Path | None, pipe: Connection) -> None:
    def note() -> Result[None]:
        with (world / "done").open("a") as done:
            done.write("submit\n")
        return Result("Submitted.")

    ended: Counter[str] = Counter()
    async with opened(Office(instead={"submit": note}).assistant(), store, snapshots=None if cabinet is None else Cabinet(cabinet)) as host:

        async def one() -> None:
            ended[(await host.call(ADA, "submit", {}, session=session)).code or "done"] += 1

        await host.sessions.get(ADA, session)
        pipe.send("ready")
        await anyio.to_thread.run_sync(pipe.recv)
        async with anyio.create_task_group() as tasks:
            for _ in range(times):
                tasks.start_soon(one)
    pipe.send(dict(ended))
