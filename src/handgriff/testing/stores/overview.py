"""What every store must answer about many sessions: what they hold, who is idle, and what a crash left behind."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

from handgriff.core.batch import (
    AppendEvent,
    ClaimEffect,
    CreateSession,
    DeleteSession,
    DeliverHook,
    OpenRequest,
    QueueHook,
    ReleaseLease,
    RenewLease,
    SettleEffect,
)
from handgriff.core.delta import Delete, Value
from handgriff.core.rows import Lease, Session
from handgriff.ports.store import Store
from handgriff.testing.samples import EFFECT, HOOK, REQUEST, SESSION, START, TENANT, USER, at, change, create, hold, jot, put, say
from handgriff.testing.stores.answers import refusal


class OverviewSuite:
    """Reads that look after everybody."""

    async def test_the_state_of_many_sessions_is_read_at_once(self, store: Store) -> None:
        await store.commit((create("s1"), create("s2"), create("s3"), create("empty"), create("s1", tenant="globex")))
        await store.commit((put("a", "1"), put("b", "null"), put("a", "2", session="s2"), put("k", "1", session="s3")))
        await store.commit((change(Delete("session", "k"), session="s3"), put("foreign", "1", tenant="globex"), jot("n", "1")))
        await store.commit((put("k", "1", "user"), put("k", "1", "app")))

        assert await store.session_values(TENANT, ["s2", "s1", "s3", "empty", "never", "s1"]) == {
            "s1": {"a": Value("1", 1), "b": Value("null", 1)},
            "s2": {"a": Value("2", 1)},
        }
        assert await store.session_values(TENANT, []) == await store.session_values("nobody", ["s1"]) == {}

    async def test_a_session_is_active_when_its_last_event_was(self, store: Store) -> None:
        await store.commit((create(),))
        assert await store.session(TENANT, "s1") == SESSION

        await store.commit((_say_at("e1", 5),))
        assert await _active(store) == 5
        await store.commit((_say_at("e2", 3),))
        assert await _active(store) == 5
        await store.commit((_say_at("e3", 5.000_001), _say_at("e1", 5)))
        assert await _active(store) == 5.000_001

        await store.commit((hold("t1", now=9, until=39), put("k", "1")))
        assert await _active(store) == 5.000_001

    async def test_an_event_from_before_the_creation_makes_no_session_older_than_it_is(self, store: Store) -> None:
        await store.commit((create(), _say_at("e1", -50)))

        assert await _active(store) == 0

    async def test_idle_sessions_come_longest_idle_first(self, store: Store) -> None:
        await store.commit((create("new"), create("b"), create("a"), create("old"), create("silent"), create("x", tenant="globex")))
        await store.commit((_say_at("e1", 9, "new"), _say_at("e1", 3, "b"), _say_at("e1", 3, "a"), _say_at("e1", 1, "old")))

        assert list(await store.idle(TENANT, at(9))) == ["silent", "old", "a", "b"]
        assert list(await store.idle(TENANT, at(9.000_001))) == ["silent", "old", "a", "b", "new"]
        assert list(await store.idle(TENANT, at(3), limit=1)) == ["silent"]
        assert list(await store.idle(TENANT, at(0))) == list(await store.idle("nobody", at(9))) == []

    async def test_what_is_idle_can_be_deleted_as_it_was_listed(self, store: Store) -> None:
        """B007: unless it came to life in between."""
        await store.commit((create("a"), create("b"), create("c")))
        await store.commit((_say_at("e1", 5, "a"), _say_at("e1", 5, "b")))
        listed = await store.idle(TENANT, at(10))
        await store.commit((_say_at("e2", 10, "b"),))

        for session in listed:
            delete = DeleteSession(TENANT, session, idle_since=at(10))
            if session == "b":
                assert await refusal(store, delete) == ("session", "b")
            else:
                await store.commit((delete,))

        assert [session.id for session in await store.sessions(TENANT, USER)] == ["b"]

    async def test_a_turn_is_interrupted_when_its_lease_is_over(self, store: Store) -> None:
        """B014: what a killed worker leaves is found, over all tenants."""
        late, soon = Lease(1, "t1", "h", at(40)), Lease(1, "t1", "h", at(20))
        foreign = Session("globex", USER, "s9", START, lease=soon)
        await store.commit((create("s1"), create("free"), CreateSession(replace(SESSION, id="s2", lease=late)), CreateSession(foreign)))
        await store.commit((hold("t1"), CreateSession(replace(SESSION, id="ended", lease=Lease(4, None, None, at(5))))))

        assert list(await store.interrupted(at(19.999))) == []
        assert list(await store.interrupted(at(20))) == [("globex", "s9")]
        assert list(await store.interrupted(at(30))) == [("globex", "s9"), (TENANT, "s1")]
        assert list(await store.interrupted(at(99))) == [("globex", "s9"), (TENANT, "s1"), (TENANT, "s2")]
        assert list(await store.interrupted(at(99), limit=2)) == [("globex", "s9"), (TENANT, "s1")]

    async def test_a_turn_that_renewed_ended_or_is_deleted_is_not_interrupted(self, store: Store) -> None:
        await store.commit((create("s1"), create("s2"), create("s3"), create("s4")))
        await store.commit(tuple(hold("t1", session=f"s{n}") for n in (1, 2, 3, 4)))

        await store.commit((RenewLease(TENANT, "s1", "t1", 1, at(60)), ReleaseLease(TENANT, "s2", "t1", 1), DeleteSession(TENANT, "s3")))
        await store.commit((hold("t2", session="s4", after=1, now=31, until=61),))

        assert list(await store.interrupted(at(59))) == []
        assert list(await store.interrupted(at(60))) == [(TENANT, "s1")]

    async def test_interrupted_turns_of_one_moment_come_by_tenant_and_id(self, store: Store) -> None:
        places = [(tenant, session) for tenant in ("b", "a") for session in ("y", "x", "Z")]
        lease = Lease(1, "t1", "h", at(30))
        await store.commit(tuple(CreateSession(Session(tenant, USER, session, START, lease=lease)) for tenant, session in places))

        assert list(await store.interrupted(at(30))) == sorted(places)

    async def test_an_effect_is_abandoned_when_it_runs_and_its_lease_is_over(self, store: Store) -> None:
        """What a killed holder leaves is found, over all tenants, each session once."""
        claims = [
            replace(EFFECT, key="late", session="s2", lease_until=at(40)),
            replace(EFFECT, key="first", lease_until=at(30)),
            replace(EFFECT, key="second", lease_until=at(35)),
            replace(EFFECT, key="foreign", tenant="globex", session="s9", lease_until=at(20)),
            *(replace(EFFECT, key=state, session=state, state=state, lease_until=at(1)) for state in ("done", "failed", "indeterminate")),
        ]
        await store.commit(tuple(map(ClaimEffect, claims)))

        assert list(await store.abandoned(at(19.999_999))) == []
        assert list(await store.abandoned(at(20))) == [("globex", "s9")]
        assert list(await store.abandoned(at(39))) == [("globex", "s9"), (TENANT, "s1")]
        assert list(await store.abandoned(at(99))) == [("globex", "s9"), (TENANT, "s1"), (TENANT, "s2")]
        assert list(await store.abandoned(at(99), limit=2)) == [("globex", "s9"), (TENANT, "s1")]

    async def test_a_session_with_many_abandoned_effects_takes_one_place_of_those_asked_for(self, store: Store) -> None:
        many = [ClaimEffect(replace(EFFECT, key=f"k{number}", lease_until=at(number))) for number in range(40)]
        await store.commit((*many, ClaimEffect(replace(EFFECT, key="other", session="s2", lease_until=at(50)))))

        assert list(await store.abandoned(at(99), limit=2)) == [(TENANT, "s1"), (TENANT, "s2")]
        assert list(await store.abandoned(at(99), limit=1)) == [(TENANT, "s1")]

    async def test_what_is_settled_or_claimed_anew_is_not_abandoned(self, store: Store) -> None:
        claims = [replace(EFFECT, key=f"k{number}", session=f"s{number}", lease_until=at(30)) for number in range(4)]
        await store.commit(tuple(map(ClaimEffect, claims)))
        done, failed, unclear = (SettleEffect(TENANT, EFFECT.tool, f"k{number}", EFFECT.claim, "done", at(9)) for number in (1, 2, 3))

        await store.commit((done, replace(failed, state="failed"), replace(unclear, state="indeterminate")))
        await store.commit((ClaimEffect(replace(claims[2], claim="c2", lease_until=at(90))),))

        assert list(await store.abandoned(at(89))) == [(TENANT, "s0")]
        assert list(await store.abandoned(at(90))) == [(TENANT, "s0"), (TENANT, "s2")]

    async def test_abandoned_effects_of_one_moment_come_by_tenant_and_session(self, store: Store) -> None:
        places = [(tenant, session) for tenant in ("b", "a") for session in ("y", "x", "Z")]
        await store.commit(tuple(ClaimEffect(replace(EFFECT, tenant=tenant, session=session, key=session)) for tenant, session in places))

        assert list(await store.abandoned(EFFECT.lease_until)) == sorted(places)

    async def test_what_nobody_knows_is_found_over_all_tenants_by_its_tool(self, store: Store) -> None:
        """Each session once, in order, behind the place that was reached before."""
        claims = [
            replace(EFFECT, key="b", session="s2", state="indeterminate"),
            replace(EFFECT, key="a", session="s1", state="indeterminate"),
            replace(EFFECT, key="again", session="s1", state="indeterminate"),
            replace(EFFECT, key="other", session="s3", tool="other", state="indeterminate"),
            replace(EFFECT, key="foreign", tenant="globex", session="s0", state="indeterminate"),
            *(replace(EFFECT, key=state, session=f"s {state}", state=state) for state in ("running", "done", "failed")),
        ]
        await store.commit(tuple(map(ClaimEffect, claims)))

        assert list(await store.uncertain([EFFECT.tool])) == [(TENANT, "s1"), (TENANT, "s2"), ("globex", "s0")]
        assert list(await store.uncertain([EFFECT.tool, "other"], after=(TENANT, "s1"))) == [
            (TENANT, "s2"),
            (TENANT, "s3"),
            ("globex", "s0"),
        ]
        assert list(await store.uncertain([EFFECT.tool], limit=2)) == [(TENANT, "s1"), (TENANT, "s2")]
        assert list(await store.uncertain([EFFECT.tool], after=(TENANT, "s2"))) == [("globex", "s0")]
        assert list(await store.uncertain(["none"])) == list(await store.uncertain([])) == []

        await store.commit((SettleEffect(TENANT, EFFECT.tool, "b", EFFECT.claim, "done", at(9)),))
        assert list(await store.uncertain([EFFECT.tool])) == [(TENANT, "s1"), ("globex", "s0")]

    async def test_tenants_for_which_hooks_are_queued_are_named_once_and_in_order(self, store: Store) -> None:
        assert list(await store.queueing()) == []

        places = [("b", "1"), ("b", "2"), ("a", "1"), ("B", "1"), ("c", "1")]
        await store.commit(tuple(QueueHook(replace(HOOK, tenant=tenant, id=hook)) for tenant, hook in places))
        assert list(await store.queueing()) == ["B", "a", "b", "c"]
        assert list(await store.queueing(after="a", limit=1)) == ["b"]
        assert list(await store.queueing(after="aa")) == ["b", "c"]

        await store.commit((DeliverHook("b", "1"), DeliverHook("c", "1")))
        assert list(await store.queueing()) == ["B", "a", "b"]

    async def test_every_tenant_that_has_anything_is_named_once_and_in_order(self, store: Store) -> None:
        assert list(await store.tenants()) == []

        rows = OpenRequest(replace(REQUEST, tenant="rows"))
        await store.commit((create(tenant="b"), create("s2", tenant="b"), create(tenant="a"), create(tenant="B"), rows))
        assert list(await store.tenants()) == ["B", "a", "b", "rows"]

        await store.commit((put("k", "1", "app", tenant="b"), *(DeleteSession("b", session) for session in ("s1", "s2"))))
        await store.commit((DeleteSession("a", "s1"),))
        assert list(await store.tenants()) == ["B", "b", "rows"]


def _say_at(event: str, seconds: float, session: str = "s1") -> AppendEvent:
    said = say(event, session=session)
    return replace(said, event=replace(said.event, at=at(seconds)))


async def _active(store: Store) -> float:
    """In seconds after `START`."""
    session = await store.session(TENANT, "s1")
    assert session is not None
    assert session.active_at is not None
    return (session.active_at - START).total_seconds()
