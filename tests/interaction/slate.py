"""What tests of state share: tools whose bodies a test gives, and conversations on each kind of store.

`write` changes the world and state, `keep` state alone, `share` what the whole tenant shares, `brief` has next to no time, and `look` only
reads.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from handgriff import Assistant, Call, Caller, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.testing.harness import Harness, harness
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant, everybody

Work = Callable[[Call], Awaitable[object]]


async def anybody(tenant: str, user: str) -> Caller:
    """Callers: those of the desk, and whoever else asks, without rights."""
    return await everybody(tenant, user) or Caller(tenant, user)


@dataclass(slots=True)
class Slate:
    """The tools' bodies. `works` is what a model's next calls do, in order, and `seen` what all calls returned."""

    works: list[Work] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)
    _given: dict[int, Work] = field(default_factory=dict)
    """What the calls of `call` do, by number: several may run at once."""
    _numbers: int = 0

    def assistant(self, context: str = "", **limits: Any) -> Assistant:
        """An assistant with these tools."""
        box = Toolbox("slate")

        async def perform(call: Call, work: int) -> Result[None]:
            do = self._given.pop(work) if work else self.works.pop(0)
            self.seen.append(await do(call))
            return Result("Done.")

        @box.tool(effect="write", description=WORDS)
        async def write(call: Call, work: int = 0) -> Result[None]:
            return await perform(call, work)

        @box.tool(effect="read", writes="state", description=WORDS)
        async def keep(call: Call, work: int = 0) -> Result[None]:
            return await perform(call, work)

        @box.tool(effect="write", writes="app", description=WORDS)
        async def share(call: Call, work: int = 0) -> Result[None]:
            return await perform(call, work)

        @box.tool(effect="write", writes="app", limits=CallLimits(seconds=0.05), description=WORDS)
        async def brief(call: Call, work: int = 0) -> Result[None]:
            return await perform(call, work)

        @box.tool(effect="read", description=WORDS)
        async def look(call: Call, work: int = 0) -> Result[None]:
            return await perform(call, work)

        return assistant(box, context=context, **limits)

    async def call(self, chat: Harness, tool: str, work: Work, caller: Caller = ADA, session: str | None = None) -> Outcome:
        """Let *tool* do *work*."""
        self._numbers += 1
        number = self._numbers
        self._given[number] = work
        return await chat.host.call(caller, tool, {"work": number}, session=session or chat.session.id)

    async def read(self, chat: Harness, work: Work, caller: Caller = ADA, session: str | None = None) -> Any:
        """What *work* finds in a call that only reads."""
        outcome = await self.call(chat, "look", work, caller, session)
        assert outcome.is_ok, outcome.text
        return self.seen.pop()

    @asynccontextmanager
    async def chat(self, store: Any = "memory://", *, context: str = "", limits: Any = None, **options: Any) -> AsyncIterator[Harness]:
        """A conversation of Ada's on *store*; *limits* are the assistant's, *options* those of `harness`."""
        async with harness(self.assistant(context, **(limits or {})), ADA, callers=anybody, store=store, **options) as chat:
            yield chat


def put(key: str, value: Any) -> Work:
    """Set *key*."""
    return lambda call: call.state.set(key, value)


def get(*keys: str) -> Work:
    """Read *keys*; "absent" stands for absence."""

    async def work(call: Call) -> list[Any]:
        return [await call.state.get(key, "absent") for key in keys]

    return work


def everything(call: Call) -> Awaitable[object]:
    """Read all of state."""
    return call.state.all()
