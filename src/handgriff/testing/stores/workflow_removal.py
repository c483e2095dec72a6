"""What every store must do when instances go: with their time, their session, their user, their tenant; and with hostile names."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

import anyio
import pytest

from handgriff.core.batch import DeleteSession, DropWorkflow, Erase, Operation, RewindSession, StartWorkflow, SweepWorkflows
from handgriff.core.rows import Workflow
from handgriff.ports.store import Committed, Store
from handgriff.testing.samples import HELD_WORKFLOW, START, TENANT, USER, WORKFLOW, at, create, own_workflow, say
from handgriff.testing.stores.answers import refusal
from handgriff.testing.stores.ids import HOSTILE
from handgriff.testing.stores.workflows import check, claim, found, settle


class WorkflowRemovalSuite:
    """Gone when its time is over or its owner goes; never while somebody else's is meant."""

    hostile: ClassVar[Sequence[str]] = HOSTILE
    """An adapter whose database keeps no NUL leaves those out; `Caller` refuses them above."""

    async def test_a_sweep_removes_instances_that_are_over_and_says_how_many(self, store: Store) -> None:
        forever = replace(WORKFLOW, handle="forever", expires_at=None)
        await store.commit((*_expiring(1, 2, 3), StartWorkflow(forever)))

        assert await store.commit((_sweep(now=0.999_999),)) == Committed(swept=0)
        assert await store.commit((_sweep(now=2),), durable=True) == Committed(swept=2)
        assert await store.commit((_sweep(now=2),)) == Committed(swept=0)

        assert await _handles(store) == ["forever", "w3"]

    async def test_a_sweep_takes_at_most_so_many_instances_longest_over_first(self, store: Store) -> None:
        names = {5: "a", 2: "d", 4: "b", 1: "e", 3: "c"}
        over = [StartWorkflow(replace(WORKFLOW, handle=name, expires_at=at(second))) for second, name in names.items()]
        await store.commit((create(), *over))

        assert (await store.commit((_sweep(now=9, limit=2),))).swept == len(("d", "e"))
        assert await _handles(store) == ["a", "b", "c"]

        assert await store.commit((_sweep(now=9, limit=1), say("e1"), _sweep(now=9, limit=9))) == Committed((1,), 3)
        assert await _handles(store) == []

    async def test_what_a_call_holds_stays_until_it_is_settled(self, store: Store) -> None:
        """And takes no place of those a sweep may remove. B005: what is prolonged by its outcome goes on living."""
        held = [replace(HELD_WORKFLOW, handle=f"held {number}", expires_at=at(1)) for number in (1, 2)]
        await store.commit((*map(StartWorkflow, held), *_expiring(5)))

        assert (await store.commit((_sweep(now=9, limit=1),))).swept == 1
        assert await _handles(store) == ["held 1", "held 2"]

        await store.commit((settle(of=held[0]), settle(of=held[1], until=600)))
        assert (await store.commit((_sweep(now=9),))).swept == 1
        assert await _handles(store) == ["held 2"]

    async def test_what_was_prolonged_in_the_same_batch_stays(self, store: Store) -> None:
        """B007: the sweep looks at the time when it removes, whatever was listed before."""
        await store.commit((StartWorkflow(replace(HELD_WORKFLOW, expires_at=at(1))),))

        assert (await store.commit((settle(until=99), _sweep(now=9)))).swept == 0
        assert await _handles(store) == ["w1"]

    async def test_a_sweep_is_of_one_tenant(self, store: Store) -> None:
        """B135."""
        await store.commit((*_expiring(1), *_expiring(1, tenant="globex")))

        assert (await store.commit((_sweep(now=9), SweepWorkflows("nobody", at(9), 9), SweepWorkflows("", at(9), 9)))).swept == 1

        assert await _handles(store, "globex") == ["w1"]
        assert await refusal(store, SweepWorkflows("globex", at(9), 9), say("e1", session="never")) == ("session", "never")
        assert await _handles(store, "globex") == ["w1"]

    async def test_sweeps_of_sixteen_tasks_remove_each_once(self, store: Store) -> None:
        await store.commit((*_expiring(*range(50)), *_expiring(600)))
        swept: list[int] = []

        async def sweep(number: int) -> None:
            for _ in range(5):
                swept.append((await store.commit((_sweep(now=99, limit=number % 3 + 1),))).swept)  # noqa: PERF401  # awaits

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(sweep, number)

        assert (sum(swept), max(swept)) == (50, 3)
        assert await _handles(store) == ["w600"]

    async def test_one_that_is_kept_elsewhere_is_dropped_as_it_was_seen_and_never_while_it_is_held(self, store: Store) -> None:
        held = replace(HELD_WORKFLOW, handle="held")
        await store.commit((create(), *map(StartWorkflow, (WORKFLOW, held, own_workflow()))))

        assert await refusal(store, DropWorkflow(TENANT, WORKFLOW.machine, "w1", 1)) == ("workflow", "w1")
        assert await refusal(store, DropWorkflow(TENANT, held.machine, "held", held.version)) == ("workflow", "held")
        for absent in (replace(WORKFLOW, handle="never"), replace(WORKFLOW, machine="other"), replace(WORKFLOW, tenant="globex")):
            drop = DropWorkflow(absent.tenant, absent.machine, absent.handle, 0)
            assert await refusal(store, drop) == ("workflow", absent.handle)
        await store.commit((DropWorkflow(TENANT, WORKFLOW.machine, "w1", 0), DropWorkflow(TENANT, "chat", "s1", 0)), durable=True)

        assert list(await store.workflows(TENANT)) == [held]

    @pytest.mark.parametrize("keep", [False, True], ids=["at once", "effects kept"])
    async def test_a_session_is_deleted_with_its_own_instances_held_or_not(self, store: Store, *, keep: bool) -> None:
        held = replace(HELD_WORKFLOW, handle="s1", session="s1")
        others = (own_workflow("s2"), WORKFLOW, replace(WORKFLOW, machine="other", handle="s1"), own_workflow(tenant="globex"))
        sessions = (create(), create("s2"), create(tenant="globex"))
        await store.commit((*sessions, *map(StartWorkflow, (own_workflow(), held, *others))))

        await store.commit((DeleteSession(TENANT, "s1", START if keep else None),))

        assert list(await store.workflows(TENANT, session="s1")) == []
        for other in others:
            assert await found(store, other) == other
        await store.commit((settle(of=held), create(), check(0, of=held), StartWorkflow(own_workflow())))
        assert list(await store.workflows(TENANT, session="s1")) == [own_workflow()]

    async def test_a_user_is_erased_with_instances_and_those_of_their_sessions(self, store: Store) -> None:
        """P20. What is the whole tenant's stays."""
        sessions = (create(), create("s2", user="bob"), create("s1", tenant="globex"))
        mine = (WORKFLOW, own_workflow(), own_workflow("s1", "b", user="bob"), replace(HELD_WORKFLOW, handle="w2"))
        mine_in_theirs = own_workflow("s2", "mine")
        theirs = (
            own_workflow("s2", user="bob"),
            replace(WORKFLOW, handle="w3", user="bob"),
            replace(WORKFLOW, handle="w4", user=None),
            replace(WORKFLOW, handle=USER, user=""),
            own_workflow(tenant="globex"),
            replace(WORKFLOW, tenant="globex"),
        )
        await store.commit((*sessions, *map(StartWorkflow, (*mine, mine_in_theirs, *theirs))))

        await store.commit((Erase(TENANT, USER, "gone-1"),), durable=True)

        for workflow in (*mine, mine_in_theirs):
            assert await found(store, workflow) is None
        for workflow in theirs:
            assert await found(store, workflow) == workflow
        await store.commit((check(0), settle(of=mine[-1]), StartWorkflow(WORKFLOW)))

    async def test_a_tenant_is_erased_with_all_instances_and_no_other_tenants(self, store: Store) -> None:
        """P20. B135."""
        every = [(own_workflow(tenant=each), replace(WORKFLOW, tenant=each, user=None)) for each in (TENANT, "globex", f"{TENANT} ")]
        await store.commit(tuple(create(tenant=own.tenant) for own, _ in every))
        await store.commit(tuple(StartWorkflow(workflow) for pair in every for workflow in pair))

        await store.commit((Erase(TENANT, None, "gone-1"),))

        assert list(await store.workflows(TENANT)) == list(await store.workflows("gone-1")) == []
        for own, shared in every[1:]:
            assert list(await store.workflows(own.tenant)) == [own, shared]
        assert list(await store.tenants()) == [f"{TENANT} ", "globex"]

    async def test_a_tenant_of_whom_only_instances_are_left_is_still_named(self, store: Store) -> None:
        """Else nobody would find them to sweep them."""
        await store.commit((*_expiring(1), *_expiring(1, tenant="B")))

        assert list(await store.tenants()) == ["B", TENANT]
        await store.commit((_sweep(now=9),))
        assert list(await store.tenants()) == ["B"]

    async def test_a_refused_batch_removes_none(self, store: Store) -> None:
        await store.commit((create(), StartWorkflow(own_workflow()), *_expiring(1)))
        before = list(await store.workflows(TENANT))
        erasures = (Erase(TENANT, USER, "gone"), Erase(TENANT, None, "gone"))

        for removal in (_sweep(now=9), DeleteSession(TENANT, "s1"), *erasures):
            assert await refusal(store, removal, check(9)) == ("workflow", "w1")

        assert list(await store.workflows(TENANT)) == before

    async def test_any_text_names_an_instance_of_its_own(self, store: Store) -> None:
        """B129."""
        every = {name: replace(own_workflow(name, name, tenant=name), user=name) for name in self.hostile}
        for name, workflow in every.items():
            await store.commit((create(name, tenant=name), StartWorkflow(workflow)))

        for mine, other in product(self.hostile, repeat=2):
            expected = every[mine] if mine == other else None
            assert await store.workflow(mine, mine, other) == await store.workflow(mine, other, mine) == expected
            assert list(await store.workflows(mine, session=other)) == ([expected] if expected else [])
        for name, workflow in every.items():
            assert list(await store.workflows(name)) == [workflow]

    @pytest.mark.parametrize("way", ["tenant", "machine", "handle", "claim"])
    async def test_claiming_and_settling_reach_what_they_name_alone(self, store: Store, way: str) -> None:
        def named(name: str) -> Workflow:
            ways = {
                "tenant": replace(WORKFLOW, tenant=name),
                "machine": replace(WORKFLOW, machine=name),
                "handle": replace(WORKFLOW, handle=name),
                "claim": replace(WORKFLOW, handle=f"held by {name}"),
            }
            return ways[way]

        for name in self.hostile:
            await store.commit((StartWorkflow(named(name)), claim(by=name, of=named(name))))
        for name, other in product(self.hostile[::2], self.hostile):
            await store.commit((settle(by=name, of=named(name if way == "claim" else other)),))

        for name in self.hostile:
            stored = await found(store, named(name))
            assert stored is not None
            assert stored.version == (name in self.hostile[::2])

    @pytest.mark.parametrize("way", ["deleting", "rewinding", "erasing a user", "erasing a tenant", "sweeping"])
    async def test_removing_reaches_what_it_names_alone(self, store: Store, way: str) -> None:
        """B129, B135: no name is a wildcard, the empty one neither."""
        tenants = {name: name if way in ("erasing a tenant", "sweeping") else "t" for name in self.hostile}
        for name, tenant in tenants.items():
            workflow = replace(own_workflow(name, "m", tenant=tenant, user=name), expires_at=at(1))
            await store.commit((create(name, tenant=tenant, user=name), StartWorkflow(workflow)))

        for name in self.hostile[::2]:
            ways: dict[str, Operation] = {
                "deleting": DeleteSession("t", name),
                "rewinding": RewindSession("t", name, 0, 0, ()),
                "erasing a user": Erase("t", name, "gone"),
                "erasing a tenant": Erase(name, None, "gone"),
                "sweeping": SweepWorkflows(name, at(1), 9),
            }
            await store.commit((ways[way],))

        left = [name for name, tenant in tenants.items() if await store.workflow(tenant, "m", name)]
        assert left == list(self.hostile[1::2])


def _expiring(*seconds: int, tenant: str = TENANT) -> list[StartWorkflow]:
    return [StartWorkflow(replace(WORKFLOW, tenant=tenant, handle=f"w{second}", expires_at=at(second))) for second in seconds]


def _sweep(*, now: float, limit: int = 100) -> SweepWorkflows:
    return SweepWorkflows(TENANT, at(now), limit)


async def _handles(store: Store, tenant: str = TENANT) -> list[str]:
    return [workflow.handle for workflow in await store.workflows(tenant)]
