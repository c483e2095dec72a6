"""What every store must do with sessions."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace

import pytest

from handgriff.core.batch import ClaimEffect, CreateSession, DeleteSession, IntroduceSeen, IntroduceTyped, PinSession
from handgriff.core.rows import EffectState, Session
from handgriff.core.state import Totals
from handgriff.ports.store import CommitRefused, Store
from handgriff.testing.samples import EFFECT, FULL_SESSION, PINNED, SESSION, START, TENANT, USER, at, create, furnish, put, say


class SessionSuite:
    """Creating, finding, listing, pinning and deleting."""

    async def test_a_created_session_is_read_back_whole(self, store: Store) -> None:
        await store.commit((CreateSession(FULL_SESSION),))

        assert await store.session(TENANT, "s1") == FULL_SESSION

    async def test_an_unknown_session_is_none(self, store: Store) -> None:
        assert await store.session(TENANT, "s1") is None
        assert await store.session_by_alias(TENANT, USER, "thread-1") is None
        assert list(await store.sessions(TENANT, USER)) == []

    async def test_an_id_is_taken_once_in_a_tenant(self, store: Store) -> None:
        await store.commit((CreateSession(SESSION),))

        with pytest.raises(CommitRefused) as refused:
            await store.commit((CreateSession(replace(SESSION, user="bob")),))
        assert (refused.value.guard, refused.value.subject) == ("session", "s1")
        assert await store.session(TENANT, "s1") == SESSION

        await store.commit((create(tenant="globex"),))
        assert await store.session("globex", "s1") == replace(SESSION, tenant="globex")

    async def test_an_alias_stands_for_one_session_of_its_user(self, store: Store) -> None:
        mine = replace(SESSION, alias="thread")
        others = (replace(mine, user="bob", id="s2"), replace(mine, tenant="globex"))
        await store.commit((CreateSession(mine), *map(CreateSession, others)))

        assert await store.session_by_alias(TENANT, USER, "thread") == mine
        assert await store.session_by_alias(TENANT, "bob", "thread") == others[0]
        assert await store.session_by_alias("globex", USER, "thread") == others[1]
        assert await store.session_by_alias("globex", "bob", "thread") is None

    async def test_a_taken_alias_is_refused_until_its_session_is_deleted(self, store: Store) -> None:
        await store.commit((CreateSession(replace(SESSION, alias="thread")),))
        again = CreateSession(replace(SESSION, id="s2", alias="thread"))

        with pytest.raises(CommitRefused) as refused:
            await store.commit((again,))
        assert (refused.value.guard, refused.value.subject) == ("alias", "thread")
        assert await store.session(TENANT, "s2") is None

        await store.commit((DeleteSession(TENANT, "s1"), again))
        assert await store.session_by_alias(TENANT, USER, "thread") == again.session

    async def test_where_id_and_alias_are_taken_the_id_is_named(self, store: Store) -> None:
        await store.commit((CreateSession(FULL_SESSION),))

        with pytest.raises(CommitRefused) as refused:
            await store.commit((CreateSession(FULL_SESSION),))
        assert refused.value.guard == "session"

    async def test_sessions_come_newest_first_and_only_their_users(self, store: Store) -> None:
        times = {"old": 0.0, "new": 2.0, "middle": 1.0}
        mine = [CreateSession(Session(TENANT, USER, name, at(seconds))) for name, seconds in times.items()]
        await store.commit((*mine, create("bobs", user="bob"), create("foreign", tenant="globex")))

        assert [session.id for session in await store.sessions(TENANT, USER)] == ["new", "middle", "old"]
        assert [session.id for session in await store.sessions(TENANT, USER, limit=2)] == ["new", "middle"]
        assert [session.id for session in await store.sessions(TENANT, USER, before="new")] == ["middle", "old"]

    async def test_pages_of_sessions_of_one_moment_hold_each_once(self, store: Store) -> None:
        names = [f"s{n}" for n in range(7)]
        await store.commit(tuple(create(name) for name in names))

        seen: list[str] = []
        while page := await store.sessions(TENANT, USER, before=seen[-1] if seen else None, limit=2):
            seen += [session.id for session in page]
            await store.commit((CreateSession(Session(TENANT, USER, f"later{len(seen)}", at(len(seen)))),))
        assert seen == sorted(names, reverse=True)

    async def test_a_page_before_somebody_elses_session_is_empty(self, store: Store) -> None:
        await store.commit((create("s1"), CreateSession(Session(TENANT, "bob", "s2", at(1)))))

        assert list(await store.sessions(TENANT, USER, before="s2")) == []
        assert list(await store.sessions(TENANT, USER, before="never")) == []

    async def test_what_is_pinned_stays_for_life(self, store: Store) -> None:
        await store.commit((create(),))

        await store.commit((PinSession(TENANT, "s1", PINNED, "Orders"),))
        await store.commit((PinSession(TENANT, "s1", PINNED),))
        with pytest.raises(CommitRefused) as refused:
            await store.commit((PinSession(TENANT, "s1", replace(PINNED, context="Today is Tuesday."), "Other"),))

        assert (refused.value.guard, refused.value.subject) == ("session", "s1")
        assert await store.session(TENANT, "s1") == replace(SESSION, pinned=PINNED, title="Orders")

    async def test_an_unknown_session_cannot_be_pinned(self, store: Store) -> None:
        with pytest.raises(CommitRefused) as refused:
            await store.commit((PinSession(TENANT, "s1", PINNED),))
        assert refused.value.guard == "session"

    async def test_deleting_takes_all_that_is_the_sessions(self, store: Store) -> None:
        await store.commit((*furnish("s1"), *furnish("s2")))

        await store.commit((DeleteSession(TENANT, "s1"), DeleteSession(TENANT, "never")))

        assert await store.session(TENANT, "s1") is None
        assert list(await store.events(TENANT, "s1")) == []
        assert await store.values(TENANT, "session", "s1") == {}
        assert await store.totals(TENANT, "session", "s1") == Totals()
        assert [record.session for record in await store.records(TENANT, now=START)] == ["s2"]
        assert await store.seen(TENANT, "s1", "order", "o_17") is None
        assert await store.seen(TENANT, "s1", "order", "o_99") is None
        assert [effect.session for effect in await store.effects(TENANT)] == ["s2"]
        assert [proposal.session for proposal in await store.proposals(TENANT)] == ["s2"]
        assert [hook.session for hook in await store.hooks(TENANT)] == ["s2"]

    async def test_deleting_can_keep_young_effects_and_what_must_follow_them(self, store: Store) -> None:
        await store.commit(furnish("s1"))
        [effect] = await store.effects(TENANT)

        await store.commit((DeleteSession(TENANT, "s1", effect.claimed_at),))

        assert await store.session(TENANT, "s1") is None
        assert list(await store.effects(TENANT)) == [effect]
        assert [hook.session for hook in await store.hooks(TENANT)] == ["s1"]
        assert list(await store.proposals(TENANT)) == []

    async def test_deleting_removes_settled_effects_older_than_what_is_kept(self, store: Store) -> None:
        """What nobody knows yet stays known to be unknown."""
        states: tuple[EffectState, ...] = ("running", "done", "failed", "indeterminate")
        old = [ClaimEffect(replace(EFFECT, key=state, state=state)) for state in states]
        young = [ClaimEffect(replace(EFFECT, key=f"young {state}", state=state, claimed_at=at(1))) for state in states]
        await store.commit((create(), *old, *young))

        await store.commit((DeleteSession(TENANT, "s1", at(1)),))

        assert [effect.key for effect in await store.effects(TENANT)] == [
            "running",
            "indeterminate",
            *(f"young {state}" for state in states),
        ]

    async def test_deleting_leaves_the_ledger_shared_state_and_other_sessions(self, store: Store) -> None:
        await store.commit((*furnish("s1"), *furnish("s2")))

        await store.commit((DeleteSession(TENANT, "s1"),))

        assert [request.session for request in await store.requests(TENANT)] == ["s1", "s2"]
        assert (await store.values(TENANT, "app", ""))["brand"].text == '"s2"'
        assert (await store.values(TENANT, "user", USER))["name"].text == '"s2"'
        assert [event.seq for event in await store.events(TENANT, "s2")] == [1, 2, 3, 4, 5]
        assert await store.seen(TENANT, "s2", "order", "o_17") == "introduced"
        assert await store.seen(TENANT, "s2", "order", "o_99") == "typed"

    async def test_a_deleted_session_is_not_brought_back(self, store: Store) -> None:
        await store.commit((create(), say("e1"), DeleteSession(TENANT, "s1")))

        for write in (say("e2"), put("k", "1"), IntroduceSeen(TENANT, "s1", (("order", "o_17"),)), IntroduceTyped(TENANT, "s1", "o_17")):
            with pytest.raises(CommitRefused) as refused:
                await store.commit((write,))
            assert (refused.value.guard, refused.value.subject) == ("session", "s1")

    async def test_a_session_is_written_no_more_after_its_deletion_in_one_batch(self, store: Store) -> None:
        with pytest.raises(CommitRefused):
            await store.commit((create(), say("e1"), DeleteSession(TENANT, "s1"), put("k", "1")))
        assert await store.session(TENANT, "s1") is None
