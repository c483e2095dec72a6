"""State as tools meet it: a call reads what earlier calls committed, a failed call leaves nothing, and a turn's own values end with it.

Cases B015, B017, B019.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from handgriff import Assistant, Call, DefinitionError, Plan, Refusal, Result, Toolbox
from handgriff.core.state import DELTA_BYTES
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, BOB, WORDS, assistant, everybody

pytestmark = pytest.mark.anyio
Work = Callable[[Any], Awaitable[object]]


@dataclass(slots=True)
class Memory:
    """One write and one read whose bodies a test gives: `work` is what the next call does, `seen` what it returned."""

    works: list[Work] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)

    def assistant(self, **limits: Any) -> Assistant:
        box = Toolbox("memory")

        @box.tool(effect="write", limits=CallLimits(seconds=0.05), description=WORDS)
        async def write(call: Call) -> Result[None]:
            self.seen.append(await self.works.pop(0)(call))
            return Result("Written.")

        @box.tool(effect="read", description=WORDS)
        async def look(call: Call) -> Result[None]:
            self.seen.append(await self.works.pop(0)(call))
            return Result("Seen.")

        return assistant(box, **limits)

    async def call(self, chat: Harness, tool: str, work: Work, caller: Any = ADA, session: str | None = None) -> str | None:
        """Let *tool* do *work*; the code it ended with."""
        self.works.append(work)
        return (await chat.host.call(caller, tool, {}, session=session or chat.session.id)).code


def put(key: str, value: Any) -> Work:
    return lambda call: call.state.set(key, value)


def get(*keys: str) -> Work:
    async def work(call: Call) -> list[Any]:
        return [await call.state.get(key, "absent") for key in keys]

    return work


async def test_what_a_call_wrote_the_next_one_reads() -> None:
    memory = Memory()
    async with harness(memory.assistant(), ADA) as chat:
        await memory.call(chat, "write", put("k", {"a": [1, None]}))
        await memory.call(chat, "look", get("k", "other"))
        await memory.call(chat, "write", lambda call: call.state.delete("k"))
        await memory.call(chat, "look", get("k"))

        assert memory.seen == [None, [{"a": [1, None]}, "absent"], None, ["absent"]]


async def test_null_is_a_value_and_absence_is_not_null() -> None:
    memory = Memory()
    async with harness(memory.assistant(), ADA) as chat:
        await memory.call(chat, "write", put("k", None))
        await memory.call(chat, "look", get("k", "l"))

        assert memory.seen[1] == [None, "absent"]


async def test_a_call_sees_its_own_writes_and_reads_stay_as_they_were_read() -> None:
    """Reads are consistent within a call, whatever is committed beside it; what a read returns changes nothing."""
    memory = Memory()
    async with harness(memory.assistant(), ADA) as chat:
        await memory.call(chat, "write", put("k", [1]))

        async def reading(call: Call) -> list[Any]:
            first = await call.state.get("k")
            first.append("mine")
            await memory.call(chat, "write", put("k", [2]))
            return [first, await call.state.get("k")]

        async def writing(call: Call) -> list[Any]:
            before = await call.state.get("k")
            await call.state.set("k", "own")
            own = await call.state.get("k")
            await call.state.delete("k")
            return [before, own, await call.state.get("k", "absent")]

        await memory.call(chat, "look", reading)
        await memory.call(chat, "write", writing)

        assert memory.seen[-2:] == [[[1, "mine"], [1]], [[2], "own", "absent"]]


async def refuse(call: Call) -> None:
    await call.state.set("k", "lost")
    await call.state.set("temp:t", "lost")
    raise Refusal("conflict", "No.")


async def crash(call: Call) -> None:
    await call.state.set("k", "lost")
    raise RuntimeError


async def hang(call: Call) -> None:
    await call.state.set("k", "lost")
    await anyio.sleep_forever()


@pytest.mark.parametrize("work", [refuse, crash, hang])
async def test_a_call_that_fails_leaves_nothing(work: Work) -> None:
    memory = Memory()
    async with harness(memory.assistant(), ADA, script=[(ToolUse("write", {}), ToolUse("look", {})), "Well."]) as chat:
        await memory.call(chat, "write", put("k", "kept"))
        memory.works += [work, get("k", "temp:t")]
        await chat.say("Go.")

        assert memory.seen[-1] == ["kept", "absent"]


async def test_session_and_user_keys_live_where_they_belong() -> None:
    memory = Memory()
    async with harness(memory.assistant(), ADA, callers=everybody) as chat:
        await memory.call(chat, "write", put("k", "session"))
        await memory.call(chat, "write", put("user:k", "user"))
        other = (await chat.host.sessions.create(ADA)).id
        hers = (await chat.host.sessions.create(BOB)).id
        await memory.call(chat, "look", get("k", "user:k", "app:k"))
        await memory.call(chat, "look", get("k", "user:k"), session=other)
        await memory.call(chat, "look", get("k", "user:k"), BOB, session=hers)

        assert memory.seen[2:] == [["session", "user", "absent"], ["absent", "user"], ["absent", "absent"]]


@pytest.mark.parametrize(
    ("key", "value"),
    [("app:k", 1), ("", 1), ("user:", 1), ("user::x", 1), ("USER:x", 1), ("é", 1), ("k", {1, 2}), ("k", float("nan")), ("k", "x" * 70_000)],
    ids=str,
)
async def test_what_may_not_be_written_raises_where_it_is_written(key: str, value: object) -> None:
    memory = Memory()
    async with harness(memory.assistant(), ADA) as chat:

        async def work(call: Call) -> str:
            try:
                await call.state.set(key, value)
            except DefinitionError as error:
                return error.mend
            return "written"

        await memory.call(chat, "write", work)

        assert memory.seen[0] not in ("written", "")
        engine = await chat.host.engine()
        assert await engine.store.values("acme", "session", chat.session.id) == {}


async def test_a_delta_is_bounded_in_bytes_and_what_does_not_fit_is_not_kept() -> None:
    """Sixty thousand bytes a value: four fit, and of the fifth nothing stays, also where the handler goes on."""
    memory = Memory()
    async with harness(memory.assistant(), ADA) as chat:

        async def work(call: Call) -> list[bool]:
            kept = []
            for n in range(6):
                try:
                    await call.state.set(f"k{n}", "語" * 20_000)
                    kept.append(True)
                except DefinitionError:
                    kept.append(False)
            return kept

        assert await memory.call(chat, "write", work) is None

        engine = await chat.host.engine()
        values = await engine.store.values("acme", "session", chat.session.id)
        assert memory.seen[0] == [True] * 4 + [False] * 2
        assert sum(len(value.text.encode()) for value in values.values()) <= DELTA_BYTES


async def test_places_that_only_read_say_so_at_once() -> None:
    """B015: nothing that is written there could ever be stored, so it raises instead of being lost."""
    raised: list[str] = []
    box = Toolbox("memory")

    async def try_it(name: str, call: Call) -> None:
        for key in ("k", "temp:k"):
            try:
                await call.state.set(key, 1)
            except DefinitionError:
                raised.append(name)

    @box.tool(effect="irreversible", description=WORDS)
    async def act(call: Call) -> Result[None]:
        return Result(f"Acted on {await call.state.get('k', 'nothing')}.")

    @act.plan
    async def preview(call: Call) -> Plan:
        await try_it("plan", call)
        return Plan("Act?")

    @act.authorize
    async def may(args: Any, call: Call) -> bool:
        await try_it("authorize", call)
        return True

    @act.validate
    async def check(args: Any, call: Call) -> None:
        await try_it("validate", call)

    @act.before_call
    async def hook(tool: str, args: Any, call: Call) -> None:
        await try_it("before_call", call)

    @act.idempotency_key
    async def key(args: Any, call: Call) -> str:
        await try_it("idempotency_key", call)
        return "k"

    @box.tool(effect="read", description=WORDS)
    async def look(call: Call) -> Result[None]:
        await try_it("read", call)
        return Result("Seen.")

    async with harness(assistant(box), ADA, script=[(ToolUse("act", {}), ToolUse("look", {})), "Done."]) as chat:
        await chat.say("Act.")
        decided, _ = await chat.confirm()

        places = ["authorize", "validate", "before_call", "plan"]
        assert raised == [name for name in [*places, "read", *places, "idempotency_key"] for _ in range(2)]
        assert decided.outcome.shown.summary == "Acted on nothing."
