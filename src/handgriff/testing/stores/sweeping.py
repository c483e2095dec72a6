"""What every store must do when garbage is collected: remove what is over at that moment, in steps, and nothing that lives."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

import anyio

from handgriff.core.batch import DeleteSession, RenewScratch, SweepScratch
from handgriff.ports.store import Committed, Store
from handgriff.testing.samples import TENANT, at, create, furnish, jot, put, say
from handgriff.testing.stores.answers import notes, refusal, texts


class SweepSuite:
    """Expired records, idle sessions."""

    async def test_a_sweep_removes_what_is_over_and_says_how_many(self, store: Store) -> None:
        await store.commit((create(), *(jot("k", "1", f"n{until}", until=until) for until in (1, 2, 3, 60))))

        assert await store.commit((_sweep(now=0.999),)) == Committed(swept=0)
        assert await store.commit((_sweep(now=2),), durable=True) == Committed(swept=2)
        assert await store.commit((_sweep(now=2),)) == Committed(swept=0)

        assert [record.namespace for record in await store.records(TENANT, now=at(0))] == ["n3", "n60"]

    async def test_a_sweep_takes_at_most_what_it_may_longest_over_first(self, store: Store) -> None:
        await store.commit((create(), *(jot("k", "1", f"n{until}", until=until) for until in (5, 2, 4, 1, 3))))

        assert (await store.commit((_sweep(now=9, limit=2),))).swept == 2
        assert [record.namespace for record in await store.records(TENANT, now=at(0))] == ["n3", "n4", "n5"]

        assert (await store.commit((_sweep(now=9, limit=1), say("e1"), _sweep(now=9, limit=9)))) == Committed((6,), 3)
        assert list(await store.records(TENANT, now=at(0))) == []

    async def test_what_was_prolonged_meanwhile_stays(self, store: Store) -> None:
        """B007: the sweep looks at the deadline when it removes, whatever was listed before."""
        await store.commit((create(), jot("k", "1", "a", until=10), jot("k", "1", "b", until=10)))

        await store.commit((RenewScratch(TENANT, "s1", "a", at(9), at(99)), jot("k", "1", "c", now=11, until=99)))

        assert (await store.commit((_sweep(now=12),))).swept == 1
        assert [record.namespace for record in await store.records(TENANT, now=at(0))] == ["a", "c"]
        assert await notes(store, "a", now=12) == {"k": "1"}

    async def test_what_begins_anew_in_the_same_batch_stays(self, store: Store) -> None:
        """B007."""
        await store.commit((create(), jot("k", "1", until=10)))

        assert (await store.commit((jot("l", "1", now=11, until=99), _sweep(now=11)))).swept == 0
        assert await notes(store, now=12) == {"l": "1"}

    async def test_a_sweep_is_of_one_tenant_and_of_scratch_alone(self, store: Store) -> None:
        await store.commit((*furnish("s1"), create("s1", tenant="globex"), jot("k", "1", tenant="globex", until=1), put("a", "1", "app")))
        before = await texts(store, "app")

        assert (await store.commit((_sweep(now=9_999),))).swept == 1

        assert len(await store.records("globex", now=at(0))) == 1
        assert (await store.commit((SweepScratch("nobody", at(9_999), 9),))).swept == 0
        assert await texts(store) == {"topic": '"s1"'}
        assert await texts(store, "app") == before
        assert len(await store.events(TENANT, "s1")) == 6

    async def test_a_record_that_was_swept_begins_anew(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1", until=1), _sweep(now=1), RenewScratch(TENANT, "s1", "notes", at(0), at(99))))
        assert await notes(store) is None

        await store.commit((jot("l", "1", now=2, until=9),))
        assert await notes(store, now=2) == {"l": "1"}

    async def test_sweeps_of_sixteen_tasks_remove_each_record_once(self, store: Store) -> None:
        await store.commit((create(), *(jot("k", "1", f"n{number}", until=1) for number in range(50)), jot("k", "1", "alive")))
        swept: list[int] = []

        async def sweep(number: int) -> None:
            for _ in range(5):
                swept.append((await store.commit((_sweep(now=2, limit=number % 3 + 1),))).swept)  # noqa: PERF401  # awaits

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(sweep, number)

        assert sum(swept) == 50
        assert max(swept) <= 3
        assert [record.namespace for record in await store.records(TENANT, now=at(0))] == ["alive"]

    async def test_a_refused_batch_sweeps_nothing(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1", until=1)))

        assert await refusal(store, _sweep(now=2), say("e1", session="never")) == ("session", "never")

        assert len(await store.records(TENANT, now=at(0))) == 1

    async def test_an_idle_session_is_deleted_unless_it_came_to_life_again(self, store: Store) -> None:
        """B007: also for sessions. B008: their ledger rows stay."""
        await store.commit((*furnish("s1"), *furnish("s2")))

        late = DeleteSession(TENANT, "s1", idle_since=at(0))
        assert await refusal(store, DeleteSession(TENANT, "s2"), late) == ("session", "s1")
        assert await store.session(TENANT, "s2") is not None

        await store.commit((DeleteSession(TENANT, "s1", idle_since=at(0.000_001)),))
        assert await store.session(TENANT, "s1") is None
        assert [request.session for request in await store.requests(TENANT)] == ["s1", "s2"]
        assert [proposal.session for proposal in await store.proposals(TENANT)] == ["s2"]
        await store.commit((late,))

    async def test_a_session_without_events_is_idle_since_its_creation(self, store: Store) -> None:
        await store.commit((create(),))

        assert await refusal(store, DeleteSession(TENANT, "s1", idle_since=at(0))) == ("session", "s1")
        await store.commit((DeleteSession(TENANT, "s1", idle_since=at(1)),))
        assert await store.session(TENANT, "s1") is None


def _sweep(*, now: float, limit: int = 100) -> SweepScratch:
    return SweepScratch(TENANT, at(now), limit)
