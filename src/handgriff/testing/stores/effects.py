"""What every store must do with effect records and proposals."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace
from itertools import pairwise
from typing import get_args

import anyio
import pytest

from handgriff.core.batch import ClaimEffect, DecideProposal, HoldProposal, Operation, SettleEffect, StepEffect
from handgriff.core.events import ProposalState
from handgriff.core.rows import EffectState
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import EFFECT, PROPOSAL, TENANT, USER, at


def settle(state: EffectState = "done", *, claim: str = "c1", result: str | None = '{"ok":true}', by: str | None = None) -> SettleEffect:
    """Settle the effect of the samples."""
    return SettleEffect(TENANT, EFFECT.tool, EFFECT.key, claim, state, at(5), result, by)


def step(name: str, *, claim: str = "c1") -> StepEffect:
    """A finished step of the effect of the samples."""
    return StepEffect(TENANT, EFFECT.tool, EFFECT.key, claim, name, f'"{name} done\x00"')


class EffectSuite:
    """Claimed once, stepped and settled by its claim."""

    async def test_a_claim_is_read_back_whole(self, store: Store) -> None:
        whole = replace(EFFECT, steps=(("reserve", '"r1"'),), settled_at=at(9), result="{}", resolved_by="root", turn=None, proposal=None)
        await store.commit((ClaimEffect(EFFECT), ClaimEffect(replace(whole, key="k2"))), durable=True)

        assert await store.effect(TENANT, EFFECT.tool, "k1") == EFFECT
        assert await store.effect(TENANT, EFFECT.tool, "k2") == replace(whole, key="k2")
        assert await store.effect(TENANT, EFFECT.tool, "k3") is None
        assert await store.effect("globex", EFFECT.tool, "k1") is None

    @pytest.mark.parametrize("state", ["running", "done", "indeterminate"])
    async def test_a_taken_key_is_refused(self, store: Store, state: EffectState) -> None:
        taken = replace(EFFECT, state=state)
        await store.commit((ClaimEffect(taken),))

        await _refuses(store, ClaimEffect(replace(EFFECT, claim="c2")))
        assert await store.effect(TENANT, EFFECT.tool, "k1") == taken

    async def test_a_failed_effect_is_claimed_anew_and_keeps_its_steps(self, store: Store) -> None:
        await store.commit((ClaimEffect(EFFECT), step("reserve"), settle("failed", result="{}", by="root")))
        anew = replace(EFFECT, claim="c2", session="s2", turn="t2", call="call2", claimed_at=at(10), lease_until=at(70), proposal=None)

        await _refuses(store, ClaimEffect(replace(anew, digest="d2")))
        await store.commit((ClaimEffect(anew),))

        assert await store.effect(TENANT, EFFECT.tool, "k1") == replace(anew, steps=(("reserve", '"reserve done\x00"'),))

    async def test_steps_are_kept_in_order_while_the_claim_runs(self, store: Store) -> None:
        await store.commit((ClaimEffect(EFFECT), step("one")))
        await store.commit((step("two"), step("two")), durable=True)

        await _refuses(store, step("three", claim="c2"))
        await store.commit((settle(),))
        await _refuses(store, step("three"))
        await _refuses(store, replace(step("three"), key="k2"))

        found = await store.effect(TENANT, EFFECT.tool, "k1")
        assert found is not None
        assert [name for name, _ in found.steps] == ["one", "two", "two"]

    async def test_an_outcome_is_settled_by_its_claim_once(self, store: Store) -> None:
        await store.commit((ClaimEffect(EFFECT),))

        await _refuses(store, settle(claim="c2"))
        await _refuses(store, replace(settle(), key="k2"))
        await store.commit((settle(),))
        for again in (settle(), settle("failed"), settle("indeterminate")):
            await _refuses(store, again)

        assert await store.effect(TENANT, EFFECT.tool, "k1") == replace(EFFECT, state="done", settled_at=at(5), result='{"ok":true}')

    async def test_an_indeterminate_outcome_can_be_settled_until_someone_resolves_it(self, store: Store) -> None:
        await store.commit((ClaimEffect(EFFECT), settle("indeterminate", result=None)))

        await _refuses(store, step("late"))
        await store.commit((settle("indeterminate", by="root"),))
        await _refuses(store, settle())

        expected = replace(EFFECT, state="indeterminate", settled_at=at(5), result='{"ok":true}', resolved_by="root")
        assert await store.effect(TENANT, EFFECT.tool, "k1") == expected

    async def test_effects_come_oldest_claim_first_and_as_filtered(self, store: Store) -> None:
        claims = [
            replace(EFFECT, key="late", claimed_at=at(9)),
            replace(EFFECT, key="b"),
            replace(EFFECT, key="a", tool="other"),
            replace(EFFECT, key="elsewhere", session="s2", state="failed"),
            replace(EFFECT, key="foreign", tenant="globex"),
        ]
        await store.commit(tuple(map(ClaimEffect, claims)))

        assert [effect.key for effect in await store.effects(TENANT)] == ["b", "a", "elsewhere", "late"]
        assert [effect.key for effect in await store.effects(TENANT, session="s1")] == ["b", "a", "late"]
        assert [effect.key for effect in await store.effects(TENANT, state="failed")] == ["elsewhere"]
        assert list(await store.effects(TENANT, session="s1", state="failed")) == []

    async def test_of_sixteen_claims_of_one_key_one_wins(self, store: Store) -> None:
        claimed: list[str] = []

        async def claim(number: int) -> None:
            try:
                await store.commit((ClaimEffect(replace(EFFECT, claim=f"c{number}")),), durable=number % 2 == 0)
            except CommitRefused:
                return
            claimed.append(f"c{number}")

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(claim, number)

        found = await store.effect(TENANT, EFFECT.tool, "k1")
        assert found is not None
        assert claimed == [found.claim]


class ProposalSuite:
    """Held once, moved only from the state that was expected."""

    async def test_a_proposal_is_read_back_whole(self, store: Store) -> None:
        plain = replace(PROPOSAL, id="p2", turn=None, count=None, sample=(), diff=(), grant="", typed=False)
        await store.commit((HoldProposal(PROPOSAL), HoldProposal(plain)), durable=True)

        assert await store.proposal(TENANT, "p1") == PROPOSAL
        assert await store.proposal(TENANT, "p2") == plain
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


async def _refuses(store: Store, operation: Operation) -> None:
    with pytest.raises(CommitRefused) as refused:
        await store.commit((operation,))
    assert refused.value.guard == "effect"
