"""What every store must do with kept instances of machines: start, claim for one call at a time, settle by the claim, check."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace

import pytest

from handgriff.core.batch import CheckWorkflow, ClaimEffect, ClaimWorkflow, SettleWorkflow, StartWorkflow
from handgriff.core.rows import Workflow
from handgriff.ports.store import Store
from handgriff.testing.samples import EFFECT, HELD_WORKFLOW, TENANT, WORKFLOW, at, create, own_workflow
from handgriff.testing.stores.answers import refusal

TAKEN = ("workflow", "w1")
"""What refuses whoever comes too late."""


def claim(version: int = 0, *, by: str = "c1", of: Workflow = WORKFLOW) -> ClaimWorkflow:
    """Hold an instance for the effect of the samples, with what `HELD_WORKFLOW` would become."""
    return ClaimWorkflow(of.tenant, of.machine, of.handle, version, by, EFFECT.tool, EFFECT.key, '{"value":"sent"}', "n" * 64)


def settle(*, moves: bool = True, by: str = "c1", until: float | None = None, of: Workflow = WORKFLOW) -> SettleWorkflow:
    """Let go of an instance; *until* is in seconds after `START`."""
    return SettleWorkflow(of.tenant, of.machine, of.handle, by, moves, None if until is None else at(until))


def check(version: int, *, of: Workflow = WORKFLOW) -> CheckWorkflow:
    """The guard."""
    return CheckWorkflow(of.tenant, of.machine, of.handle, version)


async def found(store: Store, of: Workflow = WORKFLOW) -> Workflow | None:
    """What is stored under the key of an instance."""
    return await store.workflow(of.tenant, of.machine, of.handle)


class WorkflowSuite:
    """One call moves it at a time, or none."""

    async def test_an_instance_is_read_back_whole(self, store: Store) -> None:
        shared = replace(WORKFLOW, handle="w2", user=None, expires_at=None)
        held = replace(HELD_WORKFLOW, handle="w3", created_at=at(-0.000_001))
        await store.commit((create(), *map(StartWorkflow, (WORKFLOW, shared, held, own_workflow()))), durable=True)

        for workflow in (WORKFLOW, shared, held, own_workflow()):
            assert await found(store, workflow) == workflow
        assert await store.workflow(TENANT, WORKFLOW.machine, "never") is None
        assert await store.workflow(TENANT, "other", WORKFLOW.handle) is None
        assert await store.workflow("globex", WORKFLOW.machine, WORKFLOW.handle) is None

    async def test_a_key_that_is_taken_is_refused(self, store: Store) -> None:
        await store.commit((StartWorkflow(WORKFLOW),))

        for again in (WORKFLOW, replace(WORKFLOW, user="bob", snapshot="{}", version=9)):
            assert await refusal(store, StartWorkflow(again)) == TAKEN
        await store.commit((StartWorkflow(replace(WORKFLOW, machine="other")), StartWorkflow(replace(WORKFLOW, tenant="globex"))))

        assert await found(store) == WORKFLOW

    async def test_an_unknown_sessions_own_is_refused_also_that_of_another_tenant(self, store: Store) -> None:
        """B129. The session is looked for first, whatever stands under the key."""
        await store.commit((create("theirs", tenant="globex"), StartWorkflow(WORKFLOW)))

        for session in ("never", "theirs"):
            assert await refusal(store, StartWorkflow(own_workflow(session))) == ("session", session)
        assert await refusal(store, StartWorkflow(replace(WORKFLOW, session="never"))) == ("session", "never")
        await store.commit((StartWorkflow(own_workflow("theirs", tenant="globex")),))

        assert list(await store.workflows(TENANT)) == [WORKFLOW]

    async def test_instances_are_listed_by_machine_and_handle(self, store: Store) -> None:
        mine = [own_workflow("s1", machine) for machine in ("b", "A", "é", "a")]
        others = [replace(WORKFLOW, handle=handle, machine="b") for handle in ("w2", "W", "s", "👋")]
        await store.commit((create(), create("s2"), *map(StartWorkflow, (*mine, *others, own_workflow("s2", "a")))))

        def key(workflow: Workflow) -> tuple[str, str]:
            return workflow.machine, workflow.handle

        assert list(await store.workflows(TENANT)) == sorted((*mine, *others, own_workflow("s2", "a")), key=key)
        assert list(await store.workflows(TENANT, session="s1")) == sorted(mine, key=key)
        assert list(await store.workflows(TENANT, session="never")) == list(await store.workflows("globex", session="s1")) == []

    async def test_a_claim_holds_the_instance_for_its_effect(self, store: Store) -> None:
        await store.commit((StartWorkflow(replace(WORKFLOW, version=3)),))

        await store.commit((claim(3), ClaimEffect(EFFECT)), durable=True)

        assert await found(store) == HELD_WORKFLOW

    async def test_a_claim_of_another_version_of_a_held_one_or_of_none_is_refused(self, store: Store) -> None:
        await store.commit((StartWorkflow(replace(WORKFLOW, version=3)),))

        for version in (0, 2, 4):
            assert await refusal(store, claim(version)) == TAKEN
        for absent in (replace(WORKFLOW, handle="w2"), replace(WORKFLOW, machine="other"), replace(WORKFLOW, tenant="globex")):
            for version in (0, 3):
                assert await refusal(store, claim(version, of=absent)) == ("workflow", absent.handle)
        await store.commit((claim(3),))
        for by in ("c1", "c2"):
            assert await refusal(store, claim(3, by=by)) == TAKEN

        assert await found(store) == HELD_WORKFLOW

    async def test_what_was_claimed_becomes_the_snapshot_of_its_success(self, store: Store) -> None:
        await store.commit((StartWorkflow(HELD_WORKFLOW),))

        await store.commit((settle(),), durable=True)

        assert await found(store) == replace(WORKFLOW, snapshot='{"value":"sent"}', hash="n" * 64, version=4)

    async def test_what_is_let_go_without_a_move_keeps_its_snapshot_and_counts_on(self, store: Store) -> None:
        await store.commit((StartWorkflow(HELD_WORKFLOW), settle(moves=False)))

        assert await found(store) == replace(WORKFLOW, version=4)
        assert await refusal(store, claim(3, by="c2")) == TAKEN
        await store.commit((claim(4, by="c2"), settle(by="c2"), claim(5, by="c3")))

    @pytest.mark.parametrize("moves", [True, False], ids=["moves", "is let go"])
    async def test_whoever_does_not_hold_it_settles_nothing(self, store: Store, *, moves: bool) -> None:
        """Also when it comes too late: the same claim settles once."""
        idle = replace(WORKFLOW, handle="w2")
        await store.commit((StartWorkflow(HELD_WORKFLOW), StartWorkflow(idle)))
        foreign, unknown = replace(WORKFLOW, tenant="globex"), replace(WORKFLOW, machine="other")

        await store.commit((settle(moves=moves, by="c2", until=900), settle(moves=moves, by=""), settle(moves=moves, of=idle, until=900)))
        await store.commit((settle(moves=moves, of=foreign), settle(moves=moves, of=unknown)))
        assert await found(store) == HELD_WORKFLOW
        assert await found(store, idle) == idle

        await store.commit((settle(), settle(moves=moves, until=900)))
        assert await found(store) == replace(WORKFLOW, snapshot='{"value":"sent"}', hash="n" * 64, version=4)

    @pytest.mark.parametrize("moves", [True, False], ids=["moves", "is let go"])
    async def test_its_time_only_becomes_later(self, store: Store, *, moves: bool) -> None:
        """B005. What never expires goes on so."""
        forever = replace(HELD_WORKFLOW, handle="w2", expires_at=None)
        await store.commit((StartWorkflow(HELD_WORKFLOW), StartWorkflow(forever)))

        await store.commit((settle(moves=moves, until=599), settle(moves=moves, until=9_999, of=forever)))
        assert await _expiry(store) == at(600)
        assert await _expiry(store, forever) is None

        await store.commit((claim(4), settle(moves=moves, until=600.000_001)))
        assert await _expiry(store) == at(600.000_001)
        await store.commit((claim(5), settle(moves=moves)))
        assert await _expiry(store) == at(600.000_001)

    async def test_a_claim_that_keeps_no_next_snapshot_leaves_the_present_one(self, store: Store) -> None:
        await store.commit((StartWorkflow(replace(HELD_WORKFLOW, next=None, next_hash=None)), settle()))

        assert await found(store) == replace(WORKFLOW, version=4)

    async def test_a_guard_holds_for_the_present_version_held_or_not(self, store: Store) -> None:
        await store.commit((StartWorkflow(replace(WORKFLOW, version=3)),))

        for step in ((), (claim(3),)):
            await store.commit((*step, check(3)))
            for version in (0, 2, 4):
                assert await refusal(store, check(version)) == TAKEN
        await store.commit((settle(), check(4)))

    async def test_version_nought_is_also_that_of_what_is_not_there(self, store: Store) -> None:
        await store.commit((StartWorkflow(WORKFLOW), check(0)))

        for absent in (replace(WORKFLOW, handle="w2"), replace(WORKFLOW, machine="other"), replace(WORKFLOW, tenant="globex")):
            await store.commit((check(0, of=absent),))
            assert await refusal(store, check(1, of=absent)) == ("workflow", absent.handle)
        await store.commit((claim(), settle()))
        assert await refusal(store, check(0)) == TAKEN


async def _expiry(store: Store, of: Workflow = WORKFLOW) -> object:
    workflow = await found(store, of)
    assert workflow is not None
    return workflow.expires_at
