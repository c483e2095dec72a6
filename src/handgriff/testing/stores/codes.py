"""What every store must do with codes that are sent for proposals: keep their hash, bound how many are sent, and count every try once."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, get_args

import anyio
import pytest

from handgriff.core.batch import CountTry, DecideProposal, DeleteSession, Erase, HoldProposal, KeepCode, RewindSession
from handgriff.core.events import ProposalState
from handgriff.core.rows import Proposal
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import CODED_PROPOSAL, PROPOSAL, TENANT, at, create, say
from handgriff.testing.stores.answers import refusal

CODED = replace(PROPOSAL, confirm="code")
TASKS, TRIES = 20, 5


class CodeSuite:
    """Six digits can be guessed, so what bounds the guesses must hold whoever asks at the same time."""

    async def test_a_code_takes_the_place_of_the_one_before(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED), CountTry(TENANT, "p1", 0)))

        await store.commit((_keep(0, "first", seconds=1),), durable=True)
        assert await store.proposal(TENANT, "p1") == replace(CODED, code="first", codes_sent=1, code_sent_at=at(1), code_tries=1)
        await store.commit((_keep(1, "second", seconds=2),))
        assert await store.proposal(TENANT, "p1") == replace(CODED, code="second", codes_sent=2, code_sent_at=at(2), code_tries=1)

    async def test_a_code_is_kept_where_as_many_were_sent_as_was_thought(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED), HoldProposal(replace(CODED, tenant="globex")), _keep(0, "first")))
        before = await store.proposal(TENANT, "p1")

        for late in (_keep(0, "late"), _keep(2, "late"), _keep(1, "late", proposal="never"), replace(_keep(1, "late"), tenant="nobody")):
            assert await refusal(store, late) == ("proposal", late.proposal)

        assert await store.proposal(TENANT, "p1") == before
        assert await store.proposal("globex", "p1") == replace(CODED, tenant="globex")

    async def test_what_is_decided_keeps_no_code_and_counts_no_try(self, store: Store) -> None:
        states = [state for state in get_args(ProposalState) if state != "pending"]
        held = [replace(CODED_PROPOSAL, id=state, state=state) for state in states]
        await store.commit(tuple(map(HoldProposal, held)))

        for each in held:
            keep = _keep(each.codes_sent, "late", proposal=each.id, most=99)
            for late in (keep, CountTry(TENANT, each.id, each.code_tries)):
                assert await refusal(store, late) == ("proposal", each.id)

        assert list(await store.proposals(TENANT)) == held

    async def test_a_user_is_sent_so_many_codes_in_a_while(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED), HoldProposal(replace(CODED, id="p2", session="s2"))))

        await store.commit((_keep(0, "a", seconds=10), _keep(1, "b", seconds=11)))
        await store.commit((_keep(0, "c", proposal="p2", seconds=12),))
        for proposal, sent in (("p1", 2), ("p2", 1)):
            assert await refusal(store, _keep(sent, "d", proposal=proposal, seconds=13)) == ("limit", proposal)
        await store.commit((_keep(1, "d", proposal="p2", seconds=13, most=4),))

        found = await store.proposal(TENANT, "p2")
        assert found is not None
        assert (found.code, found.codes_sent) == ("d", 2)

    async def test_what_was_sent_before_the_while_does_not_count(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED), HoldProposal(replace(CODED, id="p2"))))
        old = (_keep(number, "old", proposal="p2", seconds=9.999_999) for number in range(3))
        await store.commit((*old, *(_keep(number, "young", proposal="p2", seconds=10, most=5) for number in (3, 4))))

        assert await refusal(store, _keep(0, "late", since=10, most=2)) == ("limit", "p1")
        assert await refusal(store, _keep(0, "late", since=9, most=5)) == ("limit", "p1")
        await store.commit((_keep(0, "kept", since=10, most=3),))

    async def test_codes_of_what_is_decided_count_as_sent(self, store: Store) -> None:
        """Else a code could be had for every proposal that is declined at once."""
        await store.commit((HoldProposal(CODED), HoldProposal(replace(CODED, id="p2"))))
        await store.commit((_keep(0, "code", proposal="p2"), DecideProposal(TENANT, "p2", "pending", "declined", at(6))))

        assert await refusal(store, _keep(0, "late", most=1)) == ("limit", "p1")

    @pytest.mark.parametrize("way", ["deleted", "rewound"])
    async def test_codes_of_what_is_gone_count_as_sent(self, store: Store, way: str) -> None:
        """Else whoever deletes what they asked for could have as many codes as they like, and try each of them."""
        await store.commit((create(), create("s2"), say("e1"), HoldProposal(CODED), _keep(0, "a"), _keep(1, "b")))
        gone = DeleteSession(TENANT, "s1") if way == "deleted" else RewindSession(TENANT, "s1", 1, 0, (), ("p1",))

        await store.commit((gone, HoldProposal(replace(CODED, id="p2", session="s2"))))

        assert await store.proposal(TENANT, "p1") is None
        assert await refusal(store, _keep(0, "late", proposal="p2", most=2)) == ("limit", "p2")
        await store.commit((_keep(0, "kept", proposal="p2", most=3),))

    @pytest.mark.parametrize("user", ["ada", None], ids=["user", "tenant"])
    async def test_who_is_erased_has_been_sent_nothing(self, store: Store, user: str | None) -> None:
        await store.commit((HoldProposal(CODED), _keep(0, "a", most=1), Erase(TENANT, user, "gone-1"), HoldProposal(CODED)))

        await store.commit((_keep(0, "b", most=1),))
        assert await refusal(store, _keep(1, "c", most=1)) == ("limit", "p1")

    async def test_codes_of_other_users_and_tenants_do_not_count(self, store: Store) -> None:
        """B135."""
        others = (replace(CODED, id="p2", user="bob"), replace(CODED, tenant="globex"))
        await store.commit((HoldProposal(CODED), *map(HoldProposal, others)))
        await store.commit((_keep(0, "bob's", proposal="p2", most=1), replace(_keep(0, "theirs", most=1), tenant="globex")))

        await store.commit((_keep(0, "kept", most=1),))

        for proposal, tenant in (("p2", TENANT), ("p1", "globex"), ("p1", TENANT)):
            assert await refusal(store, replace(_keep(1, "late", proposal=proposal, most=1), tenant=tenant)) == ("limit", proposal)

    async def test_a_stale_count_is_refused_before_the_bound_is_looked_at(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED), _keep(0, "first", most=1)))

        assert await refusal(store, _keep(0, "late", most=1)) == ("proposal", "p1")
        assert await refusal(store, _keep(1, "late", most=1)) == ("limit", "p1")

    async def test_a_refused_batch_sends_and_counts_nothing(self, store: Store) -> None:
        await store.commit((create(), HoldProposal(CODED)))

        assert await refusal(store, _keep(0, "a"), CountTry(TENANT, "p1", 0), say("e1", session="never")) == ("session", "never")

        assert await store.proposal(TENANT, "p1") == CODED

    async def test_a_try_counts_where_as_many_were_counted_as_was_thought(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED), HoldProposal(replace(CODED, tenant="globex"))))

        await store.commit((CountTry(TENANT, "p1", 0),), durable=True)
        for late in (CountTry(TENANT, "p1", 0), CountTry(TENANT, "p1", 2), CountTry(TENANT, "never", 1), CountTry("nobody", "p1", 1)):
            assert await refusal(store, late) == ("proposal", late.proposal)
        await store.commit((CountTry(TENANT, "p1", 1), CountTry(TENANT, "p1", 2)))

        assert await store.proposal(TENANT, "p1") == replace(CODED, code_tries=3)
        assert await store.proposal("globex", "p1") == replace(CODED, tenant="globex")

    async def test_a_guess_and_a_decision_are_one_commit(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED),))

        await store.commit((CountTry(TENANT, "p1", 0), DecideProposal(TENANT, "p1", "pending", "running", at(3), "ada")))

        decided = replace(CODED, state="running", decided_by="ada", decided_at=at(3), code_tries=1)
        assert await store.proposal(TENANT, "p1") == decided
        assert await refusal(store, CountTry(TENANT, "p1", 1)) == ("proposal", "p1")

    async def test_five_tries_that_twenty_tasks_count_are_counted_once_each(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED),))
        counted: list[int] = []

        async def guess(_: int) -> None:
            while (tries := (await _held(store)).code_tries) < TRIES:
                try:
                    await store.commit((CountTry(TENANT, "p1", tries),), durable=True)
                except CommitRefused:
                    continue
                counted.append(tries)

        await _together(guess)

        assert sorted(counted) == list(range(TRIES))
        assert (await _held(store)).code_tries == TRIES

    async def test_of_twenty_codes_that_are_kept_at_once_one_is_kept(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED),))
        kept: list[str] = []

        async def send(number: int) -> None:
            try:
                await store.commit((_keep(0, f"code {number}", most=99),), durable=number % 2 == 0)
            except CommitRefused:
                return
            kept.append(f"code {number}")

        await _together(send)

        assert kept == [(await _held(store)).code]
        assert (await _held(store)).codes_sent == 1

    async def test_the_bound_of_a_user_holds_for_proposals_that_ask_at_once(self, store: Store) -> None:
        await store.commit(tuple(HoldProposal(replace(CODED, id=f"p{number}")) for number in range(TASKS)))
        answers: list[object] = []

        async def send(number: int) -> None:
            try:
                answers.append(await store.commit((_keep(0, "code", proposal=f"p{number}"),), durable=number % 2 == 0))
            except CommitRefused as refused:
                answers.append(refused.guard)

        await _together(send)

        assert answers.count("limit") == TASKS - 3
        assert sum(proposal.codes_sent for proposal in await store.proposals(TENANT)) == 3

    async def test_no_try_counts_after_the_decision_that_it_came_too_late_for(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED),))
        order: list[str] = []

        async def contend(number: int) -> None:
            decide = DecideProposal(TENANT, "p1", "pending", "declined", at(3))
            try:
                await store.commit((decide if number == TASKS // 2 else CountTry(TENANT, "p1", number),), durable=number % 3 == 0)
            except CommitRefused as refused:
                order.append(refused.guard)
            else:
                order.append("decided" if number == TASKS // 2 else "counted")

        await _together(contend)

        found = await _held(store)
        assert (found.state, found.code_tries) == ("declined", order.count("counted"))
        assert sorted({*order, "counted"}) == ["counted", "decided", "proposal"]


def _keep(sent: int, code: str, *, proposal: str = "p1", seconds: float = 5, since: float = 0, most: int = 3) -> KeepCode:
    return KeepCode(TENANT, proposal, sent, code, at(seconds), at(since), most)


async def _held(store: Store) -> Proposal:
    found = await store.proposal(TENANT, "p1")
    assert found is not None
    return found


async def _together(work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(TASKS):
            tasks.start_soon(work, number)
