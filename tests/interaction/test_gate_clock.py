"""The wall clock jumps past a claim's lease while its handler is at work in this very process: it runs, whatever the clock says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import pytest

from handgriff import Assistant, Call, Caller, Machine, Refusal, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.machine import State
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.meanwhile import Meanwhile
from tests.interaction.papers import ADA, BEN, everybody

pytestmark = pytest.mark.anyio
HOUR: Final = 3600


class Till:
    """Bills of the whole tenant's that are paid behind a gate, and payments for nothing under a key. The provider says that it has seen
    none of them."""

    def __init__(self, *, elsewhere: bool = False) -> None:
        self.clock, self.store, self.began, self.gate = StillClock(), Meanwhile(), anyio.Event(), anyio.Event()
        self.is_cut, self.elsewhere, self.ran, self.asked, self.bill = False, elsewhere, list[str](), 0, ""
        self.chat: Harness

    def assistant(self) -> Assistant:
        """Whoever pays."""
        bill = Machine("bill", State("open", on={"PAY": "paid"}), State("paid", type="final"), instance="handle", owner="tenant")
        box = Toolbox("till")

        @box.tool(effect="write", description=WORDS, starts=bill)
        async def begin() -> Result[None]:
            return Result("Begun.")

        @box.tool(effect="write", description=WORDS, at=bill.at("open"), fires="PAY")
        async def pay(call: Call) -> Result[None]:
            return await self.work(call.caller.user)

        @box.tool(effect="write", description=WORDS)
        async def give(call: Call) -> Result[None]:
            return await self.work(call.caller.user)

        async def key(args: Any, call: Call) -> str:
            return "once"

        async def ask(args: Any, call: Call) -> Refusal:
            self.asked += 1
            return Refusal("transient", "The provider has not seen it.")

        give.idempotency_key(key)
        for tool in (pay, give):
            tool.reconcile(ask)
        return Assistant("till", instructions="You pay.", toolboxes=[box])

    async def work(self, user: str) -> Result[None]:
        """What every handler does."""
        self.ran.append(user)
        self.began.set()
        await self.gate.wait()
        return Result("Paid.")

    @asynccontextmanager
    async def deps(self, caller: Caller) -> AsyncIterator[None]:
        """What a call works with."""
        yield
        if self.is_cut:
            raise asyncio.CancelledError

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Till"]:
        """Its host, and a bill."""
        snapshots = MemorySnapshots() if self.elsewhere else None
        options: dict[str, Any] = {"store": self.store, "clock": self.clock, "snapshots": snapshots, "deps": self.deps}
        async with harness(self.assistant(), ADA, callers=everybody, **options) as self.chat:
            begun = await self.chat.host.call(ADA, "begin", {}, session=self.chat.session.id)
            assert begun.moved is not None
            self.bill = begun.moved.handle
            yield self

    @asynccontextmanager
    async def paying(self, tool: str = "pay") -> AsyncIterator[list[Outcome]]:
        """While Ada's call is at work, an hour behind what the clock says; then it ends."""
        ended: list[Outcome] = []

        async def call() -> None:
            ended.append(await self.call(ADA, tool))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            with anyio.fail_after(5):
                await self.began.wait()
            self.clock.move(HOUR)
            try:
                yield ended
            finally:
                self.gate.set()

    async def call(self, caller: Caller, tool: str) -> Outcome:
        """A call in a session of theirs."""
        session = self.chat.session if caller == ADA else await self.chat.host.sessions.create(caller)
        return await self.chat.host.call(caller, tool, {"bill": self.bill} if tool == "pay" else {}, session=session.id)

    async def states(self) -> dict[str, str]:
        """What the records say, by tool."""
        return {effect.tool: effect.state for effect in await self.chat.host.effects.list("acme")}


@pytest.mark.parametrize("elsewhere", [False, True], ids=["store", "elsewhere"])
async def test_another_call_does_not_take_the_instance_of_a_handler_at_work(elsewhere: bool) -> None:
    async with Till(elsewhere=elsewhere).opened() as till:
        async with till.paying() as ended:
            assert (await till.call(BEN, "pay")).code == "conflict"
            assert (till.ran, till.asked) == (["ada"], 0)

        assert [outcome.code for outcome in ended] == [None]
        assert (await till.states())["pay"] == "done"
        assert (await till.chat.host.workflows.get(BEN, "bill", till.bill)).state == "paid"


async def test_the_same_wish_does_not_run_beside_itself() -> None:
    async with Till().opened() as till:
        async with till.paying("give") as ended:
            refused = await till.call(ADA, "give")
            assert (refused.code, till.ran, till.asked) == ("conflict", ["ada"], 0)

        again = await till.call(ADA, "give")
        assert ([outcome.code for outcome in ended], again.code, again.replayed, till.ran) == ([None], None, True, ["ada"])


@pytest.mark.parametrize("tool", ["pay", "give"])
async def test_an_operator_s_look_settles_nothing_that_is_at_work(tool: str) -> None:
    async with Till().opened() as till:
        async with till.paying(tool):
            [effect] = await till.chat.host.effects.list("acme", state="running")
            assert (effect.tool, till.asked) == (tool, 0)
            with pytest.raises(Refusal, match="conflict: This effect is running: its handler is at work in this process"):
                await till.chat.host.effects.resolve("acme", tool, effect.key, "failed", by="ops")

        assert (await till.states())[tool] == "done"


@pytest.mark.parametrize("user", ["ada", None])
async def test_nobody_is_erased_under_a_handler_at_work(user: str | None) -> None:
    async with Till().opened() as till:
        async with till.paying():
            with pytest.raises(Refusal, match="conflict: A write of acme"):
                await till.chat.host.erase("acme", user)

        assert (await till.states())["pay"] == "done"


async def test_what_another_process_has_called_uncertain_is_not_asked_about_either() -> None:
    """It goes by the clock alone. The handler's own outcome settles it."""
    async with Till().opened() as till:
        async with till.paying() as ended:
            [effect] = await till.store.effects("acme", state="running")
            other = Till()
            other.store, other.clock = till.store, till.clock
            async with harness(
                Assistant("other", instructions="You look.", toolboxes=[]), ADA, callers=everybody, store=till.store, clock=till.clock
            ) as chat:
                assert [each.state for each in await chat.host.effects.list("acme") if each.key == effect.key] == ["indeterminate"]

            assert ((await till.call(BEN, "pay")).code, till.asked) == ("conflict", 0)

        assert [outcome.code for outcome in ended] == [None]
        assert ((await till.call(BEN, "pay")).code, till.ran) == ("closed", ["ada"])


async def test_a_call_that_was_cut_off_while_it_closed_has_no_handler_at_work() -> None:
    """Later ones are not told to wait for it."""
    async with Till().opened() as till:
        till.is_cut = True
        till.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await till.call(ADA, "pay")
        till.is_cut = False
        till.clock.move(HOUR)

        assert ((await till.call(BEN, "pay")).code, till.asked, till.ran) == (None, 1, ["ada", "ben"])
