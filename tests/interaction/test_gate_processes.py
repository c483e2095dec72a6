"""Two processes at one instance: one call of them all runs, also where the instance is kept elsewhere. Case B032."""

from collections import Counter
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from handgriff.core.events import CallOutcome
from tests.interaction.cabinet import Cabinet
from tests.interaction.counter import forking, opened
from tests.interaction.papers import ADA, Office
from tests.interaction.racer import run
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio
TIMES = 50


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that two processes can share."""
    return store_name(kind, request, tmp_path)


def raced(store: str, world: Path, session: str, cabinet: Path | None) -> Counter[str]:
    """How the calls of two processes ended that began at the same time."""
    context, ended = forking(), Counter[str]()
    pipes = [context.Pipe() for _ in range(2)]
    racers = [context.Process(target=run, args=(store, world, session, TIMES, cabinet, theirs)) for _, theirs in pipes]
    try:
        for racer in racers:
            racer.start()
        assert [ours.recv() for ours, _ in pipes] == ["ready", "ready"]
        for ours, _ in pipes:
            ours.send("go")
        for ours, _ in pipes:
            ended.update(ours.recv())
    finally:
        for racer in racers:
            racer.join(60)
            racer.kill()
        for pipe in pipes:
            for end in pipe:
                end.close()
    return ended


@pytest.mark.parametrize(("kind", "where"), [("sqlite", "store"), ("postgres", "store"), ("sqlite", "elsewhere")])
async def test_of_a_hundred_firing_calls_of_two_processes_one_runs(store: str, where: str, tmp_path: Path) -> None:
    cabinet = tmp_path / "cabinet" if where == "elsewhere" else None
    if cabinet is not None:
        cabinet.mkdir()
    async with opened(Office().assistant(), store, snapshots=None if cabinet is None else Cabinet(cabinet)) as host:
        session = await host.sessions.create(ADA)
        ended = await anyio.to_thread.run_sync(raced, store, tmp_path, session.id, cabinet)

        assert ended["done"] == 1
        assert ended.total() == 2 * TIMES
        assert set(ended) <= {"done", "conflict", "closed"}
        assert (tmp_path / "done").read_text() == "submit\n"
        assert (await host.workflows.states(ADA, session.id))["paper"] == "review"
        events = await host.sessions.events(ADA, session.id)
        assert len([event for event in events if isinstance(event.body, CallOutcome) and event.body.moved]) == 1
