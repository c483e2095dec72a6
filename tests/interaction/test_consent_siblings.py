"""Several proposals of one model request: each is decided by itself, and the turn goes on after the last. Cases B100, B102."""

from itertools import permutations
from typing import Any

import anyio
import pytest

from handgriff import Refusal
from handgriff.testing.mailbox import Mailbox
from tests.interaction.desk import decisions, endings, told
from tests.interaction.safe import ADA, BOB, Safe, opened, pay, refused, waiting

pytestmark = pytest.mark.anyio
THREE = (pay(1), pay(2), pay(3))


class Free(Safe):
    """A safe whose plan does not look at the balance, so that one payment makes no other stale."""

    @property
    def balance(self) -> int:
        return 9000

    @balance.setter
    def balance(self, value: int) -> None:
        pass


@pytest.mark.parametrize("order", list(permutations((0, 1, 2))), ids=str)
async def test_each_is_decided_by_itself_in_any_order(order: tuple[int, int, int]) -> None:
    """B100: the first two are approved, the third declined; each result stands where its call stood."""
    safe = Free()
    async with opened(safe, [THREE, "Two of three."]) as chat:
        await chat.say("Pay.")
        found = await waiting(chat.host, ADA)

        for position, index in enumerate(order):
            decided = await chat.host.proposals.decide(ADA, found[index], index != 2)
            assert (decided.continues, len(chat.provider.requests)) == (position == 2, 1)
        async for _ in chat.host.follow(ADA, chat.session.id):
            pass

        assert sorted(amount for amount, _, _ in safe.paid) == [1, 2]
        results = told(chat.provider.requests[1])
        assert ["Paid 1." in results[0], "Paid 2." in results[1], "declined" in results[2]] == [True] * 3
        assert (await endings(chat), chat.provider.violations) == (["waiting", "done"], ())


async def test_one_that_fails_does_not_touch_the_others() -> None:
    """B102"""
    safe = Free()
    async with opened(safe, [THREE, "One failed."]) as chat:
        await chat.say("Pay.")
        first, second, third = await waiting(chat.host, ADA)
        safe.failing = [Refusal("conflict", "The safe is stuck.")]
        order = (second, third, first)
        states = [(await chat.host.proposals.decide(ADA, proposal, True)).proposal.state for proposal in order]
        async for _ in chat.host.follow(ADA, chat.session.id):
            pass

        assert states == ["failed", "done", "done"]
        results = told(chat.provider.requests[1])
        assert ["Paid 1." in results[0], "The safe is stuck." in results[1], "Paid 3." in results[2]] == [True] * 3


async def test_three_ways_to_confirm_on_one_card() -> None:
    """By Ada herself, by a code, and by Bob."""
    words: Any = {1: "person", 2: "code", 3: "second_person"}
    safe, mail = Free(confirm=lambda args, call: words[args.amount]), Mailbox()
    async with opened(safe, [THREE, "All paid."], codes=mail) as chat:
        asked = await chat.say("Pay.")
        assert [parked.confirm for parked in asked.parked] == ["person", "code", "second_person"]
        first, second, third = await waiting(chat.host, ADA)

        assert await waiting(chat.host, BOB) == [third]
        await chat.host.proposals.decide(BOB, third, True)
        await chat.host.proposals.decide(ADA, second, True, mail.code())
        decided = await chat.host.proposals.decide(ADA, first, True)

        assert (decided.continues, sorted(safe.paid)) == (True, [(1, "ada", "ada"), (2, "ada", "ada"), (3, "ada", "bob")])


async def test_a_new_message_waits_for_the_one_that_runs_and_then_supersedes_the_others() -> None:
    """What is being done belongs before it; what nobody has confirmed by then is decided by it."""
    safe, began, go = Free(), anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    async with opened(safe, [THREE, "So be it."]) as chat:
        await chat.say("Pay.")
        _, second, _ = await waiting(chat.host, ADA)
        safe.paying = hold
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.host.proposals.decide, ADA, second, True)
            await began.wait()
            refusal = await refused(chat.say("Never mind the others."))
            assert (refusal.code, refusal.facts["retry_after"]) == ("conversation_busy", 1)
            go.set()
        after = await chat.say("Never mind the others.")

        assert (after.text, safe.paid) == ("So be it.", [(2, "ada", "ada")])
        assert sorted(await decisions(chat)) == ["done", "running", "superseded", "superseded"]
        results = [block["content"] for block in chat.provider.requests[1].body["messages"][-2]["content"]]
        assert ["superseded" in results[0], "Paid 2." in results[1], "superseded" in results[2]] == [True] * 3
        assert chat.provider.violations == ()


async def test_stale_ones_are_told_as_what_they_are() -> None:
    """Each was planned from the balance before the first was paid."""
    safe = Safe()
    async with opened(safe, [(pay(1), pay(2)), "One is stale."]) as chat:
        await chat.say("Pay.")
        first, second = await waiting(chat.host, ADA)
        await chat.host.proposals.decide(ADA, first, True)
        decided = await chat.host.proposals.decide(ADA, second, True)

        assert (decided.proposal.state, safe.paid) == ("stale", [(1, "ada", "ada")])
