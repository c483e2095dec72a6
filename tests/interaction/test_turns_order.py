"""The order of calls: a write is a barrier, reads run together, results stand in the order of the calls. Case B031."""

from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import anyio
import pytest

from handgriff import Assistant, Call, Result, Toolbox
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, told

pytestmark = pytest.mark.anyio


@dataclass(slots=True)
class Stage:
    """Reads and writes that say when they begin and end, and may be made to wait for each other."""

    log: list[str] = field(default_factory=list)
    began: dict[str, anyio.Event] = field(default_factory=dict)
    gates: dict[str, anyio.Event] = field(default_factory=dict)
    most: int = 0

    async def play(self, name: str) -> None:
        self.log.append(f"+{name}")
        self.most = max(self.most, sum(1 if entry[0] == "+" else -1 for entry in self.log))
        self.began.setdefault(name, anyio.Event()).set()
        if name in self.gates:
            await self.gates[name].wait()
        self.log.append(f"-{name}")

    def assistant(self, **limits: Any) -> Assistant:
        box = Toolbox("stage")

        @box.tool(effect="read", description=WORDS)
        async def look(name: str, call: Call) -> Result[list[str]]:
            await self.play(name)
            return Result(f"Looked {name}.", await call.state.get("written", []))

        @box.tool(effect="write", description=WORDS)
        async def write(name: str, call: Call) -> Result[None]:
            await self.play(name)
            await call.state.set("written", [*await call.state.get("written", []), name])
            return Result(f"Wrote {name}.")

        @box.tool(effect="read", writes="state", description=WORDS)
        async def remember(name: str, call: Call) -> Result[None]:
            await self.play(name)
            await call.state.set("written", [*await call.state.get("written", []), name])
            return Result(f"Remembered {name}.")

        return assistant(box, **limits)


def look(name: str) -> ToolUse:
    return ToolUse("look", {"name": name})


async def test_reads_between_writes_run_together() -> None:
    """Each ends only after the other has begun: one after the other they would wait for ever."""
    stage = Stage()
    stage.began = {name: anyio.Event() for name in "ab"}
    stage.gates = {"a": stage.began["b"], "b": stage.began["a"]}
    async with harness(stage.assistant(), ADA, script=[(look("a"), look("b")), "Well."]) as chat:
        with anyio.fail_after(5):
            ended = (await chat.say("Look.")).ended

        assert (ended.status, stage.most) == ("done", 2)


@pytest.mark.parametrize("order", list(permutations("abc")), ids="".join)
async def test_results_stand_in_the_order_of_the_calls_whatever_ends_first(order: tuple[str, ...]) -> None:
    """B031: events and history are the same for every finishing order."""
    stage = Stage(gates={name: anyio.Event() for name in "abc"})
    async with harness(stage.assistant(), ADA, script=[(look("a"), look("b"), look("c")), "Well."]) as chat:

        async def release() -> None:
            for name in order:
                stage.gates[name].set()
                await anyio.wait_all_tasks_blocked()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(release)
            said = await chat.say("Look.")

        assert [entry[1] for entry in stage.log if entry[0] == "-"] == list(order)
        assert [outcome.shown.summary for outcome in said.outcomes] == ["Looked a.", "Looked b.", "Looked c."]
        assert [f"Looked {name}" in text for name, text in zip("abc", told(chat.provider.requests[1]), strict=True)] == [True] * 3
        assert chat.provider.violations == ()


@pytest.mark.parametrize("writer", ["write", "remember"])
async def test_a_write_waits_for_the_reads_before_it_and_is_seen_by_those_behind(writer: str) -> None:
    """A read that declares that it writes state is a write here."""
    stage = Stage()
    calls = (look("a"), look("b"), ToolUse(writer, {"name": "w"}), ToolUse(writer, {"name": "x"}), look("c"), look("d"))
    async with harness(stage.assistant(), ADA, script=[calls, "Well."]) as chat:
        await chat.say("Go.")

        runs = ["".join(sorted(entry[1] for entry in part)) for part in (stage.log[:4], stage.log[4:6], stage.log[6:8], stage.log[8:])]
        assert runs == ["aabb", "ww", "xx", "ccdd"]
        read = told(chat.provider.requests[1])
        assert ['"data":["w","x"]' in text for text in read] == [False, False, False, False, True, True]
        assert '"data":[]' in read[0]


async def test_no_more_reads_than_the_limit_run_at_once() -> None:
    stage = Stage(gates={"a": anyio.Event(), "b": anyio.Event()})
    calls = tuple(look(name) for name in "abcdef")
    async with harness(stage.assistant(parallel=2), ADA, script=[calls, "Well."]) as chat:

        async def release() -> None:
            await anyio.wait_all_tasks_blocked()
            assert [entry for entry in stage.log if entry[0] == "-"] == []
            for gate in stage.gates.values():
                gate.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Look.")
            await stage.began.setdefault("a", anyio.Event()).wait()
            await release()

        assert stage.most == 2
        assert sorted(entry[1] for entry in stage.log if entry[0] == "-") == list("abcdef")


async def test_a_sibling_that_fails_stops_no_other_call() -> None:
    stage = Stage()
    calls = (ToolUse("look", {"nom": "a"}), ToolUse("nothing", {}), ToolUse("write", {"name": "w"}), look("b"))
    async with harness(stage.assistant(), ADA, script=[calls, "Well."]) as chat:
        said = await chat.say("Go.")

        assert [outcome.code for outcome in said.outcomes] == ["invalid", "not_found", None, None]
        assert len(told(chat.provider.requests[1])) == 4


async def test_a_frame_of_progress_is_shown_while_the_call_runs() -> None:
    box, go = Toolbox("slow"), anyio.Event()

    @box.tool(effect="read", description=WORDS)
    async def wait(call: Call) -> Result[None]:
        await call.progress(1, 2, "half\ud83d")
        await go.wait()
        return Result("Waited.")

    async with harness(assistant(box), ADA, script=[ToolUse("wait", {}), "Well."]) as chat:
        texts = []
        async for item in chat.host.turn(ADA, chat.session.id, "Wait."):
            if type(item.body).__name__ == "Progress":
                texts.append(item.body.text)  # type: ignore[union-attr]  # a Progress
                go.set()

        assert texts == ["half\ufffd"]
        assert "half" not in repr(await chat.events())
