"""What every store must do where nothing may be running: a session cut, deleted or erased under a write would lose what became of it."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace
from typing import Any

import anyio
import pytest

from handgriff.core.batch import Batch, CheckNothingRuns, ClaimEffect, DeleteSession, Erase, FollowEffect, RewindSession, SettleEffect
from handgriff.core.rows import EffectState, Fired
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import EFFECT, TENANT, USER, at, create, say
from handgriff.testing.stores.answers import refusal

REMOVALS: dict[str, Batch] = {
    "delete": (CheckNothingRuns(TENANT, at(0), "s1"), DeleteSession(TENANT, "s1", at(0))),
    "rewind": (CheckNothingRuns(TENANT, at(0), "s1"), RewindSession(TENANT, "s1", 1, 0, ())),
    "erase a user": (CheckNothingRuns(TENANT, at(0), user=USER), Erase(TENANT, USER, "gone-1")),
    "erase a tenant": (CheckNothingRuns(TENANT, at(0)), Erase(TENANT, None, "gone-1")),
}


class RunningSuite:
    """The guard of whoever removes."""

    @pytest.mark.parametrize("way", REMOVALS)
    async def test_what_runs_keeps_what_it_belongs_to(self, store: Store, way: str) -> None:
        await store.commit((create(), say("e1"), ClaimEffect(EFFECT)))

        assert await refusal(store, *REMOVALS[way]) == ("effect", "k1")

        assert [event.id for event in await store.events(TENANT, "s1")] == ["e1"]
        assert await store.effect(TENANT, EFFECT.tool, "k1") == EFFECT

    @pytest.mark.parametrize("state", ["done", "failed", "indeterminate"])
    @pytest.mark.parametrize("way", REMOVALS)
    async def test_what_does_not_run_holds_up_nobody(self, store: Store, way: str, state: EffectState) -> None:
        await store.commit((create(), say("e1"), ClaimEffect(replace(EFFECT, state=state))))

        await store.commit(REMOVALS[way])

        assert list(await store.events(TENANT, "s1")) == []

    @pytest.mark.parametrize("way", REMOVALS)
    async def test_what_an_instance_elsewhere_has_still_to_follow_stays_until_it_has(self, store: Store, way: str) -> None:
        """With its record nobody would know that it moves."""
        owing = replace(EFFECT, state="done", owes=True, fires=Fired("invoice", "w1", "SEND"))
        await store.commit((create(), say("e1"), ClaimEffect(owing)))

        assert await refusal(store, *REMOVALS[way]) == ("effect", "k1")
        assert await store.effect(TENANT, EFFECT.tool, "k1") == owing

        await store.commit((FollowEffect(TENANT, EFFECT.tool, "k1", EFFECT.claim),))
        await store.commit(REMOVALS[way])
        assert list(await store.events(TENANT, "s1")) == []

    @pytest.mark.parametrize("state", ["running", "indeterminate"])
    async def test_what_outlives_a_user_and_may_have_moved_keeps_its_record(self, store: Store, state: EffectState) -> None:
        """Without the record nobody would say what became of it. Where all goes, or the record stays, nothing is in the way."""
        holding = replace(EFFECT, state=state, outlives=True, lease_until=at(0), fires=Fired("invoice", "w1", "SEND"))
        await store.commit((create(), say("e1"), ClaimEffect(holding)))

        for guard in (_of_user(), CheckNothingRuns(TENANT, at(0), "s1", USER)):
            assert await refusal(store, guard) == ("effect", "k1")
        await store.commit((CheckNothingRuns(TENANT, at(0)), CheckNothingRuns(TENANT, at(0), "s1")))
        await store.commit((CheckNothingRuns(TENANT, at(0), user="bob"), CheckNothingRuns(TENANT, at(0), "s2", USER)))
        await store.commit((CheckNothingRuns("globex", at(0), user=USER),))

        await store.commit((SettleEffect(TENANT, EFFECT.tool, "k1", EFFECT.claim, "failed", at(1)),))
        await store.commit(REMOVALS["erase a user"])
        assert await store.effect(TENANT, EFFECT.tool, "k1") is None

    async def test_a_failed_claim_that_is_claimed_anew_says_anew_what_outlives_its_user(self, store: Store) -> None:
        again = replace(EFFECT, claim="c2", state="indeterminate", outlives=True)
        await store.commit((ClaimEffect(replace(EFFECT, state="failed")), _of_user(), ClaimEffect(again)))

        assert await store.effect(TENANT, EFFECT.tool, "k1") == again
        assert await refusal(store, _of_user()) == ("effect", "k1")

    async def test_a_claim_whose_lease_is_over_is_nobodys_any_more(self, store: Store) -> None:
        await store.commit((ClaimEffect(replace(EFFECT, lease_until=at(60))),))

        for now, is_over in ((59.999_999, False), (60, True)):
            for guard in (CheckNothingRuns(TENANT, at(now), "s1"), CheckNothingRuns(TENANT, at(now)), _of_user(at_seconds=now)):
                if is_over:
                    await store.commit((guard,))
                else:
                    assert await refusal(store, guard) == ("effect", "k1")

    @pytest.mark.parametrize("kept", [{}, {"state": "done", "owes": True}], ids=["running", "owing"])
    async def test_only_what_is_meant_is_looked_at(self, store: Store, kept: dict[str, Any]) -> None:
        """B135."""
        others = (replace(EFFECT, key="k2", session="s2", user="bob", **kept), replace(EFFECT, tenant="globex", **kept))
        await store.commit(tuple(map(ClaimEffect, others)))

        await store.commit((CheckNothingRuns(TENANT, at(0), "s1"), _of_user(), CheckNothingRuns("nobody", at(0))))
        assert await refusal(store, CheckNothingRuns(TENANT, at(0), "s2")) == ("effect", "k2")
        assert await refusal(store, CheckNothingRuns(TENANT, at(0))) == ("effect", "k2")
        assert await refusal(store, CheckNothingRuns(TENANT, at(0), user="bob")) == ("effect", "k2")
        assert await refusal(store, CheckNothingRuns("globex", at(0), "s1", USER)) == ("effect", "k1")
        await store.commit((CheckNothingRuns("globex", at(0), "s1", "bob"),))

    @pytest.mark.parametrize("way", ["delete", "erase a user", "erase a tenant"])
    async def test_of_a_claim_and_a_removal_at_once_the_claim_is_never_lost(self, store: Store, way: str) -> None:
        """It is claimed before, and the removal refused; or after, when nothing removes it any more."""
        lost: list[int] = []
        for number in range(20):
            await store.commit((create(), say("e1")))
            removed: list[bool] = []

            async def remove(removed: list[bool] = removed) -> None:
                try:
                    await store.commit(REMOVALS[way], durable=True)
                except CommitRefused:
                    return
                removed.append(True)

            async with anyio.create_task_group() as tasks:
                for work in (remove, _claim) if number % 2 else (_claim, remove):
                    tasks.start_soon(work, *((store,) if work is _claim else ()))

            if await store.effect(TENANT, EFFECT.tool, "k1") is None:
                lost.append(number)
            await store.commit((Erase(TENANT, None, "gone-1"),))

        assert lost == []


def _of_user(*, at_seconds: float = 0) -> CheckNothingRuns:
    return CheckNothingRuns(TENANT, at(at_seconds), user=USER)


async def _claim(store: Store) -> None:
    await store.commit((ClaimEffect(EFFECT),), durable=True)
