"""An outcome that could not be stored: the model is told that nobody knows, and the truth when it is found out. Case B106."""

from itertools import pairwise
from typing import Any, Literal

import pytest

from handgriff import BackendError
from handgriff.core.batch import Batch, SettleEffect
from handgriff.ports.store import Committed
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.prompt import extends
from tests.interaction.agency import NOT_BOOKED, Agency, answering, book, booked
from tests.interaction.desk import ADA, decisions, outcomes, told
from tests.interaction.safe import waiting

pytestmark = pytest.mark.anyio
LEASE = 61


class Forgetful:
    """A store that fails at the next outcome of a write: before it arrives, or with its answer."""

    def __init__(self) -> None:
        self._inner = MemoryStore()
        self.when: Literal["before", "after"] | None = None

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write, or fail once."""
        when = self.when if any(isinstance(each, SettleEffect) for each in batch) else None
        if when is not None:
            self.when = None
        if when != "before":
            committed = await self._inner.commit(batch, durable=durable)
        if when is not None:
            raise BackendError("store", "commit") from ConnectionError("the line is cut")
        return committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def broken(chat: Harness) -> list[int]:
    """The requests that do not begin with the one before."""
    raws = [request.raw for request in chat.provider.requests]
    return [n for n, (before, after) in enumerate(pairwise(raws)) if not extends(before, after)]


TRUTHS = [(booked(), "done", "Booked Rome, as the provider says."), (answering(NOT_BOOKED), "failed", "The provider has not booked it.")]


@pytest.mark.parametrize(("answer", "state", "text"), TRUTHS, ids=["done", "failed"])
async def test_what_a_turn_told_as_unknown_comes_as_news(answer: Any, state: str, text: str) -> None:
    """Its claim stays without outcome; when its lease is over the outside world is asked."""
    agency, clock, store = Agency(has_key=False), StillClock(), Forgetful()
    script = [book(), "Unclear.", "Ah."]
    async with harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=clock, store=store) as chat:
        store.when = "before"
        await chat.say("Book Rome.")
        assert "nobody knows" in told(chat.provider.requests[1])[0]
        agency.answering = answer
        clock.move(LEASE)
        await chat.say("And?")

        assert text in chat.provider.requests[2].body["messages"][-1]["content"][0]["text"]
        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, agency.began, [call.call for call in agency.told]) == (state, 1, [effect.call] if state == "done" else [])
        assert (broken(chat), chat.provider.violations) == ([], ())


async def test_what_a_turn_told_as_unknown_is_not_told_again_where_nobody_knows() -> None:
    agency, clock, store = Agency(has_key=False), StillClock(), Forgetful()
    script = [book(), "Unclear.", "Still."]
    async with harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=clock, store=store) as chat:
        store.when = "before"
        await chat.say("Book Rome.")
        clock.move(LEASE)
        await chat.say("And?")

        assert [ended.code for ended in await outcomes(chat)] == ["indeterminate"]
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["indeterminate"]
        assert (broken(chat), chat.provider.violations) == ([], ())


@pytest.mark.parametrize(("answer", "state", "text"), TRUTHS, ids=["done", "failed"])
async def test_a_decision_whose_outcome_could_not_be_stored_says_so_and_the_turn_goes_on_with_the_truth(
    answer: Any, state: str, text: str
) -> None:
    agency, clock, store = Agency(has_key=False, is_planned=True), StillClock(), Forgetful()
    script = [book(), "So it is."]
    async with harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=clock, store=store) as chat:
        await chat.say("Book Rome.")
        [found] = await waiting(chat.host, ADA)
        store.when = "before"
        decided = await chat.host.proposals.decide(ADA, found, True)
        assert (decided.proposal.state, decided.outcome.code, decided.continues) == ("running", "indeterminate", False)
        agency.answering = answer
        clock.move(LEASE)
        async for _ in chat.host.follow(ADA, chat.session.id):
            pass

        assert text in told(chat.provider.requests[1])[0]
        assert (await decisions(chat), agency.began) == (["running", state], 1)
        assert (broken(chat), chat.provider.violations) == ([], ())


@pytest.mark.parametrize("is_planned", [False, True], ids=["at once", "confirmed"])
async def test_an_outcome_whose_answer_was_lost_is_told_as_what_it_is(is_planned: bool) -> None:
    """The model reads what is stored: the next request must begin with this one."""
    agency, store = Agency(has_key=False, is_planned=is_planned), Forgetful()
    script = [book(), "Booked.", "Yes."]
    async with harness(agency.assistant(), ADA, script=script, callers=agency.callers, clock=StillClock(), store=store) as chat:
        store.when = None if is_planned else "after"
        await chat.say("Book Rome.")
        if is_planned:
            store.when = "after"
            decided, _ = await chat.confirm()
            assert (decided.proposal.state, decided.outcome.code) == ("done", None)
        await chat.say("And?")

        assert "Booked Rome." in told(chat.provider.requests[1])[0]
        assert [(ended.code, ended.late) for ended in await outcomes(chat)] == [(None, False)]
        assert (agency.began, broken(chat), chat.provider.violations) == (1, [], ())
