"""Notebooks with a deadline, on every store: expired is absent everywhere at once, and nothing lives without an end.

Promise P10; cases B001, B002, B004, B005, B006, B007.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from handgriff import BackendError, Call, DefinitionError, Refusal
from handgriff.core.batch import AppendEvent, Batch
from handgriff.host.adapters import open_store
from handgriff.ports.store import Committed, Store
from handgriff.testing.clock import StillClock
from handgriff.tool import ABSENT
from tests.ids import stable
from tests.interaction.desk import ADA, EVE
from tests.interaction.notebook import DAY, deadline, get, put, there
from tests.interaction.slate import Slate
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


@pytest.mark.parametrize("late", [-0.001, 0.0, 0.001], ids=str)
async def test_at_its_deadline_a_record_is_absent_on_every_path(store: str, late: float) -> None:
    """A millisecond before it is there, from the deadline on it is not: for reads, operators, compare-and-set and appends."""
    slate, clock, is_there = Slate(), StillClock(), late < 0

    async def work(call: Call) -> list[Any]:
        book = call.scratch("s")
        found = [await book.get("k", "absent"), dict(await book.all())]
        expected = [1] if is_there else ABSENT
        await book.compare_and_set("k", expected, [2])
        await book.append("k", 3)
        return found

    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", put("k", [1], ttl=60))
        clock.move(60 + late)

        assert await slate.read(chat, get("k")) == ([1] if is_there else "absent")
        assert len(await chat.host.scratch.list("acme")) == is_there
        if not is_there:
            with pytest.raises(Refusal, match="not_found"):
                await chat.host.scratch.get("acme", chat.session.id, "s")
        assert (await slate.call(chat, "keep", work)).is_ok
        assert slate.seen.pop() == [[1] if is_there else "absent", {"k": [1]} if is_there else {}]
        assert await slate.read(chat, get("k")) == [2, 3]


async def test_what_was_read_before_the_record_expired_is_no_guard_for_the_one_after_it(store: str) -> None:
    """Also where the new record holds an equal value: versions go on behind those of the record that is gone."""
    slate, clock = Slate(), StillClock()

    async def work(call: Call) -> None:
        await call.scratch("s").get("k")
        clock.move(61)
        await slate.call(chat, "keep", put("k", 1))
        await call.scratch("s").compare_and_set("k", 1, 2)

    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", put("k", 1, ttl=60))

        assert (await slate.call(chat, "keep", work)).code == "conflict"
        assert await slate.read(chat, get("k")) == 1


async def test_a_write_moves_the_deadline_to_its_ttl_and_never_earlier(store: str) -> None:
    """Of all keys together: a short one takes nothing from the others."""
    slate, clock = Slate(), StillClock()
    async with slate.chat(store, clock=clock) as chat:
        for key, ttl, left in (("a", 60, 60), ("b", 10, 60), ("c", timedelta(hours=1), 3600), ("d", 60.5, 3600), ("e", None, DAY)):
            await slate.call(chat, "keep", put(key, 1, ttl=ttl))
            assert await deadline(chat) == left
        clock.move(DAY - 10)
        await slate.call(chat, "keep", lambda call: call.scratch("s").delete("a", ttl=20))
        assert await deadline(chat) == 20
        clock.move(19)

        assert sorted((await there(chat))[0].values) == ["b", "c", "d", "e"]
        assert await slate.read(chat, get("e")) == 1


OPERATIONS: dict[str, tuple[Any, ...]] = {
    "set": ("k", 1),
    "delete": ("k",),
    "increment": ("n", 1),
    "append": ("k", 1),
    "pop": ("k",),
    "add": ("k", 1),
    "remove": ("k", 1),
    "compare_and_set": ("k", ABSENT, 1),
    "merge": ("k", {}),
}
NO_TTL = [0, -5, 0.0, float("nan"), float("inf"), True, False, "60", 10**12, timedelta(0), timedelta(-1), [60]]


@pytest.mark.parametrize("ttl", NO_TTL, ids=stable)
async def test_a_ttl_that_is_none_is_refused_where_it_is_given(store: str, ttl: object) -> None:
    """B006: by every operation, before anything is written; the mend names the unit."""
    slate = Slate()
    mends = []

    async def work(call: Call) -> None:
        book: Any = call.scratch("s")
        for name, arguments in OPERATIONS.items():
            with pytest.raises(DefinitionError) as raised:
                await getattr(book, name)(*arguments, ttl=ttl)
            mends.append(raised.value.mend)

    async with slate.chat(store) as chat:
        assert (await slate.call(chat, "keep", work)).is_ok

        assert ["seconds" in mend for mend in mends] == [True] * 9
        assert await there(chat) == ()


@pytest.mark.parametrize(("ttl", "seconds"), [(0.4, 0.4), (1e-9, 1e-6), (None, DAY), (timedelta(days=3653), 3653 * DAY)], ids=stable)
async def test_a_ttl_that_is_one_is_kept_to_the_microsecond(store: str, ttl: Any, seconds: float) -> None:
    """B006: none of them makes a record that lives forever."""
    slate, clock = Slate(), StillClock()
    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", put("k", 1, ttl=ttl))

        assert await deadline(chat) == seconds
        clock.move(seconds)
        assert await slate.read(chat, get("k")) == "absent"


class FailingStore:
    """A store that fails at the next commit of a delta, once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fails = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        if self.fails and any(isinstance(each, AppendEvent) and each.change for each in batch):
            self.fails = False
            raise BackendError("store", "commit") from ConnectionError("cut")
        return await self._store.commit(batch, durable=durable)


async def test_a_record_and_its_deadline_are_one_write(store: str) -> None:
    """B001: after a cancelled call and a failed commit every key that lies there has its deadline, and none outlives it."""
    slate, clock = Slate(), StillClock()

    async def cancelled(call: Call) -> None:
        await call.scratch("cart").set("aux", 1, ttl=60)
        raise asyncio.CancelledError

    failing = FailingStore(await open_store(store))
    async with slate.chat(failing, clock=clock) as chat:
        await slate.call(chat, "keep", put("items", [1], ttl=60, namespace="cart"))
        await slate.call(chat, "keep", cancelled)
        failing.fails = True
        await slate.call(chat, "keep", put("more", 1, ttl=60, namespace="cart"))
        clock.move(5)

        assert [sorted(record.values) for record in await there(chat)] == [["items"]]
        assert await deadline(chat) == 55
        clock.move(56)
        assert await chat.host.scratch.list("acme") == ()
        assert (await chat.host.collect()).records == 1
        assert await there(chat) == ()
    await failing.close()


async def test_reads_prolong_a_notebook_that_asks_for_it_and_all_of_its_keys_end_together(store: str) -> None:
    """B002: the deadline is the last access and a day, for every key; a read of what is over brings nothing back."""
    slate, clock = Slate(), StillClock()
    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", put("k", 1))
        await slate.call(chat, "keep", put("l", 2))
        for moved in (0.3 * DAY, 0.95 * DAY):
            clock.move(moved)
            assert await slate.read(chat, get("k", renew="access")) == 1
            assert await deadline(chat) == DAY
        clock.move(DAY)

        assert await slate.read(chat, get("k", renew="access")) == "absent"
        assert await slate.read(chat, get("l")) == "absent"


@pytest.mark.parametrize("renew", ["access", None], ids=str)
async def test_a_conversation_that_only_reads_keeps_its_notebook_where_it_asks_to(store: str, renew: Any) -> None:
    """B005"""
    slate, clock = Slate(), StillClock()
    seen = []
    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", put("k", 1))
        for moved in (0.5, 0.47, 0.5, 1.0):
            clock.move(moved * DAY)
            seen.append(await slate.read(chat, get("k", renew=renew)))

    assert seen == ([1, 1, 1, "absent"] if renew else [1, 1, "absent", "absent"])


async def test_a_read_prolongs_by_the_time_its_notebook_has_and_not_by_the_default(store: str) -> None:
    """B004: an hour stays an hour."""
    slate, clock = Slate(), StillClock()
    hour = timedelta(hours=1)
    async with slate.chat(store, clock=clock) as chat:
        await slate.call(chat, "keep", lambda call: call.scratch("s", ttl=hour).set("k", 1))
        clock.move(1800)

        assert await slate.read(chat, lambda call: call.scratch("s", renew="access", ttl=3600).get("k")) == 1
        assert await deadline(chat) == 3600
        await slate.call(chat, "keep", lambda call: call.scratch("s", ttl=hour).set("k", 2, ttl=7200))
        assert await deadline(chat) == 7200


@pytest.mark.parametrize("gone", ["cleared", "by the operator", "with its session", "never there"])
async def test_a_read_that_prolongs_makes_nothing_where_nothing_is(store: str, gone: str) -> None:
    """B004"""
    slate, clock = Slate(), StillClock()
    async with slate.chat(store, clock=clock) as chat:
        session = (await chat.host.sessions.create(ADA)).id
        if gone != "never there":
            await slate.call(chat, "keep", put("k", 1, ttl=3600), session=session)
        clock.move(10)
        if gone == "cleared":
            await slate.call(chat, "keep", lambda call: call.scratch("s").clear(), session=session)
        elif gone == "by the operator":
            await chat.host.scratch.clear("acme", session, "s", by="olga")
        elif gone == "with its session":
            await chat.host.sessions.delete(ADA, session)
        for moved in (1, 3689):
            clock.move(moved)
            if gone != "with its session":
                assert await slate.read(chat, get("k", renew="access"), session=session) == "absent"

        assert await there(chat) == ()


async def test_a_sweep_takes_what_is_expired_when_it_is_taken_and_nothing_else(store: str) -> None:
    """B007: one that was prolonged and one that is new live on; so does another tenant's, which is nobody's business here."""
    slate, clock = Slate(), StillClock()
    async with slate.chat(store, clock=clock) as chat:
        theirs = (await chat.host.sessions.create(EVE)).id
        await slate.call(chat, "keep", put("k", 1, ttl=60), EVE, session=theirs)
        for name in ("a", "b"):
            await slate.call(chat, "keep", put("k", name, ttl=60, namespace=name))
        clock.move(59)
        await slate.call(chat, "keep", put("k", "a", ttl=60, namespace="a"))
        clock.move(2)
        await slate.call(chat, "keep", put("k", "c", ttl=60, namespace="c"))

        assert (await chat.host.collect(tenant="acme")).records == 1
        assert [record.namespace for record in await there(chat)] == ["a", "c"]
        assert len(await there(chat, "globex")) == 1
        assert (await chat.host.collect()).records == 1


async def test_the_first_access_of_a_day_sweeps_the_tenant_and_later_ones_do_not(store: str) -> None:
    slate, clock = Slate(), StillClock()
    async with slate.chat(store, clock=clock) as chat:
        theirs = (await chat.host.sessions.create(EVE)).id
        await slate.call(chat, "keep", put("k", 1, ttl=60), EVE, session=theirs)
        for name in ("a", "b"):
            await slate.call(chat, "keep", put("k", 1, ttl=60, namespace=name))
        clock.move(3600)
        await slate.read(chat, get("k", "other"))
        assert len(await there(chat)) == 2

        clock.move(DAY)
        await slate.read(chat, get("k", "other"))
        assert (len(await there(chat)), len(await there(chat, "globex"))) == (0, 1)
