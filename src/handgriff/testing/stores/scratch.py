"""What every store must do with a scratch record: one deadline for all of it, and nothing of it afterwards."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

import pytest

from handgriff.core.batch import DeleteSession, RenewScratch
from handgriff.core.delta import Append, Clear, Delete, Expect, Increment, Remove, Set, Value
from handgriff.ports.store import Store
from handgriff.testing.samples import TENANT, at, change, create, jot, put, renew
from handgriff.testing.stores.answers import deadline, note, notes, refusal, texts

MOMENT = 0.001


class ScratchSuite:
    """Records, deadlines, and what begins after them."""

    async def test_a_record_is_read_back_whole(self, store: Store) -> None:
        await store.commit((create(), change(renew(), Set("scratch", "b", "1", "notes"), Set("scratch", "a", '"x"', "notes"))))

        record = await store.record(TENANT, "s1", "notes", now=at(0))
        assert record is not None
        assert (record.tenant, record.session, record.namespace, record.expires_at) == (TENANT, "s1", "notes", at(60))
        assert {key: value.text for key, value in record.values.items()} == {"a": '"x"', "b": "1"}
        assert list(await store.records(TENANT, now=at(0))) == [record]

    async def test_where_nothing_was_written_there_is_no_record(self, store: Store) -> None:
        await store.commit((create(), put("k", "1")))

        assert await notes(store) is None
        assert await notes(store, session="never") is None
        assert list(await store.records(TENANT, now=at(0))) == []

    async def test_a_record_is_there_until_its_deadline_and_not_at_it(self, store: Store) -> None:
        """B001: all keys of a record share one deadline. P10: absent at once on every read."""
        await store.commit((create(), jot("a", "1", until=60), jot("b", "2", now=1, until=60)))

        assert await notes(store, now=60 - MOMENT) == {"a": "1", "b": "2"}
        assert len(await store.records(TENANT, session="s1", now=at(60 - MOMENT))) == 1
        for late in (60, 60 + MOMENT, 9_999):
            assert await notes(store, now=late) is None
            assert list(await store.records(TENANT, now=at(late))) == []
            assert list(await store.records(TENANT, session="s1", now=at(late))) == []

    async def test_a_write_never_brings_a_deadline_nearer(self, store: Store) -> None:
        """B002: at every moment there is one deadline, the latest that was given."""
        await store.commit((create(), jot("a", "1", until=100)))

        await store.commit((jot("b", "1", now=30, until=50),))
        assert await deadline(store, now=40) == 100
        await store.commit((jot("c", "1", now=31, until=100), jot("c", "1", now=32, until=99.999)))
        assert await deadline(store, now=40) == 100

        await store.commit((jot("d", "1", now=40, until=140),))
        assert await deadline(store, now=40) == 140
        assert await notes(store, now=139) == dict.fromkeys("abcd", "1")

    async def test_a_write_after_the_deadline_begins_a_new_record(self, store: Store) -> None:
        await store.commit((create(), jot("old", "1", until=60), change(renew(until=60), Append("scratch", "list", "1", "notes"))))

        late = change(renew(now=60, until=70), Append("scratch", "list", "2", "notes"), Expect("scratch", "old", None, "notes"))
        await store.commit((late,))

        assert await notes(store, now=65) == {"list": "[2]"}
        assert await deadline(store, now=65) == 70

    async def test_a_write_just_before_the_deadline_goes_on_with_the_record(self, store: Store) -> None:
        await store.commit((create(), jot("old", "1", until=60)))

        await store.commit((jot("new", "2", now=60 - MOMENT, until=90),))

        assert await notes(store, now=89) == {"old": "1", "new": "2"}

    async def test_versions_of_a_record_count_its_writes(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1"), jot("k", "1", now=1), jot("l", "1", now=1)))
        first, second = await note(store, "k", now=1), await note(store, "l", now=1)

        assert first.version == second.version + 1
        swap = (Expect("scratch", "k", first.version, "notes"), Set("scratch", "k", "2", "notes"))
        await store.commit((change(renew(now=2), *swap),))
        assert await refusal(store, change(renew(now=3), *swap)) == ("state", "k")
        assert await note(store, "k", now=3) == Value("2", first.version + 1)

    async def test_no_guard_of_an_older_record_fits_a_newer_one(self, store: Store) -> None:
        """P9: also where the old record was cleared, or removed, before the new one began."""
        await store.commit((create(), *(jot("k", "1", now=n / 1000, until=10) for n in range(20))))
        old = [await note(store, "k", now=1)]

        await store.commit((jot("k", "1", now=10, until=20),))
        old.append(await note(store, "k", now=11))
        await store.commit((change(renew(now=12, until=20), Clear("notes"), Set("scratch", "k", "1", "notes")),))
        old.append(await note(store, "k", now=13))
        await store.commit((change(Clear("notes")), jot("k", "1", now=14, until=20)))
        old.append(await note(store, "k", now=15))

        assert len({value.version for value in old}) == 4
        for value in old[:-1]:
            guard = Expect("scratch", "k", value.version, "notes")
            assert await refusal(store, change(renew(now=16, until=20), guard)) == ("state", "k")

    async def test_a_deleted_note_goes_on_counting_while_its_record_lives(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1")))
        before = await note(store, "k")

        await store.commit((change(renew(), Delete("scratch", "k", "notes")), jot("k", "1")))

        assert await note(store, "k") == Value("1", before.version + 2)

    async def test_records_come_by_session_and_namespace(self, store: Store) -> None:
        await store.commit((create("s2"), create("s1"), create("s1", tenant="globex")))
        await store.commit(tuple(jot("k", "1", name, session=session) for session in ("s2", "s1") for name in ("b", "a", "_")))
        await store.commit((jot("k", "1", tenant="globex"), jot("k", "1", "short", until=5)))

        assert [(record.session, record.namespace) for record in await store.records(TENANT, now=at(5))] == [
            *(("s1", name) for name in ("_", "a", "b")),
            *(("s2", name) for name in ("_", "a", "b")),
        ]
        assert [record.namespace for record in await store.records(TENANT, session="s1", now=at(0))] == ["_", "a", "b", "short"]
        assert list(await store.records("nobody", now=at(0))) == []

    async def test_no_two_records_share_a_place(self, store: Store) -> None:
        places = [("a_b", "c"), ("a", "b_c"), ("a", "c"), ("b_c", "a"), ("a-b", "c"), ("A", "c"), ("a", "C"), ("c", "a")]
        await store.commit(tuple(create(session) for session in sorted({session for _, session in places})))
        await store.commit(tuple(jot("k", f'"{number}"', name, session=session) for number, (name, session) in enumerate(places)))

        for number, (name, session) in enumerate(places):
            assert await notes(store, name, session=session) == {"k": f'"{number}"'}
        await store.commit((change(Clear("a_b"), session="c"), DeleteSession(TENANT, "b_c")))
        left = {(record.namespace, record.session) for record in await store.records(TENANT, now=at(0))}
        assert left == set(places[2:])

    async def test_a_record_is_not_a_scope_of_its_session(self, store: Store) -> None:
        await store.commit((create(), jot("k", "1", "s1"), put("k", "2")))

        assert await texts(store) == {"k": "2"}
        assert await notes(store, "s1") == {"k": "1"}

    async def test_deleting_a_session_takes_its_records_along_and_no_others(self, store: Store) -> None:
        """B001: nothing is left that refers to it."""
        await store.commit((create("s1"), create("s2"), create("s1", tenant="globex")))
        await store.commit((jot("k", "1"), jot("k", "1", "other"), jot("k", "1", session="s2"), jot("k", "1", tenant="globex")))

        await store.commit((DeleteSession(TENANT, "s1"), create("s1")))

        assert [record.session for record in await store.records(TENANT, now=at(0))] == ["s2"]
        assert len(await store.records("globex", now=at(0))) == 1
        await store.commit((change(renew(), Increment("scratch", "k", 1, "notes"), Remove("scratch", "l", "1", "notes")),))
        assert await notes(store) == {"k": "1"}

    @pytest.mark.parametrize("durable", [False, True])
    async def test_a_failed_batch_neither_prolongs_nor_clears_nor_lets_go_of_what_is_expired(self, store: Store, *, durable: bool) -> None:
        await store.commit((create(), jot("k", "1", until=60), jot("k", "1", "over", until=1)))

        batch = (
            RenewScratch(TENANT, "s1", "notes", at(1), at(99)),
            change(Clear("notes")),
            jot("k", "2", "over", now=2, until=99),
            change(Expect("session", "k", 7)),
        )
        assert await refusal(store, *batch, durable=durable) == ("state", "k")

        assert await deadline(store) == 60
        assert await notes(store, "over") == {"k": "1"}
        assert await notes(store, "over", now=2) is None
