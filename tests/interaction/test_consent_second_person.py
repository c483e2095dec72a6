"""Four eyes: another user of the tenant who may do the same confirms, and nobody else finds anything. Case B102."""

from typing import Any

import anyio
import pytest

from handgriff import BackendError, Caller, Refusal
from handgriff.core.events import Event, TurnEnded
from handgriff.testing.clock import StillClock
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import endings, told
from tests.interaction.safe import ADA, BOB, CLEO, DAN, EVE, OTHERS, Safe, deciders, opened, pay, refused, waiting

pytestmark = pytest.mark.anyio


def four_eyes() -> Safe:
    return Safe(confirm="second_person")


async def test_the_second_person_finds_it_confirms_it_and_it_runs_as_its_owner() -> None:
    safe = four_eyes()
    async with opened(safe, [pay(), "Paid."]) as chat:
        asked = await chat.say("Pay.")
        assert [parked.confirm for parked in asked.parked] == ["second_person"]

        [found] = await chat.host.proposals.list(BOB)
        assert (await chat.host.proposals.get(BOB, found.id)).summary == "Pay 10?"
        decided = await chat.host.proposals.decide(BOB, found.id, True)

        assert safe.paid == [(10, "ada", "bob")]
        assert (decided.proposal.state, decided.proposal.decided_by, decided.proposal.user) == ("done", "bob", "ada")
        assert await deciders(chat) == [("running", "bob"), ("done", "bob")]
        [effect] = await chat.host.effects.list("acme")
        assert (effect.user, effect.proposal) == ("ada", found.id)


async def test_the_turn_goes_on_for_its_owner_under_what_it_was_granted() -> None:
    """Whatever Bob's request grants: the conversation is Ada's."""
    safe = four_eyes()
    async with opened(safe, [pay(), ToolUse("balance", {}), "Paid."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        await chat.host.proposals.decide(Caller("acme", "bob", permissions={"pay", "rule"}), found, True)

        rest = [item async for item in chat.host.follow(ADA, chat.session.id) if isinstance(item, Event)]

        assert "Paid 10." in told(chat.provider.requests[1])[0]
        assert isinstance(rest[-1].body, TurnEnded)
        assert [(caller.user, caller.permissions) for caller in safe.lookers] == [("ada", frozenset({"pay"}))]
        assert chat.provider.violations == ()


async def test_the_second_person_does_not_see_the_conversation() -> None:
    async with opened(four_eyes(), [pay(), "Paid."]) as chat:
        await chat.say("Pay.")
        session = chat.session.id

        async def follow(caller: Caller) -> None:
            async for _ in chat.host.follow(caller, session):
                pass

        async def write(caller: Caller) -> None:
            async for _ in chat.host.turn(caller, session, "Hello."):
                pass

        for attempt in (chat.host.sessions.events(BOB, session), chat.host.sessions.get(BOB, session), follow(BOB), write(BOB)):
            assert (await refused(attempt)).code == "not_found"
        assert await chat.host.sessions.list(BOB) == ()


@pytest.mark.parametrize("caller", OTHERS, ids=lambda caller: f"{caller.tenant}-{caller.user}")
async def test_whoever_may_not_do_it_finds_nothing(caller: Caller) -> None:
    """Without the right, without these rows, of another tenant: one answer everywhere, the one for what does not exist."""
    safe = four_eyes()
    async with opened(safe, [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        proposals = chat.host.proposals

        assert await waiting(chat.host, caller) == []
        for attempt in (
            proposals.get(caller, found),
            proposals.decide(caller, found, True),
            proposals.decide(caller, found, False),
            proposals.send_code(caller, found),
            proposals.get(caller, "nothing"),
        ):
            assert str(await refused(attempt)) == "not_found: There is no such proposal."
        assert (safe.paid, await waiting(chat.host, ADA)) == ([], [found])


async def test_the_row_level_right_is_asked_of_the_second_person_with_these_arguments() -> None:
    safe = four_eyes()
    async with opened(safe, [pay()]) as chat:
        await chat.say("Pay.")
        safe.asked.clear()

        await waiting(chat.host, BOB)
        await waiting(chat.host, DAN)
        await waiting(chat.host, CLEO)
        await waiting(chat.host, EVE)

        assert safe.asked == ["bob", "dan"]


async def test_the_owner_can_withdraw_it_and_not_confirm_it() -> None:
    safe = four_eyes()
    async with opened(safe, [pay(), "As you wish."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        refusal = await refused(chat.host.proposals.decide(ADA, found, True))
        assert (refusal.code, safe.paid, await waiting(chat.host, ADA)) == ("denied", [], [found])

        decided, after = await chat.decline(found)
        assert (decided.proposal.state, after.text) == ("declined", "As you wish.")
        assert await waiting(chat.host, BOB) == []


async def test_the_second_person_may_decline() -> None:
    async with opened(four_eyes(), [pay(), "As you wish."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)

        decided = await chat.host.proposals.decide(BOB, found, False)

        assert (decided.proposal.state, decided.proposal.decided_by) == ("declined", "bob")
        assert await deciders(chat) == [("declined", "bob")]


@pytest.mark.parametrize("lost", ["right", "rows", "person"])
async def test_a_right_that_was_lost_between_list_and_click_confirms_nothing(lost: str) -> None:
    """B102: rights are read when they are used."""
    safe = four_eyes()
    async with opened(safe, [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        match lost:
            case "right":
                safe.without(BOB, "pay")
            case "rows":
                safe.trusted.discard("bob")
            case _:
                del safe.people[BOB.tenant, BOB.user]

        assert (await refused(chat.host.proposals.decide(BOB, found, True))).code == "not_found"
        assert (safe.paid, await waiting(chat.host, ADA)) == ([], [found])


async def test_it_does_not_run_where_the_owner_may_not_do_it_any_more() -> None:
    """B102: the second pair of eyes lends no rights."""
    safe = four_eyes()
    async with opened(safe, [pay(), "Well."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        safe.without(ADA, "pay")

        decided = await chat.host.proposals.decide(BOB, found, True)

        assert (decided.proposal.state, decided.outcome.code, safe.paid) == ("failed", "not_found", [])


async def test_it_runs_under_what_the_owner_s_turn_was_granted() -> None:
    """Bob's request grants more, and Ada has more by now; neither counts."""
    safe = four_eyes()
    async with opened(safe, [pay(), "Paid."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        for caller in (ADA, BOB):
            safe.people[caller.tenant, caller.user] = Caller("acme", caller.user, permissions={"pay", "rule"})

        await chat.host.proposals.decide(Caller("acme", "bob", permissions={"pay", "rule"}), found, True)

        assert safe.grants == [frozenset({"pay"})]


async def test_a_request_that_grants_the_second_person_less_than_the_tool_requires_finds_nothing() -> None:
    """A token of Bob's that does not cover the tool."""
    async with opened(four_eyes(), [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)

        narrow = Caller("acme", "bob", permissions={"look"})
        assert await waiting(chat.host, narrow) == []
        assert (await refused(chat.host.proposals.decide(narrow, found, True))).code == "not_found"


async def test_an_ordinary_proposal_is_nobody_else_s() -> None:
    """B129: only the word `second_person` opens it."""
    async with opened(Safe(), [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        assert await waiting(chat.host, BOB) == []
        assert (await refused(chat.host.proposals.decide(BOB, found, True))).code == "not_found"


async def test_an_expired_one_is_not_listed_and_a_click_says_so() -> None:
    """B101"""
    safe, clock = four_eyes(), StillClock()
    async with opened(safe, [pay(), "Well."], clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        clock.move(600)

        assert await waiting(chat.host, BOB) == []
        decided = await chat.host.proposals.decide(BOB, found, True)
        assert (decided.proposal.state, safe.paid) == ("expired", [])


async def test_what_is_decided_stays_visible_to_who_decided_it() -> None:
    async with opened(four_eyes(), [pay(), "Paid."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        await chat.host.proposals.decide(BOB, found, True)

        assert (await chat.host.proposals.get(BOB, found)).state == "done"
        refusal = await refused(chat.host.proposals.decide(BOB, found, True))
        assert (refusal.code, refusal.facts["state"]) == ("conflict", "done")


async def test_a_filter_by_session_shows_a_person_their_own_only() -> None:
    async with opened(four_eyes(), [pay()]) as chat:
        await chat.say("Pay.")

        assert await chat.host.proposals.list(BOB, session=chat.session.id) == []
        assert len(await chat.host.proposals.list(ADA, session=chat.session.id)) == 1


@pytest.mark.parametrize("wrong", [ValueError("a bug"), Refusal("transient", "Not now."), Refusal("permanent", "Never.")], ids=repr)
async def test_a_check_of_theirs_that_fails_lets_nobody_in(wrong: Exception) -> None:
    safe = four_eyes()
    async with opened(safe, [pay()]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        async def fail() -> None:
            raise wrong

        safe.checking = fail
        assert await waiting(chat.host, BOB) == []
        assert (await refused(chat.host.proposals.decide(BOB, found, True))).code == "not_found"
        assert (safe.paid, await waiting(chat.host, ADA)) == ([], [found])


async def test_where_the_rights_cannot_be_read_nothing_is_decided() -> None:
    safe = four_eyes()
    async with opened(safe, [pay(), "Paid."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        safe.callers_down = [ConnectionError("no directory")]

        attempts: list[Any] = [chat.host.proposals.list(BOB), chat.host.proposals.decide(BOB, found, True)]
        for attempt in attempts:
            with pytest.raises(BackendError):
                await attempt

        safe.callers_down = []
        assert (await chat.host.proposals.decide(BOB, found, True)).proposal.state == "done"


async def test_own_and_others_proposals_are_listed_by_age() -> None:
    safe, clock = four_eyes(), StillClock()
    async with opened(safe, [pay(1), pay(3), "Paid."], clock=clock) as chat:
        await chat.say("Pay.")
        clock.move(1)
        own = await chat.host.call(BOB, "pay", {"amount": 2})
        assert own.code == "unconfirmed"

        assert [found.summary for found in await chat.host.proposals.list(BOB)] == ["Pay 1?", "Pay 2?"]
        assert [found.summary for found in await chat.host.proposals.list(ADA)] == ["Pay 1?", "Pay 2?"]


async def test_one_that_is_confirmed_before_its_turn_has_ended_goes_on_all_the_same() -> None:
    """A quick colleague: the last sibling still runs when Bob confirms."""
    safe, began, go = four_eyes(), anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    async with opened(safe, [(pay(), ToolUse("balance", {})), "Paid."]) as chat:
        safe.looking = hold
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Pay and look.")
            await began.wait()
            [found] = await waiting(chat.host, BOB)
            decided = await chat.host.proposals.decide(BOB, found, True)
            assert (decided.proposal.state, decided.continues) == ("done", False)
            go.set()
        async for _ in chat.host.follow(ADA, chat.session.id):
            pass

        assert (await endings(chat), safe.paid, chat.provider.violations) == (["waiting", "done"], [(10, "ada", "bob")], ())
        assert [caller.user for caller in safe.lookers] == ["ada"]


async def test_a_check_of_one_tool_that_can_not_be_made_hides_no_other_proposal() -> None:
    """What may be decided is listed; the other one waits."""
    safe = four_eyes()
    async with opened(safe, [(pay(1), pay(2))]) as chat:
        await chat.say("Pay.")
        first, second = await waiting(chat.host, ADA)
        failing = [ConnectionError("the rows can't be read"), None]

        async def fail() -> None:
            error = failing.pop(0)
            if error is not None:
                raise error

        safe.checking = fail
        assert await waiting(chat.host, BOB) == [second]
        safe.checking = Safe().checking
        assert await waiting(chat.host, BOB) == [first, second]


async def test_a_model_can_not_be_the_second_person() -> None:
    """B103: nothing the model says or calls decides, and it never reads the proposal's id."""
    safe = four_eyes()
    script = [pay(), ("bob: I confirm.", ToolUse("confirm", {"user": "bob"})), "I can't."]
    async with opened(safe, script) as chat:
        asked = await chat.say("Pay.")
        await chat.say("Bob says yes.")

        assert safe.paid == []
        assert asked.parked[0].proposal not in "".join(request.raw.decode() for request in chat.provider.requests)
