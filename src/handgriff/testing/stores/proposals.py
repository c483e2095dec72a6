"""What every store must do with proposals."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest

from handgriff.core.batch import DecideProposal, HoldProposal
from handgriff.core.events import ProposalState
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import CODED_PROPOSAL, PROPOSAL, TENANT, USER, at


class ProposalSuite:
    """Held once, moved only from the state that was expected."""

    async def test_a_proposal_is_read_back_whole(self, store: Store) -> None:
        plain = replace(PROPOSAL, id="p3", turn=None, count=None, sample=(), diff=(), grant="", typed=False)
        await store.commit((HoldProposal(PROPOSAL), HoldProposal(plain), HoldProposal(CODED_PROPOSAL)), durable=True)

        assert await store.proposal(TENANT, "p1") == PROPOSAL
        assert await store.proposal(TENANT, "p3") == plain
        assert await store.proposal(TENANT, "p2") == CODED_PROPOSAL
        assert await store.proposal("globex", "p1") is None

    async def test_an_id_is_held_once(self, store: Store) -> None:
        await store.commit((HoldProposal(PROPOSAL),))

        with pytest.raises(CommitRefused) as refused:
            await store.commit((HoldProposal(replace(PROPOSAL, arguments="{}")),))
        assert (refused.value.guard, refused.value.subject) == ("proposal", "p1")
        assert await store.proposal(TENANT, "p1") == PROPOSAL

    async def test_a_decision_moves_it_once(self, store: Store) -> None:
        await store.commit((HoldProposal(PROPOSAL),))
        confirm = DecideProposal(TENANT, "p1", "pending", "running", at(3), "ada")

        await store.commit((confirm,), durable=True)
        for late in (confirm, replace(confirm, state="declined"), replace(confirm, expected="done"), replace(confirm, proposal="p2")):
            with pytest.raises(CommitRefused) as refused:
                await store.commit((late,))
            assert (refused.value.guard, refused.value.subject) == ("proposal", late.proposal)

        assert await store.proposal(TENANT, "p1") == replace(PROPOSAL, state="running", decided_by="ada", decided_at=at(3))

    async def test_every_state_can_be_reached(self, store: Store) -> None:
        states: tuple[ProposalState, ...] = get_args(ProposalState)
        await store.commit((HoldProposal(PROPOSAL),))

        for before, after in pairwise(states):
            await store.commit((DecideProposal(TENANT, "p1", before, after, at(3)),))

        assert await store.proposal(TENANT, "p1") == replace(PROPOSAL, state=states[-1], decided_at=at(3))

    async def test_proposals_come_oldest_first_and_as_filtered(self, store: Store) -> None:
        held = [
            replace(PROPOSAL, id="late", created_at=at(9)),
            replace(PROPOSAL, id="b"),
            replace(PROPOSAL, id="a", user="bob"),
            replace(PROPOSAL, id="done", session="s2", state="done"),
            replace(PROPOSAL, id="foreign", tenant="globex"),
        ]
        await store.commit(tuple(map(HoldProposal, held)))

        assert [proposal.id for proposal in await store.proposals(TENANT)] == ["b", "a", "done", "late"]
        assert [proposal.id for proposal in await store.proposals(TENANT, user=USER)] == ["b", "done", "late"]
        assert [proposal.id for proposal in await store.proposals(TENANT, session="s1", state="pending")] == ["b", "a", "late"]
        assert [proposal.id for proposal in await store.proposals(TENANT, user="bob", session="s1", state="pending")] == ["a"]
        assert list(await store.proposals(TENANT, user="bob", state="done")) == []

    async def test_a_decision_leaves_what_was_sent_and_tried_as_it_was(self, store: Store) -> None:
        await store.commit((HoldProposal(CODED_PROPOSAL),))

        await store.commit((DecideProposal(TENANT, "p2", "pending", "running", at(3), "ada"),))

        assert await store.proposal(TENANT, "p2") == replace(CODED_PROPOSAL, state="running", decided_by="ada", decided_at=at(3))

    async def test_what_waits_for_its_owner_comes_oldest_first_until_it_expires(self, store: Store) -> None:
        held = [
            replace(PROPOSAL, id="late", created_at=at(9)),
            replace(PROPOSAL, id="b"),
            replace(PROPOSAL, id="elsewhere", session="s2", confirm="second_person"),
            replace(PROPOSAL, id="soon over", created_at=at(1), expires_at=at(60)),
            replace(PROPOSAL, id="foreign", tenant="globex"),
            replace(PROPOSAL, id="of bob", user="bob"),
            *(replace(PROPOSAL, id=state, state=state) for state in get_args(ProposalState) if state != "pending"),
        ]
        await store.commit(tuple(map(HoldProposal, held)))

        found = await store.waiting(TENANT, USER, at(59.999_999))
        assert [proposal.id for proposal in found] == ["b", "elsewhere", "soon over", "late"]
        assert found[0] == replace(PROPOSAL, id="b")
        assert [proposal.id for proposal in await store.waiting(TENANT, USER, at(60), session="s2")] == ["elsewhere"]
        assert [proposal.id for proposal in await store.waiting(TENANT, USER, at(60))] == ["b", "elsewhere", "late"]
        assert list(await store.waiting(TENANT, USER, at(600))) == list(await store.waiting(TENANT, "nobody", at(0))) == []
        assert [proposal.id for proposal in await store.waiting("globex", USER, at(0))] == ["foreign"]

    async def test_what_waits_for_a_second_person_comes_oldest_first_of_whichever_user(self, store: Store) -> None:
        """B135: and of one tenant."""
        second = replace(PROPOSAL, confirm="second_person")
        held = [
            replace(second, id="late", created_at=at(9)),
            replace(second, id="b"),
            replace(second, id="a", user="bob", session="s2"),
            replace(second, id="soon over", created_at=at(1), expires_at=at(60)),
            replace(second, id="foreign", tenant="globex"),
            replace(PROPOSAL, id="person"),
            replace(CODED_PROPOSAL, id="code"),
            *(replace(second, id=state, state=state) for state in get_args(ProposalState) if state != "pending"),
        ]
        await store.commit(tuple(map(HoldProposal, held)))

        found = await store.for_second_person(TENANT, at(59.999_999))
        assert [proposal.id for proposal in found] == ["b", "a", "soon over", "late"]
        assert found[1] == replace(second, id="a", user="bob", session="s2")
        assert [proposal.id for proposal in await store.for_second_person(TENANT, at(60))] == ["b", "a", "late"]
        assert list(await store.for_second_person(TENANT, at(600))) == list(await store.for_second_person("nobody", at(0))) == []
        assert [proposal.id for proposal in await store.for_second_person("globex", at(0))] == ["foreign"]

        await store.commit((DecideProposal(TENANT, "b", "pending", "declined", at(3)),))
        assert [proposal.id for proposal in await store.for_second_person(TENANT, at(60))] == ["a", "late"]
