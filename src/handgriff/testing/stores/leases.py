"""What every store must do with the lease of a session: one holder at a time, and an epoch that fences the late one out."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import anyio
import pytest

from handgriff.core.batch import CheckLease, Operation, ReleaseLease, RenewLease, RequestStop
from handgriff.core.rows import Lease
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import SESSION, TENANT, at, create, hold, put, say

_LAST_MOMENT = 30 - 0.000_001


class LeaseSuite:
    """Holding, checking, renewing, releasing, stopping."""

    async def test_a_free_lease_is_held(self, store: Store) -> None:
        await store.commit((create(), hold("t1")))

        lease = Lease(epoch=1, turn="t1", holder="holder of t1", until=at(30))
        assert await store.session(TENANT, "s1") == replace(SESSION, lease=lease)

    async def test_a_held_lease_refuses_the_second_turn_and_no_other_session(self, store: Store) -> None:
        """B014: two messages at once in one chat."""
        await store.commit((create("s1"), create("s2"), hold("t1")))

        for after in (0, 1):
            await _refuses(store, [hold("t2", after=after, now=_LAST_MOMENT, until=60), say("e1")], "s1")
        await store.commit((hold("t2", session="s2"),))

        assert await _lease(store) == Lease(1, "t1", "holder of t1", at(30))
        assert list(await store.events(TENANT, "s1")) == []

    async def test_a_lease_that_is_over_can_be_taken_at_once(self, store: Store) -> None:
        """B014: the worker that held the lease was killed."""
        await store.commit((create(), hold("t1")))

        await store.commit((hold("t2", after=1, now=30, until=60),))

        assert await _lease(store) == Lease(2, "t2", "holder of t2", at(60))

    async def test_a_free_lease_refuses_who_read_another_epoch(self, store: Store) -> None:
        """B013: two workers loaded the same version; one wins."""
        await store.commit((create(), hold("t1"), ReleaseLease(TENANT, "s1", "t1", 1)))

        for after in (0, 2):
            await _refuses(store, [hold("t2", after=after)], "s1")

    async def test_the_holder_writes_also_after_its_time_while_nobody_took_it(self, store: Store) -> None:
        await store.commit((create(), hold("t1")))

        await store.commit((CheckLease(TENANT, "s1", "t1", 1), say("e1")))
        await store.commit((RenewLease(TENANT, "s1", "t1", 1, at(90)),))

        assert await _lease(store) == Lease(1, "t1", "holder of t1", at(90))

    async def test_a_stale_holder_writes_nothing(self, store: Store) -> None:
        await store.commit((create(), hold("t1"), hold("t2", after=1, now=31, until=61)))
        stale: list[Operation] = [
            CheckLease(TENANT, "s1", "t1", 1),
            CheckLease(TENANT, "s1", "t1", 2),
            CheckLease(TENANT, "s1", "t2", 1),
            RenewLease(TENANT, "s1", "t1", 1, at(99)),
            ReleaseLease(TENANT, "s1", "t1", 1),
        ]

        for guard in stale:
            await _refuses(store, [say("e1"), put("k", "1"), guard], "s1")

        assert await _lease(store) == Lease(2, "t2", "holder of t2", at(61))
        assert list(await store.events(TENANT, "s1")) == []
        assert await store.values(TENANT, "session", "s1") == {}

    async def test_releasing_frees_and_keeps_the_epoch(self, store: Store) -> None:
        await store.commit((create(), hold("t1"), ReleaseLease(TENANT, "s1", "t1", 1)))

        assert await _lease(store) == Lease(epoch=1)
        for guard in (CheckLease(TENANT, "s1", "t1", 1), ReleaseLease(TENANT, "s1", "t1", 1)):
            await _refuses(store, [guard], "s1")

        await store.commit((hold("t2", after=1),))
        assert (await _lease(store)).epoch == 2

    async def test_a_stop_reaches_the_turn_it_was_meant_for_and_no_later_one(self, store: Store) -> None:
        await store.commit((create(), hold("t1"), RequestStop(TENANT, "s1", "t0"), RequestStop(TENANT, "s9", "t1")))
        assert not (await _lease(store)).stop

        await store.commit((RequestStop(TENANT, "s1", "t1"),))
        assert (await _lease(store)).stop is True
        await store.commit((RenewLease(TENANT, "s1", "t1", 1, at(40)),))
        assert (await _lease(store)).stop

        await store.commit((hold("t2", after=1, now=40, until=70), RequestStop(TENANT, "s1", "t1")))
        assert not (await _lease(store)).stop

        await store.commit((RequestStop(TENANT, "s1", "t2"), ReleaseLease(TENANT, "s1", "t2", 2)))
        assert await _lease(store) == Lease(epoch=2)

    async def test_an_unknown_session_has_no_lease(self, store: Store) -> None:
        guards: list[Operation] = [
            hold("t1"),
            CheckLease(TENANT, "s1", "t1", 0),
            RenewLease(TENANT, "s1", "t1", 0, at(1)),
            ReleaseLease(TENANT, "s1", "t1", 0),
        ]
        for guard in guards:
            await _refuses(store, [guard], "s1")

    async def test_of_sixteen_turns_that_want_the_lease_one_gets_it(self, store: Store) -> None:
        """B013, B014."""
        await store.commit((create(),))
        winners: list[str] = []

        async def contend(turn: str) -> None:
            with suppress(CommitRefused):
                await store.commit((hold(turn), say(f"event of {turn}")), durable=turn in ("t3", "t7"))
                winners.append(turn)

        async with anyio.create_task_group() as tasks:
            for n in range(16):
                tasks.start_soon(contend, f"t{n}")

        assert [(await _lease(store)).turn] == winners
        assert [event.id for event in await store.events(TENANT, "s1")] == [f"event of {winners[0]}"]


async def _lease(store: Store) -> Lease:
    session = await store.session(TENANT, "s1")
    assert session is not None
    return session.lease


async def _refuses(store: Store, batch: Iterable[Operation], session: str) -> None:
    with pytest.raises(CommitRefused) as refused:
        await store.commit(tuple(batch))
    assert (refused.value.guard, refused.value.subject) == ("lease", session)
