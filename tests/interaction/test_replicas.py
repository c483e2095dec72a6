"""Two server processes on one store: they serve one conversation in turn, and what a killed one leaves the other finds. Promise 11."""

import itertools
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import httpx2
import pytest
from anyio.streams.text import TextReceiveStream

import handgriff
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.provider import LoopbackProvider
from handgriff.testing.loopback.script import Answer, Hold, Script, Text, ToolUse
from tests.conftest import ROOT
from tests.interaction.http_wire import ADA, frames_of, say
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio
SOURCE = Path(handgriff.__file__).parents[1]
COUNT = ToolUse("count", {})
LONG = Answer((Text("A long story of many words", chunk=4),))


@dataclass(slots=True)
class Replica:
    """A server process, what it prints, and a client of it."""

    process: anyio.abc.Process
    client: httpx2.AsyncClient
    lines: TextReceiveStream
    _rest: str = ""

    async def line(self, part: str) -> str:
        """The next line that holds *part*."""
        with anyio.fail_after(60):
            while True:
                while "\n" in self._rest:
                    line, _, self._rest = self._rest.partition("\n")
                    if part in line:
                        return line
                self._rest += await self.lines.receive()

    async def run(self, text: str, thread: str = "t1") -> httpx2.Response:
        """One turn, read to its end."""
        return await self.client.post("/agui", json=say(text, thread=thread))

    async def events(self) -> list[dict[str, Any]]:
        """What the oldest session holds. Asking closes nothing that runs."""
        session = (await self.client.get("/sessions")).json()["sessions"][-1]["id"]
        found: list[dict[str, Any]] = (await self.client.get(f"/sessions/{session}")).json()["events"]
        return found


@dataclass(slots=True)
class Pair:
    """Two replicas on one store, with one provider and one world."""

    one: Replica
    two: Replica
    provider: LoopbackProvider
    world: Path

    @property
    def done(self) -> list[str]:
        """What happened in the world."""
        path = self.world / "done"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that two processes can share."""
    return store_name(kind, request, tmp_path)


@asynccontextmanager
async def replica(store: str, provider: str, world: Path) -> AsyncIterator[Replica]:
    environment = os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.interaction.replica", store, provider, str(world)]
    async with await anyio.open_process(command, env=environment, stderr=None) as process:
        assert process.stdout is not None
        lines = TextReceiveStream(process.stdout)
        async with httpx2.AsyncClient(headers={"x-user": ADA}, timeout=60) as client:
            started = Replica(process, client, lines)
            client.base_url = await started.line("http://")
            try:
                yield started
            finally:
                if process.returncode is None:
                    process.kill()


@asynccontextmanager
async def pair(store: str, tmp_path: Path, script: Script) -> AsyncIterator[Pair]:
    world = tmp_path / "world"
    world.mkdir()
    os.mkfifo(world / "door")
    async with (
        LoopbackProvider(script) as provider,
        replica(store, provider.url, world) as one,
        replica(store, provider.url, world) as two,
    ):
        yield Pair(one, two, provider, world)


def statuses(events: Sequence[dict[str, Any]]) -> list[str]:
    return [event["status"] for event in events if event["kind"] == "turn_ended"]


def codes(events: Sequence[dict[str, Any]]) -> list[str | None]:
    return [event.get("code") for event in events if event["kind"] == "call_outcome"]


def messages(request: Request) -> list[Any]:
    # Cache marks move on with the conversation; what they stand on does not.
    found: list[Any] = request.body["messages"]
    return [[{**block, "cache_control": None} for block in message["content"]] for message in found]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_two_servers_answer_one_conversation_in_turn(store: str, tmp_path: Path) -> None:
    """No affinity: what one has stored the other goes on with, byte for byte, and nothing is counted twice or lost."""
    script = [COUNT, "One.", COUNT, "Two.", (COUNT, COUNT), "Four."]
    async with pair(store, tmp_path, script) as both:
        told = [(await each.run("Count.")).text for each in (both.one, both.two, both.one)]

        assert ["One." in told[0], "Two." in told[1], "Four." in told[2]] == [True] * 3
        assert statuses(await both.two.events()) == ["done"] * 3
        sent = [messages(request) for request in both.provider.requests]
        assert all(later[: len(earlier)] == earlier for earlier, later in itertools.pairwise(sent))
        assert both.provider.violations == ()
        assert '"data":4' in sent[-1][-1][-1]["content"]


@pytest.mark.parametrize("kind", ["postgres"])
async def test_the_other_server_is_busy_for_this_conversation_only(store: str, tmp_path: Path) -> None:
    """B014: 409 on every replica while a turn runs, and no other conversation waits for it."""
    go = anyio.Event()
    held = Answer(LONG.blocks, holds=(Hold(5, go.wait),))
    async with pair(store, tmp_path, [held, "Hello."]) as both, anyio.create_task_group() as tasks:
        tasks.start_soon(both.one.run, "Tell.")
        await both.provider.arrived(0)

        again = await both.two.run("And?")
        other = await both.two.run("Hello?", thread="t2")

        assert (again.status_code, again.json()["code"]) == (409, "conversation_busy")
        assert [event["type"] for _, event in frames_of(other.text)][-1] == "RUN_FINISHED"
        go.set()


@pytest.mark.parametrize(("kind", "during"), [("postgres", "stream"), ("postgres", "read"), ("postgres", "write"), ("sqlite", "write")])
async def test_a_turn_whose_process_was_killed_is_found_by_the_other_and_closed(store: str, during: str, tmp_path: Path) -> None:
    """Without anybody asking: what had finished is kept, a write is indeterminate, nothing runs again, and the conversation goes on."""
    slow = {
        "stream": Answer(LONG.blocks, holds=(Hold(5, anyio.sleep_forever),)),
        "read": ToolUse("look", {"name": "a"}),
        "write": ToolUse("write", {"name": "a"}),
    }
    async with pair(store, tmp_path, [COUNT, slow[during], "Well.", COUNT, "Two."]) as both:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until_cut, both.one)
            await both.provider.arrived(1)
            if during != "stream":
                await both.one.line("began")
            busy = await both.two.run("And?")
            both.one.process.kill()

        both.two.process.send_signal(signal.SIGUSR1)
        await both.two.line("was interrupted by a crash")
        found = await both.two.events()
        told = (await both.two.run("And?")).text
        counted = await both.two.run("Count.")

        assert busy.status_code == 409
        assert statuses(found) == ["interrupted"]
        assert codes(found) == {"stream": [None], "read": [None, "not_run"], "write": [None, "indeterminate"]}[during]
        assert "Well." in told
        assert '"data":2' in str(both.provider.requests[-1].body["messages"][-1]["content"]), counted.text
        assert statuses(await both.two.events()) == ["interrupted", "done", "done"]
        assert both.done == {"stream": [], "read": ["look a began"], "write": ["write a began"]}[during]
        assert both.provider.violations == ()


async def _until_cut(replica: Replica) -> None:
    try:
        await replica.run("Begin.")
    except httpx2.TransportError:
        return
    raise AssertionError("the turn came to its end")
