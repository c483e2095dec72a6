"""What every store must do with a batch: all of it or nothing, whoever else writes at the same time."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

import anyio
import pytest

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    CheckLease,
    ClaimEffect,
    DeleteSession,
    Erase,
    ForkSession,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    KeepPrefix,
    PinSession,
    RewindSession,
    StartWorkflow,
)
from handgriff.core.delta import Delete, Set
from handgriff.core.rows import Fired
from handgriff.errors import BackendError
from handgriff.ports.store import CommitRefused, Committed, Store
from handgriff.testing.samples import (
    EFFECT,
    PINNED,
    PROPOSAL,
    SESSION,
    TENANT,
    USER,
    WORKFLOW,
    change,
    create,
    furnish,
    hold,
    jot,
    put,
    say,
)
from handgriff.testing.stores.everything import one_of_each, picture

_HALF = "\ud83d"  # half of a surrogate pair: no Unicode, and no store can keep it


class BatchSuite:
    """Atomicity, concurrency, closing."""

    async def test_an_empty_batch_is_nothing(self, store: Store) -> None:
        assert await store.commit(()) == Committed()
        assert await store.commit((), durable=True) == Committed()

    @pytest.mark.parametrize("durable", [False, True])
    async def test_a_refused_guard_leaves_nothing(self, store: Store, *, durable: bool) -> None:
        await store.commit((*furnish("s1"), create(tenant="globex"), hold("t1")))
        before = await picture(store)

        with pytest.raises(CommitRefused) as refused:
            await store.commit((*one_of_each(), CheckLease(TENANT, "s1", "t9", 1)), durable=durable)
        assert refused.value.guard == "lease"
        with pytest.raises(CommitRefused):
            await store.commit((*one_of_each(), DeleteSession(TENANT, "s1"), say("late")), durable=durable)

        assert await picture(store) == before
        await store.commit(one_of_each(), durable=durable)
        assert await picture(store) != before

    async def test_text_that_is_not_unicode_is_refused_whole(self, store: Store) -> None:
        await store.commit((create(),))
        bad: list[Batch] = [
            (IntroduceTyped(TENANT, "s1", _HALF),),
            (IntroduceSeen(TENANT, "s1", (("order", _HALF),)),),
            (KeepPrefix(TENANT, "h", _HALF),),
            (PinSession(TENANT, "s1", replace(PINNED, context=_HALF)),),
            (HoldProposal(replace(PROPOSAL, sample=(_HALF,))),),
            (create(_HALF),),
            (put("k", _HALF),),
            (put(_HALF, "1"),),
            (say(_HALF),),
            (change(Delete("session", _HALF)),),
            (jot("k", "1", _HALF),),
            (ForkSession("s1", replace(SESSION, id="s2"), 0, (("k", _HALF),)),),
            (RewindSession(TENANT, "s1", 1, 0, ((_HALF, "1"),)),),
            (Erase(TENANT, USER, _HALF),),
            (StartWorkflow(replace(WORKFLOW, snapshot=_HALF)),),
            (ClaimEffect(replace(EFFECT, fires=Fired("m", _HALF, "SENT"))),),
        ]
        for batch in bad:
            for durable in (False, True):
                with pytest.raises(BackendError):
                    await store.commit((say("e1"), *batch), durable=durable)

        assert list(await store.events(TENANT, "s1")) == []
        assert (await store.commit((say("e1"),))).seqs == (1,)

    async def test_a_body_with_half_a_character_is_mended(self, store: Store) -> None:
        """B056: such text in an event would brick the chat."""
        await store.commit((create(), say("e1", f"a{_HALF}b")))

        (event,) = await store.events(TENANT, "s1")
        assert event.body == say("e1", "a\ufffdb").event.body

    async def test_sixteen_tasks_on_one_session_lose_nothing(self, store: Store) -> None:
        await store.commit((create(),))
        given: dict[str, int] = {}

        async def work(task: int) -> None:
            for step in range(20):
                writes = (Set("session", "counter", str(step)), Set("session", f"k{task}", str(step)))
                done = await store.commit((change(*writes, event=f"e{task}-{step}"),), durable=step % 7 == 0)
                given[f"e{task}-{step}"] = done.seqs[0]

        async with anyio.create_task_group() as tasks:
            for task in range(16):
                tasks.start_soon(work, task)

        events = await store.events(TENANT, "s1")
        assert [event.seq for event in events] == list(range(1, 321))
        assert {event.id: event.seq for event in events} == given
        values = await store.values(TENANT, "session", "s1")
        assert values.pop("counter").version == 320
        assert {(value.text, value.version) for value in values.values()} == {("19", 20)}

    async def test_a_refused_batch_does_not_hurt_its_neighbours(self, store: Store) -> None:
        await store.commit((create(), say("taken", "one")))
        refused: list[int] = []

        async def work(number: int) -> None:
            if number % 3 == 0:
                batch: Batch = (_keep(number), say("taken", "two"))
            else:
                batch = (_keep(number),)
            try:
                await store.commit(batch, durable=True)
            except CommitRefused:
                refused.append(number)

        async with anyio.create_task_group() as tasks:
            for number in range(48):
                tasks.start_soon(work, number)

        kept = {number for number in range(48) if number % 3}
        assert sorted(refused) == sorted(set(range(48)) - kept)
        assert {event.id for event in await store.events(TENANT, "s1")} == {"taken", *(f"e{number}" for number in kept)}
        assert (await store.values(TENANT, "session", "s1")).keys() == {f"k{number}" for number in kept}

    async def test_a_cancelled_commit_is_written_whole_or_not_at_all(self, store: Store) -> None:
        await store.commit((create(),))

        async def work(number: int, scope: anyio.CancelScope) -> None:
            with scope:
                await store.commit((say(f"e{number}"), put(f"k{number}", "1"), put(f"l{number}", "1")), durable=number % 2 == 0)

        async with anyio.create_task_group() as tasks:
            scopes = [anyio.CancelScope() for _ in range(16)]
            for number, scope in enumerate(scopes):
                tasks.start_soon(work, number, scope)
            await anyio.lowlevel.checkpoint()
            for scope in scopes[::2]:
                scope.cancel()
        await store.commit((say("last"),), durable=True)

        written = {event.id[1:] for event in await store.events(TENANT, "s1") if event.id[0] == "e"}
        assert (await store.values(TENANT, "session", "s1")).keys() == {f"{key}{number}" for key in "kl" for number in written}
        assert written >= {str(number) for number in range(1, 16, 2)}

    async def test_closing_waits_for_what_was_accepted_and_refuses_the_rest(self, store: Store) -> None:
        await store.commit((create(),))
        done: list[int] = []

        async def work(number: int) -> None:
            done.extend((await store.commit((say(f"e{number}"),), durable=True)).seqs)

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(work, number)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(store.close)

        assert sorted(done) == list(range(1, 17))
        for durable in (False, True):
            with pytest.raises(BackendError):
                await store.commit((say("late"),), durable=durable)
        await store.close()


def _keep(number: int) -> AppendEvent:
    return change(Set("session", f"k{number}", "1"), event=f"e{number}")
