"""What every store must do when a scratch record is cleared, or prolonged by who only reads it."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from handgriff.core.batch import RenewScratch
from handgriff.core.delta import Append, Clear, Expect, Increment, Set
from handgriff.ports.store import Store
from handgriff.testing.samples import TENANT, at, change, create, jot, renew
from handgriff.testing.stores.answers import deadline, note, notes, refusal

MOMENT = 0.001


class ClearSuite:
    """Gone, or there for longer; never back."""

    async def test_clearing_removes_the_record_with_its_deadline(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1", until=100), jot("k", "1", "other")))

        await store.commit((change(Clear("notes"), Clear("never")),))
        assert await notes(store) is None
        assert [record.namespace for record in await store.records(TENANT, now=at(0))] == ["other"]

        await store.commit((jot("l", "1", until=5),))
        assert await notes(store) == {"l": "1"}
        assert await deadline(store) == 5

    async def test_what_is_written_after_clearing_begins_a_new_record(self, store: Store) -> None:
        await store.commit((create(), jot("k", "[1]", until=100), jot("l", "1", until=100)))

        writes = (Append("scratch", "k", "2", "notes"), Clear("notes"), Append("scratch", "k", "3", "notes"))
        await store.commit((change(renew(now=1, until=50), *writes),))

        assert await notes(store, now=1) == {"k": "[3]"}
        assert await deadline(store, now=1) == 50

    async def test_a_record_written_and_cleared_in_one_delta_is_none(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1")))

        await store.commit((change(renew(now=1), Set("scratch", "l", "1", "notes"), Clear("notes")),))

        assert await notes(store, now=1) is None

    async def test_a_guard_is_looked_at_before_the_record_is_cleared(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1")))
        version = (await note(store, "k")).version

        stale = (Clear("notes"), Expect("scratch", "k", version + 1, "notes"))
        assert await refusal(store, change(renew(now=1), *stale)) == ("state", "k")
        assert await notes(store, now=1) == {"k": "1"}
        await store.commit((change(renew(now=1), Clear("notes"), Expect("scratch", "k", version, "notes")),))
        assert await notes(store, now=1) is None

    async def test_prolonging_moves_the_deadline_of_a_living_record_and_never_nearer(self, store: Store) -> None:
        """B005: reading alone keeps it alive where it was asked for."""
        await store.commit((create(), jot("k", "1", until=60)))

        await store.commit((_prolong(now=60 - MOMENT, until=120), _prolong(now=60 - MOMENT, until=70)))

        assert await deadline(store, now=61) == 120
        assert await notes(store, now=119) == {"k": "1"}

    async def test_prolonging_revives_nothing_and_makes_nothing(self, store: Store) -> None:
        """B004."""
        await store.commit((create(), jot("k", "1", until=60), jot("k", "1", "cleared", until=60), change(Clear("cleared"))))

        for now in (60, 61):
            await store.commit((_prolong(now=now, until=120), _prolong("cleared", now=10, until=120), _prolong("never", now=10, until=120)))
        await store.commit((RenewScratch(TENANT, "never", "notes", at(0), at(120)),))

        assert list(await store.records(TENANT, now=at(60))) == []
        assert [record.namespace for record in await store.records(TENANT, now=at(0))] == ["notes"]
        await store.commit((change(renew(now=61, until=90), Increment("scratch", "k", 5, "notes")),))
        assert await notes(store, now=62) == {"k": "5"}


def _prolong(namespace: str = "notes", *, now: float, until: float) -> RenewScratch:
    return RenewScratch(TENANT, "s1", namespace, at(now), at(until))
