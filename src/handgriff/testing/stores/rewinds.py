"""What every store must do with a rewind: remove what came after an event for good, and never count backwards."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

import pytest

from handgriff.core.batch import ForkSession, HoldProposal, RewindSession
from handgriff.core.delta import Delete, Expect, Set, Value
from handgriff.core.rows import Session
from handgriff.ports.store import Store
from handgriff.testing.samples import PROPOSAL, SESSION, START, TENANT, USER, at, change, create, furnish, hold, jot, put, say
from handgriff.testing.stores.answers import notes, refusal, texts, versions
from handgriff.testing.stores.forks import TALK


class RewindSuite:
    """Cut back, then on."""

    async def test_what_came_after_is_gone_for_good(self, store: Store) -> None:
        await store.commit((*TALK, _rewind(3, 1)))

        assert [(event.seq, event.id) for event in await store.events(TENANT, "s1")] == [(1, "e1")]
        assert list(await store.events(TENANT, "s1", after=1)) == []
        await store.commit((ForkSession("s1", Session(TENANT, USER, "s2", START), 3, ()),))
        assert [event.id for event in await store.events(TENANT, "s2")] == ["e1"]

    @pytest.mark.parametrize(("to", "seen"), [(0, ""), (1, "1"), (2, "12"), (3, "123")])
    async def test_only_what_was_seen_up_to_there_is_seen(self, store: Store, to: int, seen: str) -> None:
        await store.commit((*TALK, _rewind(3, to)))

        assert [n for n in "123" if await store.seen(TENANT, "s1", "order", f"o_{n}")] == list(seen)
        assert [n for n in "123" if await store.seen(TENANT, "s1", "order", f"o_{n}{n}")] == list(seen)

    async def test_the_next_seq_goes_on_from_the_old_head(self, store: Store) -> None:
        await store.commit((*TALK, _rewind(3, 1)))
        assert await store.session(TENANT, "s1") == replace(SESSION, head=3, active_at=START)

        assert (await store.commit((say("e4"),))).seqs == (4,)
        assert [event.seq for event in await store.events(TENANT, "s1")] == [1, 4]
        assert [event.seq for event in await store.events(TENANT, "s1", after=1, limit=1)] == [4]

        await store.commit((_rewind(4, 0),))
        assert (await store.commit((say("e5"), say("e1", "one")))).seqs == (5, 6)

    async def test_the_id_of_a_removed_event_is_free_again(self, store: Store) -> None:
        await store.commit((*TALK, _rewind(3, 1)))

        assert (await store.commit((say("e2", "something else"), say("e1", "one")))).seqs == (4, 1)

    async def test_state_becomes_what_it_is_given_and_goes_on_counting(self, store: Store) -> None:
        await store.commit((create(), put("same", "1"), put("changed", "1"), put("gone", "1"), put("changed", "2"), put("was", "1")))
        await store.commit((change(Delete("session", "was"), Delete("session", "never")),))

        await store.commit((_rewind(6, 2, same="1", changed="1", new="[]"),))

        assert await store.values(TENANT, "session", "s1") == {"same": Value("1", 1), "changed": Value("1", 3), "new": Value("[]", 1)}
        await store.commit((put("gone", "1"), put("was", "1")))
        assert await versions(store) == {"same": 1, "changed": 3, "new": 1, "gone": 3, "was": 3}

    async def test_no_guard_from_before_fits_what_a_rewind_changed(self, store: Store) -> None:
        await store.commit((create(), put("changed", "1"), put("gone", "1"), put("same", "1")))

        await store.commit((_rewind(3, 0, changed="2", same="1"),))

        for key in ("changed", "gone"):
            assert await refusal(store, change(Expect("session", key, 1))) == ("state", key)
        await store.commit((change(Expect("session", "same", 1), Expect("session", "gone", None)),))

    async def test_a_rewind_is_refused_where_something_was_appended_meanwhile(self, store: Store) -> None:
        await store.commit((*TALK, say("late")))

        for head in (0, 3, 4, 6):
            assert await refusal(store, say("e9"), _rewind(head, 1)) == ("session", "s1")
        assert await refusal(store, replace(_rewind(0, 0), session="never")) == ("session", "never")
        assert len(await store.events(TENANT, "s1")) == 4
        assert await texts(store) == {"k": "1"}

    async def test_the_proposals_it_names_are_gone_and_no_others(self, store: Store) -> None:
        held = [replace(PROPOSAL, id=f"p{n}") for n in (1, 2, 3)]
        foreign = HoldProposal(replace(PROPOSAL, tenant="globex", id="p2"))
        await store.commit((*TALK, *map(HoldProposal, held), foreign))

        await store.commit((replace(_rewind(3, 1), proposals=("p2", "p3", "never")),))

        assert [proposal.id for proposal in await store.proposals(TENANT)] == ["p1"]
        assert [proposal.id for proposal in await store.proposals("globex")] == ["p2"]

    async def test_effects_hooks_ledger_lease_and_what_is_shared_stay(self, store: Store) -> None:
        await store.commit((*furnish("s1"), hold("t1")))
        before = [list(await store.effects(TENANT)), list(await store.hooks(TENANT)), list(await store.requests(TENANT))]
        lease = await _lease(store)

        await store.commit((_rewind(5, 0),))

        assert [list(await store.effects(TENANT)), list(await store.hooks(TENANT)), list(await store.requests(TENANT))] == before
        assert await _lease(store) == lease
        assert await texts(store) == {}
        assert await texts(store, "user") == {"name": '"s1"'}
        assert await texts(store, "app") == {"brand": '"s1"'}
        assert await notes(store) == {"note": '"s1"'}

    async def test_other_sessions_stay_as_they_are(self, store: Store) -> None:
        await store.commit((*furnish("s1"), *furnish("s2"), create("s1", tenant="globex"), say("e1", tenant="globex")))

        await store.commit((_rewind(5, 0),))

        assert len(await store.events(TENANT, "s2")) == 5
        assert len(await store.events("globex", "s1")) == 1
        assert await texts(store, owner="s2") == {"topic": '"s2"'}
        assert await store.seen(TENANT, "s2", "order", "o_17") == "introduced"

    async def test_a_rewind_to_the_head_removes_nothing_and_can_be_undone_by_nobody(self, store: Store) -> None:
        await store.commit((*TALK, jot("k", "1"), _rewind(4, 4, k="1"), _rewind(4, 4, k="1")))

        assert len(await store.events(TENANT, "s1")) == 4
        assert await store.values(TENANT, "session", "s1") == {"k": Value("1", 1)}
        assert (await store.commit((change(Set("session", "k", "1"), event="e2"),))).seqs == (2,)

    async def test_a_session_stays_as_old_as_its_last_event_was(self, store: Store) -> None:
        late = say("late")
        await store.commit((*TALK, replace(late, event=replace(late.event, at=at(50)))))

        await store.commit((_rewind(4, 1),))

        assert list(await store.idle(TENANT, at(50))) == []
        assert list(await store.idle(TENANT, at(51))) == ["s1"]


def _rewind(head: int, to: int, **values: str) -> RewindSession:
    return RewindSession(TENANT, "s1", head, to, tuple(values.items()))


async def _lease(store: Store) -> object:
    session = await store.session(TENANT, "s1")
    assert session is not None
    return session.lease
