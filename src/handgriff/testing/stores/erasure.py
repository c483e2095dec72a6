"""What every store must do when a user or a tenant is erased: nothing of theirs stays but ledger rows under another name."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from collections.abc import Iterator
from dataclasses import replace

import pytest

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    ClaimEffect,
    CloseRequest,
    CreateSession,
    DeleteSession,
    Erase,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    KeepPrefix,
    OpenRequest,
    Operation,
    QueueHook,
    StartWorkflow,
)
from handgriff.core.events import Body, Decision, OperatorChange, Written
from handgriff.core.rows import Session
from handgriff.ports.store import Store
from handgriff.testing.samples import CLOSED_REQUEST, EFFECT, HOOK, PROPOSAL, START, WORKFLOW, create, jot, own_workflow, put, say
from handgriff.testing.stores.answers import refusal
from handgriff.testing.stores.ids import HOSTILE

_DECIDED = replace(PROPOSAL, state="done", decided_by="bob", decided_at=START)
_RESOLVED = replace(EFFECT, state="failed", resolved_by="bob")
USERS = ("ada", "bob")
TENANTS = ("acme", "globex")


class EraseSuite:
    """Real deletion."""

    async def test_a_user_is_erased_with_all_that_is_his_and_nobody_elses(self, store: Store) -> None:
        """P20."""
        await store.commit(tuple(_everything()))
        others = [await _traces(store, tenant, user) for tenant, user in (("acme", "bob"), ("globex", "ada"), ("globex", "bob"))]
        assert all(all(traces) for traces in others)

        await store.commit((Erase("acme", "ada", "gone-1"),), durable=True)

        assert not any(await _traces(store, "acme", "ada"))
        assert [await _traces(store, tenant, user) for tenant, user in (("acme", "bob"), ("globex", "ada"), ("globex", "bob"))] == others
        assert (await store.values("acme", "app", ""))["brand"].text == '"acme"'
        assert await store.prefix("acme", "h1") == "text"

    async def test_a_tenant_is_erased_with_all_its_users_and_no_other_tenant(self, store: Store) -> None:
        """P20. B135."""
        await store.commit(tuple(_everything()))
        others = [await _traces(store, "globex", user) for user in USERS]

        await store.commit((Erase("acme", None, "gone-1"),), durable=True)

        for user in USERS:
            assert not any(await _traces(store, "acme", user))
        assert await store.values("acme", "app", "") == {}
        assert await store.prefix("acme", "h1") is None
        assert list(await store.requests("acme")) == []
        assert [await _traces(store, "globex", user) for user in USERS] == others
        assert await store.prefix("globex", "h1") == "text"
        assert list(await store.tenants()) == ["globex", "gone-1"]

    async def test_the_ledger_rows_of_a_user_stay_under_the_pseudonym(self, store: Store) -> None:
        """B008: what was spent stays spent."""
        await store.commit(tuple(_everything()))
        before = await store.requests("acme")

        await store.commit((Erase("acme", "ada", "gone-1"),))

        after = await store.requests("acme")
        assert list(after) == [replace(row, user="gone-1") if row.user == "ada" else row for row in before]
        assert sum(row.cost_pico or 0 for row in after) == sum(row.cost_pico or 0 for row in before) > 0

    async def test_the_ledger_rows_of_a_tenant_stay_under_the_pseudonym(self, store: Store) -> None:
        await store.commit(tuple(_everything()))
        before = await store.requests("acme")

        await store.commit((Erase("acme", None, "gone-1"),))

        after = await store.requests("gone-1")
        assert list(after) == [replace(row, tenant="gone-1", user="gone-1") for row in before]
        assert sum(row.cost_pico or 0 for row in after) == sum(row.cost_pico or 0 for row in before) > 0

    async def test_an_open_row_of_who_was_erased_is_found_under_the_pseudonym(self, store: Store) -> None:
        await store.commit((OpenRequest(replace(CLOSED_REQUEST, status="open", cost_pico=None)), Erase("acme", "ada", "gone-1")))

        await store.commit((CloseRequest(replace(CLOSED_REQUEST, user="gone-1")),))

        assert list(await store.requests("acme")) == [replace(CLOSED_REQUEST, user="gone-1")]

    @pytest.mark.parametrize("user", ["ada", None], ids=["user", "tenant"])
    async def test_what_outlived_its_session_is_erased_too(self, store: Store, user: str | None) -> None:
        """P20: young effects and hooks stay when a session is deleted, and a proposal may have none."""
        others = (ClaimEffect(replace(EFFECT, user="bob", key="k2")), QueueHook(replace(HOOK, user="bob", id="h2")))
        mine = (ClaimEffect(EFFECT), HoldProposal(PROPOSAL), QueueHook(HOOK))
        await store.commit((create(), *mine, *others, DeleteSession("acme", "s1", keep_since=START), HoldProposal(PROPOSAL)))

        await store.commit((Erase("acme", user, "gone-1"),))

        left = [] if user is None else ["bob"]
        assert [effect.user for effect in await store.effects("acme")] == left
        assert [hook.user for hook in await store.hooks("acme")] == left
        assert list(await store.proposals("acme")) == []

    @pytest.mark.parametrize("user", ["ada", None], ids=["user", "tenant"])
    async def test_what_was_erased_begins_from_nothing(self, store: Store, user: str | None) -> None:
        await store.commit((*_everything(), Erase("acme", user, "gone-1")))

        assert await refusal(store, say("e1", session="s of ada")) == ("session", "s of ada")
        assert (await store.commit(_of("acme", "ada"))).seqs == (1, 2, 3, 4, 5)
        values = await store.values("acme", "user", "ada")
        assert values["name"].version == (await store.values("acme", "session", "s of ada"))["k"].version == 1

    async def test_a_session_that_is_named_like_the_user_keeps_its_state(self, store: Store) -> None:
        await store.commit((create("ada", user="bob"), put("k", "1", session="ada"), jot("k", "1", session="ada")))

        await store.commit((Erase("acme", "ada", "gone-1"),))

        assert (await store.values("acme", "session", "ada")).keys() == {"k"}
        assert [record.session for record in await store.records("acme", now=START)] == ["ada"]

    async def test_what_a_user_did_for_others_stays_under_the_pseudonym(self, store: Store) -> None:
        """P20: a second person's name stands in records of whom they helped."""
        decided, changed = Decision("p1", "call1", "done", "bob"), OperatorChange('by "bob"', "bob")
        bodies: tuple[Body, ...] = (decided, Decision("p2", "call2", "done"), changed)
        said = [AppendEvent("acme", "s1", Written(f"e{number}", None, START, body)) for number, body in enumerate(bodies)]
        others = AppendEvent("acme", "s1", Written("other", None, START, Decision('","by":"bob"}', "bob", "failed", "bobby")))
        theirs = (create(tenant="globex"), replace(said[0], tenant="globex"), HoldProposal(replace(_DECIDED, tenant="globex")))
        helped = (HoldProposal(_DECIDED), HoldProposal(replace(_DECIDED, id="p2", decided_by="bobby")), ClaimEffect(_RESOLVED))
        await store.commit((create(), *said, others, *helped, *theirs))
        before = await store.events("acme", "s1")

        await store.commit((Erase("acme", "bob", 'gone "1"'),))

        after = [event.body for event in await store.events("acme", "s1")]
        assert after == [replace(decided, by='gone "1"'), bodies[1], replace(changed, by='gone "1"'), others.event.body]
        assert [replace(event, body=others.event.body) for event in await store.events("acme", "s1")] == [
            replace(event, body=others.event.body) for event in before
        ]
        assert [proposal.decided_by for proposal in await store.proposals("acme")] == ['gone "1"', "bobby"]
        assert [effect.resolved_by for effect in await store.effects("acme")] == ['gone "1"']
        assert [proposal.decided_by for proposal in await store.proposals("globex")] == ["bob"]
        assert [event.body for event in await store.events("globex", "s1")] == [decided]

    @pytest.mark.parametrize("name", HOSTILE, ids=ascii)
    async def test_whatever_somebody_is_called_their_name_goes(self, store: Store, name: str) -> None:
        named, other = Decision("p1", "call1", "done", name), OperatorChange(name, f"{name}x")
        said = (AppendEvent("acme", "s1", Written(f"by {body.by}", None, START, body)) for body in (named, other))
        await store.commit((create(), *said, HoldProposal(replace(_DECIDED, decided_by=name))))

        await store.commit((Erase("acme", name, "gone-1"),))

        assert [event.body for event in await store.events("acme", "s1")] == [replace(named, by="gone-1"), other]
        assert [proposal.decided_by for proposal in await store.proposals("acme")] == ["gone-1"]

    async def test_erasing_nobody_is_nothing(self, store: Store) -> None:
        await store.commit(tuple(_everything()))
        before = [await _traces(store, tenant, user) for tenant in TENANTS for user in USERS]

        await store.commit((Erase("acme", "carol", "gone-1"), Erase("initech", None, "gone-2"), Erase("acme", "", "gone-3")))

        assert [await _traces(store, tenant, user) for tenant in TENANTS for user in USERS] == before

    async def test_a_refused_batch_erases_nothing(self, store: Store) -> None:
        await store.commit(tuple(_everything()))
        before = [await _traces(store, tenant, user) for tenant in TENANTS for user in USERS]

        assert await refusal(store, Erase("acme", None, "gone-1"), say("e1", session="s of ada")) == ("session", "s of ada")

        assert [await _traces(store, tenant, user) for tenant in TENANTS for user in USERS] == before
        assert await store.prefix("acme", "h1") == "text"
        assert list(await store.requests("gone-1")) == []


def _everything() -> Iterator[Operation]:
    for tenant in TENANTS:
        yield KeepPrefix(tenant, "h1", "text")
        for user in USERS:
            yield from _of(tenant, user)


def _of(tenant: str, user: str) -> Batch:
    """Something of each kind for a user."""
    session = f"s of {user}"
    return (
        CreateSession(Session(tenant, user, session, START, alias="thread")),
        say("e1", tenant=tenant, session=session),
        put("k", "1", tenant=tenant, session=session),
        put("name", f'"{user}"', "user", tenant=tenant, session=session, user=user),
        put("brand", f'"{tenant}"', "app", tenant=tenant, session=session),
        jot("n", "1", tenant=tenant, session=session),
        IntroduceSeen(tenant, session, (("order", "o_17"),)),
        IntroduceTyped(tenant, session, "about o_99"),
        ClaimEffect(replace(EFFECT, tenant=tenant, user=user, session=session, key=f"key of {user}")),
        HoldProposal(replace(PROPOSAL, tenant=tenant, user=user, session=session, id=f"proposal of {user}")),
        QueueHook(replace(HOOK, tenant=tenant, user=user, session=session, id=f"hook of {user}")),
        OpenRequest(replace(CLOSED_REQUEST, tenant=tenant, user=user, session=session, id=f"request of {user}")),
        StartWorkflow(own_workflow(session, tenant=tenant, user=user)),
        StartWorkflow(replace(WORKFLOW, tenant=tenant, user=user, handle=f"handle of {user}")),
    )


async def _traces(store: Store, tenant: str, user: str) -> list[object]:
    """All that can be read of a user; each is empty where nothing is left."""
    session = f"s of {user}"
    return [
        await store.session(tenant, session),
        await store.session_by_alias(tenant, user, "thread"),
        list(await store.sessions(tenant, user)),
        list(await store.events(tenant, session)),
        await store.values(tenant, "session", session),
        await store.values(tenant, "user", user),
        (await store.totals(tenant, "session", session)).keys,
        (await store.totals(tenant, "user", user)).bytes,
        await store.session_values(tenant, [session]),
        list(await store.records(tenant, session=session, now=START)),
        await store.seen(tenant, session, "order", "o_17"),
        await store.seen(tenant, session, "order", "o_99"),
        await store.effect(tenant, EFFECT.tool, f"key of {user}"),
        list(await store.effects(tenant, session=session)),
        await store.proposal(tenant, f"proposal of {user}"),
        list(await store.proposals(tenant, user=user)),
        [hook for hook in await store.hooks(tenant) if hook.user == user],
        list(await store.workflows(tenant, session=session)),
        await store.workflow(tenant, WORKFLOW.machine, f"handle of {user}"),
        [row for row in await store.requests(tenant) if row.user == user],
        [found for found in await store.idle(tenant, START.replace(year=9999)) if found == session],
    ]
