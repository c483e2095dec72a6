"""Codes by themselves: what a slow look at the proposal must not let through."""

from dataclasses import replace
from datetime import timedelta

import pytest

from handgriff import Caller, Refusal
from handgriff.core.batch import DecideProposal, HoldProposal
from handgriff.runtime.boundary.codes import REST, Codes
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from handgriff.testing.samples import PROPOSAL, TENANT, USER, create

pytestmark = pytest.mark.anyio
OWNER = Caller(TENANT, USER)


async def desk() -> tuple[Codes, MemoryStore, StillClock, Mailbox]:
    store, clock, mail = MemoryStore(), StillClock(), Mailbox()
    await store.commit((create(), HoldProposal(replace(PROPOSAL, confirm="code", expires_at=clock.now() + timedelta(minutes=10)))))
    return Codes(store, clock, mail), store, clock, mail


async def test_only_the_last_code_is_good_also_for_who_looked_before_it_was_sent() -> None:
    codes, store, clock, mail = await desk()
    first = await codes.send(OWNER, PROPOSAL)
    old = mail.code()
    clock.move(REST.total_seconds())
    await codes.send(OWNER, first)

    assert mail.code() == old or not await codes.is_right(first, old)
    latest = await store.proposal(TENANT, PROPOSAL.id)
    assert latest is not None
    assert await codes.is_right(latest, mail.code())


async def test_of_two_who_send_at_once_one_does() -> None:
    codes, _, _, mail = await desk()
    await codes.send(OWNER, PROPOSAL)

    with pytest.raises(Refusal, match="conflict"):
        await codes.send(OWNER, PROPOSAL)
    assert len(mail.sent) == 1


async def test_what_is_decided_meanwhile_is_not_compared() -> None:
    codes, store, clock, mail = await desk()
    sent = await codes.send(OWNER, PROPOSAL)
    await store.commit((DecideProposal(TENANT, PROPOSAL.id, "pending", "declined", clock.now()),))

    with pytest.raises(Refusal, match="decided already"):
        await codes.is_right(sent, mail.code())


async def test_each_look_costs_a_try_and_after_five_the_right_one_is_wrong() -> None:
    codes, store, _, mail = await desk()
    sent = await codes.send(OWNER, PROPOSAL)

    answers = [await codes.is_right(sent, mail.code()) for _ in range(6)]

    assert answers == [True] * 5 + [False]
    latest = await store.proposal(TENANT, PROPOSAL.id)
    assert latest is not None
    assert latest.code_tries == 5
