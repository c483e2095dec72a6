"""What a store that shares its database with the application must do with a transaction: the application's rows and a batch, or neither."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Literal, Protocol, TypeAlias

import anyio
import pytest

from handgriff.core.batch import ClaimEffect, SettleEffect, SettleWorkflow, StartWorkflow
from handgriff.core.delta import Increment, Value
from handgriff.core.rows import EffectState
from handgriff.errors import BackendError, DefinitionError
from handgriff.ports.store import CommitRefused, Committed, Store
from handgriff.ports.transaction import Transacting, Transaction
from handgriff.testing.samples import EFFECT, HELD_WORKFLOW, TENANT, USER, WORKFLOW, at, change, create, put, say

Ending: TypeAlias = Literal["commit", "roll back", "begin anew"]
"""What a handler must not do with the connection; the last one is: commit, then begin."""

_HALF = "\ud83d"  # half of a surrogate pair: no store can keep it
_MOVE = SettleWorkflow(TENANT, WORKFLOW.machine, WORKFLOW.handle, "c1", moves=True)


class TransactingStore(Store, Transacting, Protocol):
    """A store that can begin transactions."""


class TransactionSuite(ABC):
    """Everything the transaction port promises.

    Subclass it in a test module beside the `StoreSuite`, give the same fixture, and say how the application writes its table `app_rows`,
    which has one column `text`::

        class TestMyTransactions(TransactionSuite):
            @pytest.fixture
            async def store(self) -> AsyncIterator[TransactingStore]: ...

            async def prepare(self, store: Store) -> None: ...
    """

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        """Handgriff runs on asyncio."""
        return "asyncio"

    @abstractmethod
    async def prepare(self, store: Store) -> None:
        """Make the table `app_rows`, empty, in the database of *store*."""

    @abstractmethod
    async def insert(self, connection: Any, text: str) -> None:
        """Insert a row on *connection*."""

    @abstractmethod
    async def rows(self) -> list[str]:
        """The rows that anybody else sees, in any order, asked on a connection that has nothing to do with the store."""

    @abstractmethod
    async def end(self, connection: Any, how: Ending) -> None:
        """Misuse *connection*: end the transaction as a careless handler would, by the plainest means its driver has."""

    @pytest.fixture(autouse=True)
    async def prepared(self, store: TransactingStore) -> None:
        """The application's table and a session are there."""
        await self.prepare(store)
        await store.commit((create(),))

    async def test_a_store_that_can_begin_says_so(self, store: TransactingStore) -> None:
        assert isinstance(store, Transacting)

    async def test_rows_and_batch_are_kept_together(self, store: TransactingStore) -> None:
        await store.commit((say("before"),))
        transaction = await store.begin()

        await self.insert(transaction.connection, "one")
        await self.insert(transaction.connection, "two")
        assert await transaction.commit((say("e1"), put("k", "1"), say("e2"))) == Committed((2, 3, 4))

        assert sorted(await self.rows()) == ["one", "two"]
        assert [event.id for event in await store.events(TENANT, "s1")][::3] == ["before", "e2"]
        assert (await store.commit((say("after"),))).seqs == (5,)

    async def test_what_is_rolled_back_leaves_neither(self, store: TransactingStore) -> None:
        transaction = await store.begin()

        await self.insert(transaction.connection, "one")
        await transaction.roll_back()

        assert await self.rows() == []
        assert (await store.commit((say("e1"),))).seqs == (1,)

    async def test_rolling_back_again_or_after_a_commit_is_nothing(self, store: TransactingStore) -> None:
        undone = await store.begin()
        for _ in range(3):
            await undone.roll_back()

        kept = await store.begin()
        await self.insert(kept.connection, "kept")
        await kept.commit((say("e1"),))
        for _ in range(3):
            await kept.roll_back()

        assert await self.rows() == ["kept"]
        assert len(await store.events(TENANT, "s1")) == 1

    async def test_what_is_over_commits_nothing_more(self, store: TransactingStore) -> None:
        undone = await store.begin()
        await undone.roll_back()
        kept = await store.begin()
        await kept.commit((say("e1"),))

        for over in (undone, kept):
            with pytest.raises(BackendError):
                await over.commit((say("e2"),))

        assert [event.id for event in await store.events(TENANT, "s1")] == ["e1"]

    async def test_rows_are_kept_with_a_batch_of_nothing(self, store: TransactingStore) -> None:
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        assert await transaction.commit(()) == Committed()
        assert await self.rows() == ["one"]

    async def test_nothing_is_seen_by_others_before_it_is_committed(self, store: TransactingStore) -> None:
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")
        with pytest.raises(CommitRefused):
            await transaction.commit((say("e1"), put("k", "1"), say("e2", session="never")))

        with anyio.fail_after(5):  # and readers are not held up
            assert await self.rows() == []
            assert list(await store.events(TENANT, "s1")) == []
            assert await store.values(TENANT, "session", "s1") == {}

        await transaction.commit((say("e3"), put("k", "2")))
        assert await self.rows() == ["one"]
        assert len(await store.events(TENANT, "s1")) == len(["e3", "the change of k"])
        assert await store.values(TENANT, "session", "s1") == {"k": Value("2", 1)}

    async def test_a_refused_batch_leaves_the_transaction_as_it_was(self, store: TransactingStore) -> None:
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        for again in range(3):
            with pytest.raises(CommitRefused) as refused:
                await transaction.commit((say("e1"), put("k", str(again), "app"), say("e2", session="never")))
            assert (refused.value.guard, refused.value.subject) == ("session", "never")
        await self.insert(transaction.connection, "two")
        assert await transaction.commit((say("e3"),)) == Committed((1,))

        assert sorted(await self.rows()) == ["one", "two"]
        assert [event.id for event in await store.events(TENANT, "s1")] == ["e3"]
        assert await store.values(TENANT, "app", "") == {}

    async def test_a_refused_batch_can_be_followed_by_rolling_back(self, store: TransactingStore) -> None:
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        with pytest.raises(CommitRefused):
            await transaction.commit((say("e1"), say("e2", session="never")))
        await transaction.roll_back()

        assert await self.rows() == []
        assert list(await store.events(TENANT, "s1")) == []

    async def test_a_batch_that_no_store_can_keep_keeps_no_rows_either(self, store: TransactingStore) -> None:
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        with pytest.raises(BackendError):
            await transaction.commit((say("e1"), put("k", _HALF)))
        await transaction.roll_back()

        assert await self.rows() == []
        assert list(await store.events(TENANT, "s1")) == []

    async def test_an_outcome_that_somebody_else_settled_takes_the_rows_back(self, store: TransactingStore) -> None:
        """A claim that was found abandoned is settled without asking: its holder must not be able to commit afterwards."""
        await store.commit((ClaimEffect(replace(EFFECT, transaction=True)),))
        await store.commit((_settle("failed", by="recovery"),), durable=True)

        assert await self._transact(store, EFFECT.key) == "the effect guard of 'k1' does not hold"

        assert await self.rows() == []
        found = await store.effect(TENANT, EFFECT.tool, EFFECT.key)
        assert found is not None
        assert (found.state, found.resolved_by) == ("failed", "recovery")

    async def test_an_instance_moves_with_the_rows_and_the_outcome_or_not_at_all(self, store: TransactingStore) -> None:
        await store.commit((ClaimEffect(replace(EFFECT, transaction=True)), StartWorkflow(HELD_WORKFLOW)))
        key = (TENANT, WORKFLOW.machine, WORKFLOW.handle)
        undone = await store.begin()
        await self.insert(undone.connection, "one")
        with pytest.raises(CommitRefused):
            await undone.commit((_MOVE, _settle("done"), say("e1", session="never")))
        await undone.roll_back()
        assert await self.rows() == []
        assert await store.workflow(*key) == HELD_WORKFLOW

        kept = await store.begin()
        await self.insert(kept.connection, "two")
        await kept.commit((_settle("done"), _MOVE))

        assert await self.rows() == ["two"]
        assert await store.workflow(*key) == replace(WORKFLOW, snapshot='{"value":"sent"}', hash="n" * 64, version=4)
        assert [effect.state for effect in await store.effects(TENANT)] == ["done"]

    async def test_of_a_holder_and_somebody_who_settles_for_it_one_wins(self, store: TransactingStore) -> None:
        keys = [f"k{number}" for number in range(12)]
        await store.commit(tuple(ClaimEffect(replace(EFFECT, key=key, transaction=True)) for key in keys))
        won: list[str] = []

        async def hold(key: str) -> None:
            if await self._transact(store, key) is None:
                won.append(key)

        async def settle(key: str) -> None:
            try:
                await store.commit((replace(_settle("failed"), key=key),), durable=True)
            except CommitRefused:
                return

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for number, key in enumerate(keys):
                    for work in (hold, settle)[:: 1 - 2 * (number % 2)]:
                        tasks.start_soon(work, key)

        assert sorted(await self.rows()) == sorted(won)
        states = {effect.key: effect.state for effect in await store.effects(TENANT)}
        assert states == {key: "done" if key in won else "failed" for key in keys}

    async def test_many_at_once_all_arrive(self, store: TransactingStore) -> None:
        async def work(number: int) -> None:
            transaction = await store.begin()
            await self.insert(transaction.connection, f"row {number}")
            await anyio.lowlevel.checkpoint()
            await transaction.commit((change(Increment("user", "n", 1)),))

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for number in range(24):
                    tasks.start_soon(work, number)

        assert sorted(await self.rows()) == sorted(f"row {number}" for number in range(24))
        assert await store.values(TENANT, "user", USER) == {"n": Value("24", 24)}

    async def test_commits_beside_transactions_all_arrive(self, store: TransactingStore) -> None:
        async def transact(number: int) -> None:
            transaction = await store.begin()
            await self.insert(transaction.connection, f"row {number}")
            await anyio.lowlevel.checkpoint()
            if number % 3:
                await transaction.commit((change(Increment("app", "n", 1)),))
            else:
                await transaction.roll_back()

        async def commit(number: int) -> None:
            for step in range(4):
                await store.commit((change(Increment("app", "n", 1)),), durable=(number + step) % 3 == 0)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for number in range(12):
                    tasks.start_soon(transact, number)
                    tasks.start_soon(commit, number)

        assert sorted(await self.rows()) == sorted(f"row {number}" for number in range(12) if number % 3)
        assert await store.values(TENANT, "app", "") == {"n": Value("56", 56)}
        assert [event.seq for event in await store.events(TENANT, "s1")] == list(range(1, 57))

    async def test_commits_that_came_while_it_was_open_arrive(self, store: TransactingStore) -> None:
        await store.commit((create("s2"),))
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        async def work(number: int) -> None:
            await store.commit((say(f"e{number}", session="s2"),), durable=number % 2 == 0)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for number in range(8):
                    tasks.start_soon(work, number)
                for _ in range(20):
                    await anyio.lowlevel.checkpoint()
                await transaction.commit((say("e1"),))

        assert await self.rows() == ["one"]
        assert [event.seq for event in await store.events(TENANT, "s2")] == list(range(1, 9))

    async def test_a_task_that_was_cancelled_while_it_began_holds_nothing(self, store: TransactingStore) -> None:
        first = await store.begin()
        await self.insert(first.connection, "one")

        async def wait() -> None:
            transaction = await store.begin()
            try:
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await transaction.roll_back()

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for _ in range(4):
                    tasks.start_soon(wait)
                for _ in range(20):
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
            await first.commit((say("e1"),))
            second = await store.begin()
            await self.insert(second.connection, "two")
            await second.commit((say("e2"),))

        assert sorted(await self.rows()) == ["one", "two"]
        assert (await store.commit((say("e3"),), durable=True)).seqs == (3,)

    @pytest.mark.parametrize("how", ["commit", "roll back", "begin anew"])
    async def test_ending_it_by_hand_is_reported_and_settles_nothing(self, store: TransactingStore, how: Ending) -> None:
        """At once, where the driver lets the store see it; else the batch is refused, because its rows are no longer with it."""
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        try:
            await self.end(transaction.connection, how)
        except DefinitionError:
            await self.insert(transaction.connection, "two")
            await transaction.commit((say("e1"),))
            assert sorted(await self.rows()) == ["one", "two"]
        else:
            with pytest.raises(BackendError):
                await transaction.commit((say("e1"),))
            await transaction.roll_back()
            assert list(await store.events(TENANT, "s1")) == []

        assert (await store.commit((say("e2"),), durable=True)).seqs[0] in {1, 2}

    async def test_a_closed_store_begins_nothing(self, store: TransactingStore) -> None:
        await store.close()

        with pytest.raises(BackendError):
            await store.begin()

    async def test_a_transaction_that_is_open_when_its_store_is_closed_can_be_rolled_back(self, store: TransactingStore) -> None:
        transaction = await store.begin()
        await self.insert(transaction.connection, "one")

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store.close)
                for _ in range(20):
                    await anyio.lowlevel.checkpoint()
                await transaction.roll_back()

        assert await self.rows() == []
        with pytest.raises(BackendError):
            await transaction.commit((say("e1"),))

    async def _transact(self, store: TransactingStore, key: str) -> str | None:
        """Do what a call does: write a row named like its key, settle its effect with it, and take the row back where that is refused."""
        transaction: Transaction = await store.begin()
        try:
            await self.insert(transaction.connection, key)
            await transaction.commit((replace(_settle("done"), key=key),))
        except CommitRefused as refused:
            return str(refused)
        finally:
            await transaction.roll_back()
        return None


def _settle(state: EffectState, *, by: str | None = None) -> SettleEffect:
    return SettleEffect(TENANT, EFFECT.tool, EFFECT.key, EFFECT.claim, state, at(5), "{}", by)
