"""What could not be checked decides nothing: the proposal stays as it was, and the decision can be made again. Case B102."""

from collections.abc import Callable

import pytest

from handgriff import BackendError, Refusal
from handgriff.testing.clock import StillClock
from tests.interaction.desk import told
from tests.interaction.safe import ADA, BOB, Safe, deciders, opened, pay, refused, waiting

pytestmark = pytest.mark.anyio


def directory_down(safe: Safe) -> None:
    safe.callers_down = [ConnectionError("no directory")]


def plan_unreachable(safe: Safe) -> None:
    safe.going_wrong = [ConnectionError("no ledger")]


def plan_says_later(safe: Safe) -> None:
    safe.going_wrong = [Refusal("transient", "The ledger is being closed.")]


def plan_is_limited(safe: Safe) -> None:
    safe.going_wrong = [Refusal("rate_limited", "Too many questions.", retry_after=5)]


def store_of_theirs_down(safe: Safe) -> None:
    safe.going_wrong = [BackendError("ledger", "reading")]


def right_unreachable(safe: Safe) -> None:
    async def fail() -> None:
        raise ConnectionError("no rights")

    safe.checking = fail


def nothing(safe: Safe) -> None:
    safe.callers_down, safe.going_wrong = [], []
    safe.checking = Safe().checking


@pytest.mark.parametrize(
    "breaks",
    [directory_down, plan_unreachable, plan_says_later, plan_is_limited, store_of_theirs_down, right_unreachable],
    ids=lambda breaks: str(breaks.__name__),
)
async def test_what_may_pass_leaves_it_waiting(breaks: Callable[[Safe], None]) -> None:
    safe = Safe()
    async with opened(safe, [pay(), "Paid."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        breaks(safe)

        refusal = await refused(chat.host.proposals.decide(ADA, found, True))
        assert (refusal.code in ("transient", "rate_limited"), "still waits" in refusal.message) == (True, True)
        assert (safe.paid, await waiting(chat.host, ADA), await deciders(chat)) == ([], [found], [])
        assert (await chat.host.effects.list("acme"), len(chat.provider.requests)) == ((), 1)

        nothing(safe)
        decided, after = await chat.confirm(found)
        assert (decided.proposal.state, after.text, safe.paid) == ("done", "Paid.", [(10, "ada", "ada")])
        assert "Paid 10." in told(chat.provider.requests[1])[0]


async def test_how_long_to_wait_is_handed_on() -> None:
    safe = Safe()
    async with opened(safe, [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        plan_is_limited(safe)

        assert (await refused(chat.host.proposals.decide(ADA, found, True))).facts["retry_after"] == 5


async def test_declining_asks_nothing_that_could_fail() -> None:
    """Nobody must keep a proposal that they don't want."""
    safe = Safe()
    async with opened(safe, [pay(), "As you wish."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        directory_down(safe)

        assert (await chat.host.proposals.decide(ADA, found, False)).proposal.state == "declined"


async def test_a_second_person_s_decision_that_could_not_be_checked_can_be_made_again() -> None:
    safe = Safe(confirm="second_person")
    async with opened(safe, [pay(), "Paid."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        plan_unreachable(safe)

        assert (await refused(chat.host.proposals.decide(BOB, found, True))).code == "transient"
        assert (await chat.host.proposals.decide(BOB, found, True)).proposal.state == "done"


async def test_what_waits_too_long_expires_also_where_it_could_not_be_checked() -> None:
    """B101"""
    safe, clock = Safe(), StillClock()
    async with opened(safe, [pay(), "Well."], clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        plan_unreachable(safe)
        clock.move(599)
        await refused(chat.host.proposals.decide(ADA, found, True))
        clock.move(1)

        decided = await chat.host.proposals.decide(ADA, found, True)
        assert (decided.proposal.state, safe.paid) == ("expired", [])


@pytest.mark.parametrize("approved", ["yes", 1, None, "false"], ids=repr)
async def test_what_is_no_decision_says_nothing_about_whose_it_is(approved: object) -> None:
    async with opened(Safe(), [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        decide = chat.host.proposals.decide
        answers = {str(await refused(decide(who, name, approved))) for who in (ADA, BOB) for name in (found, "p_0")}  # type: ignore[arg-type]  # what JSON may bring
        assert answers == {"invalid: approved: expected true or false."}
