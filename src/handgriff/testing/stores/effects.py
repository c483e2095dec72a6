"""What every store must do with effect records."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace

import anyio
import pytest

from handgriff.core.batch import ClaimEffect, Operation, SettleEffect, StepEffect
from handgriff.core.rows import EffectState, Fired
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import EFFECT, TENANT, at


def settle(state: EffectState = "done", *, claim: str = "c1", result: str | None = '{"ok":true}', by: str | None = None) -> SettleEffect:
    """Settle the effect of the samples."""
    return SettleEffect(TENANT, EFFECT.tool, EFFECT.key, claim, state, at(5), result, by)


def step(name: str, *, claim: str = "c1") -> StepEffect:
    """A finished step of the effect of the samples."""
    return StepEffect(TENANT, EFFECT.tool, EFFECT.key, claim, name, f'"{name} done\x00"')


class EffectSuite:
    """Claimed once, stepped and settled by its claim."""

    async def test_a_claim_is_read_back_whole(self, store: Store) -> None:
        settled = replace(EFFECT, steps=(("reserve", '"r1"'),), settled_at=at(9), result="{}", resolved_by="root", turn=None, proposal=None)
        marked = replace(EFFECT, key="k3", arguments='{"note":"\\u0000 👋"}', transaction=True)
        await store.commit((ClaimEffect(EFFECT), ClaimEffect(replace(settled, key="k2")), ClaimEffect(marked)), durable=True)

        assert await store.effect(TENANT, EFFECT.tool, "k1") == EFFECT
        assert await store.effect(TENANT, EFFECT.tool, "k2") == replace(settled, key="k2")
        assert await store.effect(TENANT, EFFECT.tool, "k3") == marked
        assert await store.effect(TENANT, EFFECT.tool, "k4") is None
        assert await store.effect("globex", EFFECT.tool, "k1") is None

    async def test_the_transition_that_hangs_on_an_effect_is_kept_with_it(self, store: Store) -> None:
        """Whatever its parts are called; and a new claim has its own, or none."""
        names = (("invoice", "w1", "SENT"), ("", "", ""), ('"', "a,b", "{}"), ("é", "👋", "null"))
        fired = [replace(EFFECT, key=f"k{number}", fires=Fired(*parts)) for number, parts in enumerate(names)]
        await store.commit(tuple(map(ClaimEffect, fired)), durable=True)

        assert [await store.effect(TENANT, EFFECT.tool, effect.key) for effect in fired] == fired
        assert list(await store.effects(TENANT)) == list(await store.unsettled(TENANT)) == fired

        await store.commit((replace(settle("failed"), key="k0"), replace(settle("failed"), key="k1"), replace(settle(), key="k2")))
        await store.commit((ClaimEffect(replace(fired[0], fires=None)), ClaimEffect(replace(fired[1], fires=fired[2].fires))))
        found = [effect.fires for effect in await store.effects(TENANT)]
        assert found == [None, fired[2].fires, fired[2].fires, fired[3].fires]

    async def test_a_new_claim_owes_what_it_says_and_settling_pays_nothing(self, store: Store) -> None:
        await store.commit((ClaimEffect(replace(EFFECT, owes=True)), settle("failed")))

        await store.commit((ClaimEffect(replace(EFFECT, claim="c2")),))
        found = await store.effect(TENANT, EFFECT.tool, "k1")
        assert found is not None
        assert not found.owes

        await store.commit((settle("failed", claim="c2"), ClaimEffect(replace(EFFECT, owes=True)), settle("done")))
        assert [effect.key for effect in await store.owing(TENANT)] == ["k1"]

    @pytest.mark.parametrize("state", ["running", "done", "indeterminate"])
    async def test_a_taken_key_is_refused(self, store: Store, state: EffectState) -> None:
        taken = replace(EFFECT, state=state)
        await store.commit((ClaimEffect(taken),))

        await _refuses(store, ClaimEffect(replace(EFFECT, claim="c2")))
        assert await store.effect(TENANT, EFFECT.tool, "k1") == taken

    async def test_a_failed_effect_is_claimed_anew_and_keeps_its_steps(self, store: Store) -> None:
        await store.commit((ClaimEffect(EFFECT), step("reserve"), settle("failed", result="{}", by="root")))
        again = replace(EFFECT, claim="c2", session="s2", turn="t2", call="call2", proposal=None, arguments='{"order":"o_18"}')
        anew = replace(again, claimed_at=at(10), lease_until=at(70), transaction=True)

        await _refuses(store, ClaimEffect(replace(anew, digest="d2")))
        await store.commit((ClaimEffect(anew),))

        assert await store.effect(TENANT, EFFECT.tool, "k1") == replace(anew, steps=(("reserve", '"reserve done\x00"'),))

    async def test_a_failed_effect_of_another_user_is_not_claimed_anew(self, store: Store) -> None:
        """Its finished steps are that user's: whoever went on from them would pay with somebody else's card."""
        await store.commit((ClaimEffect(EFFECT), step("reserve"), settle("failed", result="{}")))
        failed = await store.effect(TENANT, EFFECT.tool, "k1")

        await _refuses(store, ClaimEffect(replace(EFFECT, claim="c2", user="bob", session="s2")))

        assert await store.effect(TENANT, EFFECT.tool, "k1") == failed

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

    async def test_whoever_counts_on_its_running_is_refused_once_it_was_found_without_an_outcome(self, store: Store) -> None:
        counts_on_it = replace(settle(), only_running=True)
        await store.commit((ClaimEffect(EFFECT), settle("indeterminate", result=None)))

        await _refuses(store, counts_on_it)
        await store.commit((settle(),))

        await store.commit((ClaimEffect(replace(EFFECT, key="k2")), replace(counts_on_it, key="k2")))
        found = [await store.effect(TENANT, EFFECT.tool, key) for key in ("k1", "k2")]
        assert [effect and effect.state for effect in found] == ["done", "done"]

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

    async def test_what_is_not_settled_comes_oldest_claim_first(self, store: Store) -> None:
        """B135: and of one tenant."""
        states: tuple[EffectState, ...] = ("running", "done", "failed", "indeterminate")
        claims = [
            replace(EFFECT, key="late", claimed_at=at(9)),
            *(replace(EFFECT, key=f"{state} {tool}", tool=tool, state=state) for tool in ("b", "a") for state in states),
            replace(EFFECT, key="elsewhere", session="s2", claimed_at=at(-1)),
            replace(EFFECT, key="resolved", state="indeterminate", resolved_by="root", claimed_at=at(3)),
            replace(EFFECT, key="foreign", tenant="globex"),
        ]
        await store.commit(tuple(map(ClaimEffect, claims)))

        mine = ["running b", "indeterminate b", "running a", "indeterminate a", "resolved", "late"]
        assert [effect.key for effect in await store.unsettled(TENANT)] == ["elsewhere", *mine]
        assert [effect.key for effect in await store.unsettled(TENANT, session="s1")] == mine
        assert [effect.key for effect in await store.unsettled("globex")] == ["foreign"]
        assert list(await store.unsettled(TENANT, session="s3")) == list(await store.unsettled("globex", session="s2")) == []

    async def test_what_is_settled_is_no_longer_among_the_unsettled(self, store: Store) -> None:
        await store.commit((ClaimEffect(EFFECT), ClaimEffect(replace(EFFECT, key="k2"))))

        await store.commit((settle("indeterminate", result=None),))
        assert [(effect.key, effect.state) for effect in await store.unsettled(TENANT)] == [("k1", "indeterminate"), ("k2", "running")]
        await store.commit((settle("failed"),))
        assert [effect.key for effect in await store.unsettled(TENANT)] == ["k2"]
        await store.commit((ClaimEffect(replace(EFFECT, claim="c2", claimed_at=at(9))),))
        assert [effect.key for effect in await store.unsettled(TENANT)] == ["k2", "k1"]

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


async def _refuses(store: Store, operation: Operation) -> None:
    with pytest.raises(CommitRefused) as refused:
        await store.commit((operation,))
    assert refused.value.guard == "effect"
