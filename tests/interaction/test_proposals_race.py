"""A decision and a new message at the same time: the model is told one thing, and the same for good. Case B013."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
import pytest

from handgriff import Result
from handgriff.core.batch import AppendEvent, HoldLease
from handgriff.core.events import CallOutcome, Event, Shown, Written
from handgriff.core.rows import Proposal
from handgriff.runtime.decide import decide
from handgriff.runtime.recover import recover
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness
from tests.interaction.desk import outcomes
from tests.interaction.safe import ADA, Safe, another, opened, pay, waiting

pytestmark = pytest.mark.anyio

MOMENTS = ("before pending", "after pending", "before running", "after running", "before events", "after events")


class Interrupted(MemoryStore):
    """A store in which something happens at a given moment: before or after a read of a kind, once the reading of proposals has begun,
    which is where what is tested here begins."""

    def __init__(self) -> None:
        super().__init__()
        self.moment, self.has_begun = "", False
        self.happening: Callable[[], Awaitable[object]] | None = None

    async def proposals(self, tenant: str, **asked: Any) -> Sequence[Proposal]:
        kind = str(asked.get("state", "all"))
        self.has_begun = self.happening is not None
        await self._reach(f"before {kind}")
        found = await super().proposals(tenant, **asked)
        await self._reach(f"after {kind}")
        return found

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        await self._reach("before events")
        found = await super().events(tenant, session, after=after, limit=limit)
        await self._reach("after events")
        return found

    async def _reach(self, moment: str) -> None:
        if moment == self.moment and self.has_begun and self.happening is not None:
            happening, self.happening = self.happening, None
            await happening()


def results(chat: Harness) -> list[str]:
    """The results of calls, as the model was sent them last."""
    messages = chat.provider.requests[-1].body["messages"]
    return [block["content"] for message in messages for block in message["content"] if block["type"] == "tool_result"]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("approved", [True, False], ids=["approved", "declined"])
async def test_a_decision_beside_a_new_message_is_told_as_it_was_and_stays_so(moment: str, approved: bool) -> None:
    safe, store = Safe(), Interrupted()
    async with (
        opened(safe, [pay(), "Something else.", "Third."], store=store) as chat,
        another(chat, safe.assistant(), safe.callers, store) as other,
    ):
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        engine = await other.engine()
        store.moment, store.happening = moment, lambda: decide(engine, ADA, found, approved)
        await chat.say("Something else.")
        first = results(chat)
        await chat.say("And?")

        assert results(chat) == first
        [outcome] = await outcomes(chat)
        assert outcome.code == (None if approved else "declined")
        assert ("Paid 10." if approved else "declined") in first[0]
        assert len(safe.paid) == approved


@pytest.mark.parametrize("moment", ["before all", "after all", "before events", "after events"])
@pytest.mark.parametrize("approved", [True, False], ids=["approved", "declined"])
async def test_a_decision_beside_a_recovery_is_the_only_outcome(moment: str, approved: bool) -> None:
    """A turn that died although its proposal waits: a person decides while it is closed."""
    safe, store, clock = Safe(), Interrupted(), StillClock()
    async with (
        opened(safe, [pay(), "Paid."], store=store, clock=clock) as chat,
        another(chat, safe.assistant(), safe.callers, store, clock=clock) as other,
    ):
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        engine, session = await chat.host.engine(), await store.session("acme", chat.session.id)
        assert session is not None
        await store.commit((HoldLease("acme", session.id, "dead", "h", session.lease.epoch, clock.now(), clock.now()),))
        held = await store.session("acme", session.id)
        assert held is not None
        deciding = await other.engine()
        store.moment, store.happening = moment, lambda: decide(deciding, ADA, found, approved)
        await recover(engine, held)

        [outcome] = await outcomes(chat)
        assert outcome.code == (None if approved else "declined")


async def test_news_that_arrives_while_a_turn_is_made_ready_is_told_with_it() -> None:
    safe, store = Safe(), Interrupted()
    async with opened(safe, ["Hello.", "Well."], store=store) as chat:
        await chat.say("Hello")
        engine = await chat.host.engine()
        told = CallOutcome(call="c1", tool="pay", step="effect", shown=Shown("Paid after all."), digest="", late=True)
        event = Written("e_late", None, engine.clock.now(), told)
        store.moment = "after running"

        async def then() -> None:
            store.moment, store.happening = "after events", lambda: store.commit((AppendEvent("acme", chat.session.id, event),))

        store.happening = then
        with anyio.fail_after(5):
            await chat.say("And?")

        assert "Paid after all." in str(chat.provider.requests[-1].body)


async def test_other_calls_of_the_session_hold_up_no_message() -> None:
    """What the model is not told is no reason to begin anew."""
    safe, store = Safe(confirm=None, effect="write"), Interrupted()
    async with opened(safe, ["Hello.", "Well."], store=store) as chat:
        await chat.say("Hello")
        store.moment = "after events"

        async def call() -> Result[None] | None:
            store.happening = None
            await chat.host.call(ADA, "pay", {"amount": 1}, session=chat.session.id)
            store.happening = call
            return None

        store.happening = call
        assert (await chat.say("And?")).text == "Well."
