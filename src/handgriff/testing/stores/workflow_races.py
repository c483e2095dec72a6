"""What every store must do with a kept instance and its effect: claim and settle them together or neither, whoever else tries at once."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace

import anyio

from handgriff.core.batch import ClaimEffect, SettleEffect, StartWorkflow
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import EFFECT, HELD_WORKFLOW, START, TENANT, WORKFLOW, create, own_workflow, say
from handgriff.testing.stores.answers import refusal
from handgriff.testing.stores.workflows import TAKEN, check, claim, found, settle


class WorkflowRaceSuite:
    """One claim, one commit."""

    async def test_instance_and_effect_are_claimed_together_or_neither(self, store: Store) -> None:
        await store.commit((StartWorkflow(WORKFLOW), ClaimEffect(replace(EFFECT, key="taken"))))
        fresh, again = ClaimEffect(EFFECT), ClaimEffect(replace(EFFECT, key="taken", claim="c2"))

        assert await refusal(store, claim(), again, durable=True) == ("effect", "taken")
        for stale in (claim(7), check(7)):
            assert await refusal(store, fresh, stale) == await refusal(store, stale, fresh, durable=True) == TAKEN
        begun = StartWorkflow(replace(WORKFLOW, handle="w2"))
        assert await refusal(store, begun, claim(), check(1, of=own_workflow())) == ("workflow", "s1")

        assert await found(store) == WORKFLOW
        assert list(await store.workflows(TENANT)) == [WORKFLOW]
        assert [effect.key for effect in await store.effects(TENANT)] == ["taken"]

    async def test_instance_and_effect_are_settled_together_or_neither(self, store: Store) -> None:
        """A record and its transition can't contradict each other."""
        await store.commit((StartWorkflow(WORKFLOW), claim(), ClaimEffect(EFFECT)))
        outcome = SettleEffect(TENANT, EFFECT.tool, EFFECT.key, "c1", "done", START, "{}")

        assert await refusal(store, settle(), replace(outcome, claim="c2")) == ("effect", "k1")
        assert await refusal(store, outcome, settle(), say("e1", session="never")) == ("session", "never")
        assert await found(store) == replace(HELD_WORKFLOW, version=0)
        assert [effect.state for effect in await store.effects(TENANT)] == ["running"]

        await store.commit((outcome, settle()))
        assert await refusal(store, outcome, settle(moves=False)) == ("effect", "k1")
        assert await found(store) == replace(WORKFLOW, snapshot='{"value":"sent"}', hash="n" * 64, version=1)

    async def test_an_instance_begins_and_is_claimed_in_one_batch(self, store: Store) -> None:
        await store.commit((create(),))
        own = own_workflow()

        await store.commit((check(0, of=own), StartWorkflow(own), claim(of=own), ClaimEffect(EFFECT)))

        held = await found(store, own)
        assert held == replace(own, claim="c1", tool=EFFECT.tool, key=EFFECT.key, next='{"value":"sent"}', next_hash="n" * 64)
        assert await refusal(store, StartWorkflow(own), claim(of=own, by="c2")) == ("workflow", "s1")

    async def test_of_twenty_claims_at_once_one_wins(self, store: Store) -> None:
        await store.commit((StartWorkflow(WORKFLOW),))
        won: list[str] = []

        async def contend(number: int) -> None:
            by = f"c{number}"
            effect = ClaimEffect(replace(EFFECT, key=by, claim=by))
            batch = (claim(by=by), effect) if number % 2 else (effect, claim(by=by))
            try:
                await store.commit(batch, durable=number % 3 == 0)
            except CommitRefused:
                return
            won.append(by)

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(contend, number)

        assert [effect.claim for effect in await store.effects(TENANT)] == won
        held = await found(store)
        assert held is not None
        assert [held.claim] == won

    async def test_of_twenty_that_begin_it_at_once_one_does(self, store: Store) -> None:
        await store.commit((create(),))
        won: list[str] = []

        async def contend(number: int) -> None:
            try:
                await store.commit((StartWorkflow(own_workflow()), claim(by=f"c{number}", of=own_workflow())), durable=number % 2 == 0)
            except CommitRefused:
                return
            won.append(f"c{number}")

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(contend, number)

        assert [workflow.claim for workflow in await store.workflows(TENANT)] == won

    async def test_moves_of_many_writers_are_counted_once_each(self, store: Store) -> None:
        await store.commit((StartWorkflow(WORKFLOW),))
        moved: list[int] = []

        async def work(number: int) -> None:
            for _ in range(10):
                held = await found(store)
                assert held is not None
                try:
                    await store.commit((claim(held.version, by=f"c{number}"),))
                except CommitRefused:
                    continue
                await store.commit((settle(moves=number % 2 == 0, by=f"c{number}"),))
                moved.append(number)

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(work, number)

        held = await found(store)
        assert held is not None
        assert held.claim is None
        assert held.version == len(moved) > 0
