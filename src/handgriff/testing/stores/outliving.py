"""What every store must do with effect records that have outlived their session: keep them for their day, and then remove them."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

from handgriff.core.batch import ClaimEffect, DeleteSession, FollowEffect, SettleEffect, SweepEffects
from handgriff.core.rows import Effect, EffectState
from handgriff.ports.store import Store
from handgriff.testing.samples import EFFECT, TENANT, at, create, say
from handgriff.testing.stores.answers import refusal

_SETTLED = replace(EFFECT, state="done", result="{}")


class OutlivingSuite:
    """Arguments and results of somebody who deleted them are not kept for ever."""

    async def test_old_settled_effects_without_a_session_are_swept(self, store: Store) -> None:
        old, young = _of("old", 0), _of("young", 5)
        kept = replace(_of("kept", 0), session="s2")
        await store.commit((create(), create("s2"), *map(ClaimEffect, (old, young, kept)), DeleteSession(TENANT, "s1", at(0))))
        assert len(await store.effects(TENANT)) == 3

        assert (await store.commit((SweepEffects(TENANT, at(5), 9),))).swept == 1

        assert list(await store.effects(TENANT)) == [kept, young]
        assert (await store.commit((SweepEffects(TENANT, at(5.000_001), 9),))).swept == 1
        assert list(await store.effects(TENANT)) == [kept]

    async def test_what_nobody_knows_yet_stays_until_somebody_says_it(self, store: Store) -> None:
        states: tuple[EffectState, ...] = ("running", "done", "failed", "indeterminate")
        await store.commit(tuple(ClaimEffect(replace(_of(state, 0), state=state)) for state in states))

        assert (await store.commit((SweepEffects(TENANT, at(9), 9),))).swept == 2
        assert [effect.key for effect in await store.effects(TENANT)] == ["running", "indeterminate"]

        await store.commit((SettleEffect(TENANT, EFFECT.tool, "indeterminate", EFFECT.claim, "done", at(8), "{}", "root"),))
        assert (await store.commit((SweepEffects(TENANT, at(9), 9),))).swept == 1
        assert [effect.key for effect in await store.effects(TENANT)] == ["running"]

    async def test_what_is_owed_is_swept_once_it_is_paid(self, store: Store) -> None:
        """And takes no place of those a sweep may remove. One that failed is followed by nothing."""
        owing, failed = replace(_of("owing", 0), owes=True), replace(_of("failed", 1), state="failed", owes=True)
        await store.commit(tuple(map(ClaimEffect, (owing, failed, _of("old", 2)))))

        assert list(await store.owing(TENANT)) == [owing]
        assert (await store.commit((SweepEffects(TENANT, at(9), 2),))).swept == 2
        assert list(await store.effects(TENANT)) == [owing]

        await store.commit((FollowEffect(TENANT, EFFECT.tool, "owing", "c2"), FollowEffect(TENANT, EFFECT.tool, "never", EFFECT.claim)))
        assert list(await store.owing(TENANT)) == [owing]
        await store.commit((FollowEffect(TENANT, EFFECT.tool, "owing", EFFECT.claim),))
        assert list(await store.owing(TENANT)) == []
        assert (await store.commit((SweepEffects(TENANT, at(9), 2),))).swept == 1

    async def test_what_is_owed_is_listed_by_session_and_user_oldest_first(self, store: Store) -> None:
        """B135."""
        one, two = replace(_of("one", 2), owes=True), replace(_of("two", 1), owes=True, session="s2", user="bob")
        await store.commit(tuple(map(ClaimEffect, (one, two, replace(two, tenant="globex", key="theirs"), _of("old", 0)))))

        assert list(await store.owing(TENANT)) == [two, one]
        assert list(await store.owing(TENANT, session="s2")) == list(await store.owing(TENANT, user="bob")) == [two]
        assert list(await store.owing(TENANT, session="s2", user=one.user)) == []

    async def test_a_sweep_removes_so_many_oldest_claim_first(self, store: Store) -> None:
        await store.commit(tuple(ClaimEffect(_of(f"k{seconds}", seconds)) for seconds in (3, 1, 4, 2)))

        assert (await store.commit((SweepEffects(TENANT, at(9), 3),))).swept == 3
        assert [effect.key for effect in await store.effects(TENANT)] == ["k4"]
        assert (await store.commit((SweepEffects(TENANT, at(9), 3), SweepEffects(TENANT, at(9), 3)))).swept == 1

    async def test_a_session_of_another_tenant_keeps_nothing_and_loses_nothing(self, store: Store) -> None:
        """B135."""
        theirs = replace(_of("theirs", 0), tenant="globex", session="s9")
        await store.commit((create(tenant="globex"), ClaimEffect(_of("mine", 0)), ClaimEffect(theirs)))

        assert (await store.commit((SweepEffects(TENANT, at(9), 9),))).swept == 1

        assert list(await store.effects(TENANT)) == []
        assert list(await store.effects("globex")) == [theirs]

    async def test_a_refused_batch_sweeps_no_effects(self, store: Store) -> None:
        await store.commit((ClaimEffect(_of("old", 0)),))

        assert await refusal(store, SweepEffects(TENANT, at(9), 9), say("e1", session="never")) == ("session", "never")

        assert [effect.key for effect in await store.effects(TENANT)] == ["old"]

    async def test_a_tenant_of_whom_only_effects_are_left_is_still_named(self, store: Store) -> None:
        """Else nobody would find them to sweep them."""
        await store.commit((create(), ClaimEffect(_of("old", 0)), DeleteSession(TENANT, "s1", at(0))))

        assert list(await store.tenants()) == [TENANT]
        await store.commit((SweepEffects(TENANT, at(9), 9),))
        assert list(await store.tenants()) == []


def _of(key: str, seconds: float) -> Effect:
    return replace(_SETTLED, key=key, claimed_at=at(seconds))
