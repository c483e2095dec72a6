"""What every store must do with a fork: the copy of a session up to an event, and two conversations from there on."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

import pytest

from handgriff.core.batch import CreateSession, DeleteSession, ForkSession, IntroduceSeen, IntroduceTyped, Operation
from handgriff.core.delta import Expect, Set, Value
from handgriff.core.rows import Session
from handgriff.core.state import Totals
from handgriff.ports.store import Store
from handgriff.testing.samples import PINNED, SESSION, START, TENANT, USER, at, change, create, furnish, hold, jot, put, say
from handgriff.testing.stores.answers import refusal, texts

NEW = Session(TENANT, USER, "s2", at(100))
TALK: tuple[Operation, ...] = (
    create(),
    say("e1", "one"),
    IntroduceSeen(TENANT, "s1", (("order", "o_1"),)),
    IntroduceTyped(TENANT, "s1", "about o_11"),
    change(Set("session", "k", "1"), event="e2"),
    IntroduceSeen(TENANT, "s1", (("order", "o_2"), ("order", "o_1"))),
    IntroduceTyped(TENANT, "s1", "about o_22"),
    say("e3", "three"),
    IntroduceSeen(TENANT, "s1", (("order", "o_3"),)),
    IntroduceTyped(TENANT, "s1", "about o_33"),
)
"""Three events, each followed by a value that was introduced and one that was typed."""


class ForkSuite:
    """Copied, then independent."""

    async def test_a_fork_holds_the_events_up_to_its_point_with_their_seqs_and_ids(self, store: Store) -> None:
        await store.commit((*TALK, _fork(2)))

        assert list(await store.events(TENANT, "s2")) == list(await store.events(TENANT, "s1", limit=2))
        assert await store.session(TENANT, "s2") == replace(NEW, head=2)
        assert len(await store.events(TENANT, "s1")) == 3

    @pytest.mark.parametrize(("upto", "introduced", "typed"), [(0, "", ""), (1, "1", "1"), (2, "12", "12"), (3, "123", "123")])
    async def test_a_fork_has_seen_what_was_seen_up_to_its_point(self, store: Store, upto: int, introduced: str, typed: str) -> None:
        await store.commit((*TALK, _fork(upto)))

        assert [n for n in "123" if await store.seen(TENANT, "s2", "order", f"o_{n}")] == list(introduced)
        assert [n for n in "123" if await store.seen(TENANT, "s2", "order", f"o_{n}{n}")] == list(typed)
        assert [n for n in "123" if await store.seen(TENANT, "s1", "order", f"o_{n}")] == ["1", "2", "3"]

    async def test_a_fork_holds_the_values_it_is_given_and_no_notes(self, store: Store) -> None:
        await store.commit((*TALK, jot("k", "1"), _fork(2, k="7", other="null")))

        assert await store.values(TENANT, "session", "s2") == {"k": Value("7", 1), "other": Value("null", 1)}
        assert await store.totals(TENANT, "session", "s2") == Totals(2, 11)
        assert await texts(store) == {"k": "1"}
        assert [record.session for record in await store.records(TENANT, now=START)] == ["s1"]

    async def test_a_fork_and_its_source_go_on_by_themselves(self, store: Store) -> None:
        await store.commit((*TALK, _fork(2, k="1")))

        assert (await store.commit((say("e3", "another", session="s2"), put("k", "2", session="s2"), say("e4")))).seqs == (3, 4, 4)
        await store.commit((IntroduceSeen(TENANT, "s2", (("order", "o_9"),)), change(Expect("session", "k", 2), session="s2")))

        assert [event.id for event in await store.events(TENANT, "s1")] == ["e1", "e2", "e3", "e4"]
        assert await texts(store) == {"k": "1"}
        assert await texts(store, owner="s2") == {"k": "2"}
        assert await store.seen(TENANT, "s1", "order", "o_9") is None
        await store.commit((DeleteSession(TENANT, "s1"),))
        assert len(await store.events(TENANT, "s2")) == 5
        assert await store.seen(TENANT, "s2", "order", "o_2") == "introduced"

    async def test_a_copied_event_is_delivered_again_with_its_old_answer(self, store: Store) -> None:
        """P7: the copy knows the ids it holds, and no others."""
        await store.commit((*TALK, _fork(2, k="1")))

        again = change(Set("session", "k", "1"), event="e2", session="s2")
        assert (await store.commit((again, say("e1", "one", session="s2")))).seqs == (2, 1)
        assert await refusal(store, say("e1", "other", session="s2")) == ("event", "e1")
        assert (await store.commit((say("e3", "other", session="s2"),))).seqs == (3,)
        assert await store.values(TENANT, "session", "s2") == {"k": Value("1", 1)}

    async def test_a_fork_of_nothing_is_empty_and_past_the_end_it_ends_at_the_end(self, store: Store) -> None:
        await store.commit((*TALK, _fork(0), replace(_fork(99), session=replace(NEW, id="s3"))))

        assert list(await store.events(TENANT, "s2")) == []
        assert await store.session(TENANT, "s2") == NEW
        assert list(await store.events(TENANT, "s3")) == list(await store.events(TENANT, "s1"))
        assert (await store.commit((say("e9", session="s2"), say("e9", session="s3")))).seqs == (1, 4)

    async def test_a_fork_keeps_what_its_session_is_given_for_life(self, store: Store) -> None:
        new = replace(NEW, pinned=PINNED, title="Copy", alias="thread-2")
        await store.commit((*TALK, hold("t1"), replace(_fork(3), session=new)))

        assert await store.session(TENANT, "s2") == replace(new, head=3)
        assert await store.session_by_alias(TENANT, USER, "thread-2") == replace(new, head=3)
        source = await store.session(TENANT, "s1")
        assert source is not None
        assert (source.pinned, source.lease.turn) == (None, "t1")

    async def test_the_fork_of_a_fork_is_a_copy_too(self, store: Store) -> None:
        await store.commit((*TALK, _fork(2), ForkSession("s2", replace(NEW, id="s3"), 1, ()), DeleteSession(TENANT, "s2")))

        assert [event.id for event in await store.events(TENANT, "s3")] == ["e1"]
        assert await store.seen(TENANT, "s3", "order", "o_1") == "introduced"
        assert await store.seen(TENANT, "s3", "order", "o_2") is None

    async def test_a_fork_may_belong_to_another_user(self, store: Store) -> None:
        await store.commit((*TALK, replace(_fork(1), session=replace(NEW, user="bob"))))

        assert [session.id for session in await store.sessions(TENANT, "bob")] == ["s2"]
        assert [session.id for session in await store.sessions(TENANT, USER)] == ["s1"]

    async def test_effects_proposals_and_hooks_are_not_copied(self, store: Store) -> None:
        await store.commit((*furnish("s1"), _fork(5)))

        assert {effect.session for effect in await store.effects(TENANT)} == {"s1"}
        assert {proposal.session for proposal in await store.proposals(TENANT)} == {"s1"}
        assert {hook.session for hook in await store.hooks(TENANT)} == {"s1"}
        assert {request.session for request in await store.requests(TENANT)} == {"s1"}

    async def test_an_id_or_alias_that_is_taken_is_refused_and_nothing_copied(self, store: Store) -> None:
        taken = replace(SESSION, id="taken", alias="thread")
        await store.commit((*TALK, CreateSession(taken)))

        assert await refusal(store, _fork(2), replace(_fork(2), session=replace(NEW, id="taken"))) == ("session", "taken")
        assert await refusal(store, replace(_fork(2), session=replace(NEW, id="s1"))) == ("session", "s1")
        assert await refusal(store, replace(_fork(2), session=replace(NEW, alias="thread"))) == ("alias", "thread")
        assert await store.session(TENANT, "s2") is None
        assert list(await store.events(TENANT, "s2")) == list(await store.events(TENANT, "taken")) == []

    async def test_an_unknown_source_is_refused_also_that_of_another_tenant(self, store: Store) -> None:
        """B129."""
        await store.commit((*TALK, create("theirs", tenant="globex")))

        for source in ("never", "theirs"):
            assert await refusal(store, say("e9"), replace(_fork(1), source=source)) == ("session", source)
        assert await refusal(store, replace(_fork(1), session=replace(NEW, tenant="globex"))) == ("session", "s1")
        assert await store.session(TENANT, "s2") is None


def _fork(upto: int, **values: str) -> ForkSession:
    return ForkSession("s1", NEW, upto, tuple(values.items()))
