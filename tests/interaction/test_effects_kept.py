"""How long an effect record protects, what it remembers of its steps, and when its claim is over. Cases B105, B106."""

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Call, Refusal, Result, Toolbox
from handgriff.host.adapters import open_store
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import harness
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant
from tests.interaction.stores import STORES, store_name
from tests.interaction.till import Till, pay

pytestmark = pytest.mark.anyio
DAY = 24 * 60 * 60


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


@pytest.mark.parametrize(("age", "replayed"), [(0, True), (DAY - 1, True), (DAY, True), (DAY + 1, False)])
async def test_a_deleted_session_s_keys_protect_for_a_day(store: str, age: int, replayed: bool) -> None:
    """B105: the same wish again, from another session, is not paid again; a day later it is another wish."""
    till, clock = Till(), StillClock()
    async with harness(till.assistant(), ADA, store=store, clock=clock) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10), session=chat.session.id)
        clock.move(age)
        await chat.host.sessions.delete(ADA, chat.session.id)

        again = await chat.host.call(ADA, "pay", pay("k1", 10))

        assert (again.replayed, till.paid) == (replayed, [10] if replayed else [10, 10])


async def test_a_session_that_lives_keeps_its_keys_for_as_long_as_it_lives(store: str) -> None:
    till, clock = Till(), StillClock()
    async with harness(till.assistant(), ADA, store=store, clock=clock) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10), session=chat.session.id)
        clock.move(400 * DAY)

        assert (await chat.host.call(ADA, "pay", pay("k1", 10), session=chat.session.id)).replayed


async def test_another_wish_under_the_key_of_a_deleted_session_is_a_conflict_still(store: str) -> None:
    till = Till()
    async with harness(till.assistant(), ADA, store=store, clock=StillClock()) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10), session=chat.session.id)
        await chat.host.sessions.delete(ADA, chat.session.id)

        assert ((await chat.host.call(ADA, "pay", pay("k1", 20))).code, till.paid) == ("conflict", [10])


class Stairs:
    """A tool of three steps; `falls` says at which ones it raises, and what."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.falls: dict[str, Exception] = {}

    def step(self, name: str) -> Callable[[], Awaitable[dict[str, str]]]:
        async def run() -> dict[str, str]:
            if name in self.falls:
                raise self.falls.pop(name)
            self.done.append(name)
            return {"step": name}

        return run

    def box(self) -> Toolbox:
        box = Toolbox("stairs")

        @box.tool(effect="write", idempotency_key=lambda args, call: "climb", errors={LookupError: "conflict"}, description=WORDS)
        async def climb(call: Call) -> Result[None]:
            found = [await call.step(name, self.step(name)) for name in ("one", "two", "three")]
            return Result(" ".join(each["step"] for each in found))

        return box


@pytest.mark.parametrize(("at", "done"), [("one", []), ("two", ["one"]), ("three", ["one", "two"])], ids=["first", "second", "third"])
@pytest.mark.parametrize("error", [Refusal("transient", "Slippery."), LookupError("no stair")], ids=["refusal", "mapped"])
async def test_a_refusal_names_what_is_done_and_where_it_failed_and_resumes_there(
    store: str, at: str, done: list[str], error: Exception
) -> None:
    """B105: a failed wish runs again after its finished steps."""
    stairs = Stairs()
    async with harness(assistant(stairs.box()), ADA, store=store) as chat:
        stairs.falls = {at: error}
        failed = json.loads((await chat.host.call(ADA, "climb", {})).text)
        assert (failed["done_steps"], failed["failed_step"]) == (done, at)
        [record] = await chat.host.effects.list("acme")
        assert (record.state, [name for name, _ in record.steps]) == ("failed", done)

        again = await chat.host.call(ADA, "climb", {})
        assert (again.code, again.shown.summary, stairs.done) == (None, "one two three", ["one", "two", "three"])


async def test_an_uncertain_step_is_not_resumed(store: str) -> None:
    """B106"""
    stairs = Stairs()
    async with harness(assistant(stairs.box()), ADA, store=store) as chat:
        stairs.falls = {"two": TimeoutError("no answer")}
        codes = [(await chat.host.call(ADA, "climb", {})).code for _ in range(2)]

        assert (codes, stairs.done) == (["indeterminate"] * 2, ["one"])


async def test_what_an_operator_calls_failed_is_resumed_after_its_finished_steps(store: str) -> None:
    stairs = Stairs()
    async with harness(assistant(stairs.box()), ADA, store=store) as chat:
        stairs.falls = {"two": TimeoutError("no answer")}
        await chat.host.call(ADA, "climb", {})
        await chat.host.effects.resolve("acme", "climb", "climb", "failed", by="ops")

        assert (await chat.host.call(ADA, "climb", {})).code is None
        assert stairs.done == ["one", "two", "three"]


@pytest.mark.parametrize(("seconds", "state"), [(89, "running"), (90, "indeterminate")])
async def test_a_claim_lasts_as_long_as_its_tool_may_take_and_half_a_minute(store: str, seconds: int, state: str) -> None:
    """A minute of the tool's own, thirty seconds of margin; then nobody can be running it."""
    box, began, go = Toolbox("slow"), anyio.Event(), anyio.Event()

    @box.tool(effect="write", limits=CallLimits(seconds=60), description=WORDS)
    async def act() -> Result[None]:
        began.set()
        await go.wait()
        return Result("Done.")

    inner: Any = await open_store(store)
    later = StillClock(START + timedelta(seconds=seconds))
    async with (
        harness(assistant(box), ADA, store=inner, clock=StillClock()) as chat,
        harness(assistant(box), ADA, store=inner, clock=later) as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(chat.host.call, ADA, "act", {})
        await began.wait()
        assert [effect.state for effect in await other.host.effects.list("acme")] == [state]
        go.set()
    assert [effect.state for effect in await inner.effects("acme")] == ["done"], "a living holder's late outcome counts"
    await inner.close()
