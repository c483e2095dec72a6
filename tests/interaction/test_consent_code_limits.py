"""How many codes are sent: none right after another for the same proposal, and five to one user in a quarter of an hour."""

from pathlib import Path

import pytest

from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.interaction.safe import ADA, BOB, Safe, opened, pay, refused, waiting
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


async def test_between_two_codes_for_one_proposal_half_a_minute_passes() -> None:
    mail, clock = Mailbox(), StillClock()
    async with opened(Safe(confirm="code"), [pay()], codes=mail, clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        clock.move(10)

        refusal = await refused(chat.host.proposals.send_code(ADA, found))
        assert (refusal.code, refusal.facts["retry_after"], len(mail.sent)) == ("rate_limited", 20, 1)
        clock.move(20)
        assert (await chat.host.proposals.send_code(ADA, found)).codes_sent == 2


async def test_a_user_is_sent_five_codes_in_a_quarter_of_an_hour_for_all_of_their_proposals() -> None:
    """The sixth proposal waits without a code; others get theirs."""
    mail, clock = Mailbox(), StillClock()
    async with opened(Safe(confirm="code"), [], codes=mail, clock=clock) as chat:
        for amount in range(6):
            outcome = await chat.host.call(ADA, "pay", {"amount": amount})
            assert outcome.code == "unconfirmed"
        sixth = (await waiting(chat.host, ADA))[-1]
        assert (len(mail.sent), (await chat.host.proposals.get(ADA, sixth)).codes_sent) == (5, 0)

        assert (await refused(chat.host.proposals.send_code(ADA, sixth))).code == "rate_limited"
        assert (await refused(chat.host.proposals.decide(ADA, sixth, True, "123456"))).code == "unconfirmed"
        assert (await chat.host.proposals.get(ADA, sixth)).code_tries == 0
        await chat.host.call(BOB, "pay", {"amount": 1})
        assert [caller.user for caller, _ in mail.sent] == ["ada"] * 5 + ["bob"]


async def test_after_a_quarter_of_an_hour_codes_are_sent_again() -> None:
    mail, clock = Mailbox(), StillClock()
    async with opened(Safe(confirm="code"), [], codes=mail, clock=clock) as chat:
        for amount in range(6):
            await chat.host.call(ADA, "pay", {"amount": amount})
        assert len(mail.sent) == 5
        clock.move(15 * 60 + 1)

        await chat.host.call(ADA, "pay", {"amount": 7})

        assert len(mail.sent) == 6


async def test_declined_proposals_count_too() -> None:
    """Or a decline would buy the next guess."""
    mail, clock = Mailbox(), StillClock()
    async with opened(Safe(confirm="code"), [], codes=mail, clock=clock) as chat:
        for amount in range(6):
            await chat.host.call(ADA, "pay", {"amount": amount})
            [found] = await waiting(chat.host, ADA)
            await chat.host.proposals.decide(ADA, found, False)

        assert len(mail.sent) == 5


async def test_removing_what_codes_were_sent_for_buys_no_new_ones() -> None:
    mail, clock = Mailbox(), StillClock()
    async with opened(Safe(confirm="code"), [], codes=mail, clock=clock) as chat:
        for amount in range(6):
            session = await chat.host.sessions.create(ADA)
            await chat.host.call(ADA, "pay", {"amount": amount}, session=session.id)
            await chat.host.sessions.delete(ADA, session.id)
        assert len(mail.sent) == 5

        clock.move(15 * 60 + 1)
        await chat.host.call(ADA, "pay", {"amount": 7})

        assert len(mail.sent) == 6


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def test_cutting_back_what_codes_were_sent_for_buys_no_new_ones(store: str) -> None:
    """A user who takes the wish back says it again, and waits like everybody."""
    mail, clock = Mailbox(), StillClock()
    async with opened(Safe(confirm="code"), [pay()] * 6, codes=mail, clock=clock, store=store) as chat:
        for _ in range(6):
            await chat.say("Pay.")
            [found] = await waiting(chat.host, ADA)
            await chat.host.sessions.rewind(ADA, chat.session.id, 1)
            assert (await refused(chat.host.proposals.get(ADA, found))).code == "not_found"

        assert len(mail.sent) == 5
