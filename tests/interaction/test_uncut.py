"""What has begun is carried through, whoever stops waiting for it; and what others' mistakes may not end."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import anyio
import pytest
from pydantic import TypeAdapter

from handgriff import Assistant, DefinitionError, Host, Limits, Result, Toolbox
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import Answer, Text, ToolUse
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio


def bank(log: list[str], begun: anyio.Event, gate: anyio.Event) -> Assistant:
    """A transfer in two halves, the second of which waits for *gate*."""
    box = Toolbox("bank")

    @box.tool(effect="write", description=WORDS)
    async def move() -> Result[None]:
        log.append("debited")
        begun.set()
        await gate.wait()
        log.append("credited")
        return Result("Moved.")

    return assistant(box)


async def test_a_task_that_is_cancelled_natively_does_not_cut_its_call() -> None:
    log: list[str] = []
    begun, gate = anyio.Event(), anyio.Event()
    async with harness(bank(log, begun, gate), ADA, store=MemoryStore()) as chat:
        task = asyncio.create_task(chat.host.call(ADA, "move", {}))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        await chat.host.close()

        assert log == ["debited", "credited"]
        assert [effect.state for effect in await chat.host.effects.list(ADA.tenant)] == ["done"]


async def test_closing_a_host_waits_for_the_calls_it_carries_out() -> None:
    log: list[str] = []
    begun, gate = anyio.Event(), anyio.Event()
    async with harness(bank(log, begun, gate), ADA) as chat:
        task = asyncio.create_task(chat.host.call(ADA, "move", {}))
        await begun.wait()
        closing = asyncio.create_task(chat.host.close())
        await asyncio.sleep(0)
        assert not closing.done()
        gate.set()
        await closing

        assert (await task).is_ok
        assert log == ["debited", "credited"]


async def test_a_validation_error_inside_a_claimed_write_is_no_claim_that_nothing_happened() -> None:
    box = Toolbox("pay")
    charged: list[int] = []

    @box.tool(effect="write", description=WORDS)
    async def pay() -> Result[None]:
        charged.append(1)
        TypeAdapter(int).validate_json('"not what the provider promised"')
        return Result("Paid.")

    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "pay", {})

        assert outcome.code == "indeterminate"
        assert charged == [1]


async def test_a_hook_that_hangs_holds_up_nobody_for_longer_than_a_call_may_take() -> None:
    box = Toolbox("office")
    heard: list[str] = []

    @box.tool(effect="write", description=WORDS)
    async def file() -> Result[None]:
        return Result("Filed.")

    @file.after_call
    async def hangs(told: AfterCall) -> None:
        heard.append(told.call)
        if len(heard) == 1:
            await anyio.sleep_forever()

    made = assistant(box)
    made.limits = Limits(call_seconds=0.05)
    clock = StillClock()
    async with harness(made, ADA, clock=clock) as chat:
        with anyio.fail_after(10):
            await chat.host.call(ADA, "file", {})
            await chat.host.call(ADA, "file", {})
        # It has shown that it hangs, so for a while nobody else waits for it either; nothing of it is lost.
        assert len(heard) == 1

        clock.move(timedelta(minutes=6).total_seconds())
        await chat.host.call(ADA, "file", {})
        assert len(set(heard)) == 3
        assert heard.count(heard[0]) == 2


@pytest.mark.parametrize(
    "calls",
    [
        (ToolUse("a tool", {}),),
        (ToolUse("x" * 130, {}),),
        (ToolUse("look", {}, id="toolu_same"), ToolUse("look", {}, id="toolu_same")),
    ],
    ids=["blank", "long", "same"],
)
async def test_a_call_that_no_history_takes_back_ends_the_turn_and_not_the_conversation(calls: tuple[ToolUse, ...]) -> None:
    async with harness(assistant(Toolbox("none")), ADA, script=[Answer((Text("Hm."), *calls)), "Fine."]) as chat:
        assert (await chat.say("Hello")).ended.status == "failed"
        await check_goes_on(chat)


async def test_a_call_id_of_an_earlier_turn_ends_the_turn_and_not_the_conversation() -> None:
    again = ToolUse("look", {}, id="toolu_again")
    async with harness(assistant(Toolbox("none")), ADA, script=[again, "Done.", again, "Fine."]) as chat:
        assert (await chat.say("Hello")).ended.status == "done"
        assert (await chat.say("Hello")).ended.status == "failed"
        await check_goes_on(chat)


async def check_goes_on(chat: Harness) -> None:
    """The next turn is accepted."""
    assert (await chat.say("And now?")).text == "Fine."
    assert chat.provider.violations == ()


@pytest.mark.parametrize(
    ("wire", "member"),
    [
        (lambda made: Host("shop", callers=_nobody), "assistant"),  # type: ignore[arg-type]  # the mistake
        (lambda made: Host(made, callers=_sync, model="scripted:x"), "callers"),  # type: ignore[arg-type]  # the mistake
        (lambda made: Host(made, callers=_nobody, deps=7, model="scripted:x"), "deps"),  # type: ignore[arg-type]  # the mistake
        (lambda made: Host(made, callers=_nobody), "model"),
        (lambda made: Host(made, callers=_nobody, model="nobody:x").engine(), "model"),
    ],
    ids=["assistant", "callers", "deps", "no model", "unknown provider"],
)
async def test_wiring_mistakes_are_named_with_their_mend(wire: Callable[[Assistant], object], member: str) -> None:
    with pytest.raises(DefinitionError) as error:
        await wired(wire)

    assert error.value.member == member
    assert error.value.mend


async def wired(wire: Callable[[Assistant], object]) -> None:
    """Make it, and wait where making it is waiting."""
    made = wire(assistant(Toolbox("none")))
    if isinstance(made, Awaitable):
        await made


def _sync(tenant: str, user: str) -> None:
    return None


async def _nobody(tenant: str, user: str) -> None:
    return None
