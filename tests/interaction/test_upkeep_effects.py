"""What outlives its session does so for a day, and what is left of a person in others' records has another name."""

from datetime import timedelta

import pytest

from handgriff.core.events import Decision
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.interaction.desk import ADA
from tests.interaction.gated import Gated, gated
from tests.interaction.safe import ADA as OWNER
from tests.interaction.safe import BOB, Safe, opened

pytestmark = pytest.mark.anyio
DAY = timedelta(days=1)


async def test_effect_records_of_a_deleted_session_are_collected_after_a_day() -> None:
    """Their arguments and results are somebody's who has deleted them."""
    world, clock, store = Gated(), StillClock(), MemoryStore()
    world.gate.set()
    async with gated(world, store=store, clock=clock) as chat:
        await chat.host.call(ADA, "pay", {"amount": 10}, session=chat.session.id)
        await chat.host.sessions.delete(ADA, chat.session.id)

        clock.move(DAY.total_seconds())
        assert (await chat.host.collect()).effects == 0
        assert (await chat.host.call(ADA, "pay", {"amount": 10})).replayed, "its key still protects"
        clock.move(1)
        assert (await chat.host.collect()).effects == 1
        assert await store.effects("acme") == ()


async def test_what_nobody_knows_is_not_collected_until_somebody_says_it() -> None:
    world, clock = Gated(is_lost=True), StillClock()
    world.gate.set()
    async with gated(world, clock=clock) as chat:
        await chat.host.call(ADA, "pay", {"amount": 10}, session=chat.session.id)
        clock.move(10 * DAY.total_seconds())
        await chat.host.sessions.delete(ADA, chat.session.id)

        assert (await chat.host.collect()).effects == 0
        await chat.host.effects.resolve("acme", "pay", "once", "failed", by="ops")
        assert (await chat.host.collect()).effects == 1


@pytest.mark.parametrize("way", ["kept", "deleted"])
async def test_a_user_is_sent_no_more_codes_for_deleting_what_they_were_sent_for(way: str) -> None:
    mail, sent = Mailbox(), []
    async with opened(Safe(confirm="code"), (), codes=mail, clock=StillClock()) as chat:
        for _ in range(8):
            session = await chat.host.sessions.create(OWNER)
            await chat.host.call(OWNER, "pay", {"amount": 10}, session=session.id)
            if way == "deleted":
                await chat.host.sessions.delete(OWNER, session.id)
            sent.append(len(mail.sent))

    assert sent == [1, 2, 3, 4, 5, 5, 5, 5]


async def test_who_confirmed_for_another_and_is_erased_stands_there_under_a_pseudonym() -> None:
    store = MemoryStore()
    async with opened(Safe(confirm="second_person"), (), store=store) as chat:
        await chat.host.call(OWNER, "pay", {"amount": 10}, session=chat.session.id)
        [proposal] = await chat.host.proposals.list(BOB)
        await chat.host.proposals.decide(BOB, proposal.id, True)

        erased = await chat.host.erase("acme", "bob")

        kept = await store.proposal("acme", proposal.id)
        assert kept is not None
        assert (kept.state, kept.decided_by) == ("done", erased.pseudonym)
        decided = [event.body for event in await store.events("acme", chat.session.id) if isinstance(event.body, Decision)]
        assert {body.by for body in decided} == {erased.pseudonym}
