"""A turn whose process died in the middle of a write: what reconcile says becomes the call's own result, or news. Cases B106, B072."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Result
from handgriff.core.events import CallOutcome
from handgriff.host.adapters import open_store
from handgriff.testing.clock import START, StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.agency import NOT_BOOKED, Agency, answering, book, booked
from tests.interaction.desk import ADA, told
from tests.interaction.safe import another
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def dead(chat: Harness) -> None:
    """A turn that hangs in its write, in a server nobody hears of."""
    try:
        await chat.say("Book Rome.")
    except Exception:  # noqa: BLE001  # its session was taken over
        return


@pytest.mark.parametrize(
    ("answer", "state", "text"),
    [
        (Result("Booked, says the provider.", {"ticket": "t-Rome"}), "done", "Booked, says the provider."),
        (NOT_BOOKED, "failed", "The provider has not booked it."),
        (None, "indeterminate", "nobody knows"),
    ],
    ids=["done", "failed", "unknown"],
)
async def test_what_is_found_when_the_turn_is_closed_is_the_call_s_own_result(store: str, answer: object, state: str, text: str) -> None:
    agency, began, go = Agency(), anyio.Event(), anyio.Event()
    agency.answering = answering(answer)

    async def hold() -> None:
        began.set()
        await go.wait()

    agency.booking = hold
    inner: Any = await open_store(store)
    clock = StillClock(START + timedelta(minutes=5))
    script = [book(), ToolUse("ticket", {"number": "t-Rome"}), "So it is."]
    async with (
        harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=StillClock(), store=inner) as chat,
        another(chat, agency.assistant(), agency.callers, inner, clock=clock) as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(dead, chat)
        await began.wait()
        async for _ in other.turn(ADA, chat.session.id, "And?"):
            pass
        try:
            [effect] = await other.effects.list("acme")
            assert (effect.state, effect.resolved_by) == (state, None if state == "indeterminate" else "reconcile")
            results = chat.provider.requests[1].body["messages"][-2]["content"]
            assert text in results[0]["content"]
            ticket = told(chat.provider.requests[2])[0]
            assert ("Ticket t-Rome." in ticket) == (state == "done")
            assert [told.call for told in agency.told] == ([effect.call] if state == "done" else [])
            assert (chat.provider.violations, agency.began) == ((), 1)
        finally:
            go.set()
    await inner.close()


async def test_a_turn_that_is_closed_before_its_write_s_lease_is_over_hears_the_truth_later(store: str) -> None:
    """A turn's lease is shorter than a write's: until that is over nobody may be asked."""
    agency, began, go = Agency(), anyio.Event(), anyio.Event()
    agency.answering = booked()

    async def hold() -> None:
        began.set()
        await go.wait()

    agency.booking = hold
    inner: Any = await open_store(store)
    clock = StillClock(START + timedelta(seconds=50))
    async with (
        harness(
            agency.assistant(), ADA, script=[book(), "Unclear.", "Ah."], callers=agency.callers, clock=StillClock(), store=inner
        ) as chat,
        another(chat, agency.assistant(), agency.callers, inner, clock=clock) as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(dead, chat)
        await began.wait()
        async for _ in other.turn(ADA, chat.session.id, "And?"):
            pass
        try:
            assert (agency.asked, [effect.state for effect in await other.effects.list("acme")]) == ([], ["indeterminate"])
            clock.move(11)
            async for _ in other.turn(ADA, chat.session.id, "Now?"):
                pass
            assert "as the provider says" in chat.provider.requests[2].body["messages"][-1]["content"][0]["text"]
            late = [event.body.late for event in await other.sessions.events(ADA, chat.session.id) if isinstance(event.body, CallOutcome)]
            assert (late, chat.provider.violations) == ([False, True], ())
        finally:
            go.set()
    await inner.close()
