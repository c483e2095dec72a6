"""What every store must do with hostile ids: each names itself and nothing else."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

from handgriff.core.batch import AppendEvent, ClaimEffect, CreateSession, HoldProposal, IntroduceSeen, KeepPrefix, OpenRequest, QueueHook
from handgriff.core.events import SessionCreated, Written
from handgriff.core.rows import Session
from handgriff.core.state import Totals
from handgriff.ports.store import Store
from handgriff.testing.samples import EFFECT, HOOK, PROPOSAL, REQUEST, START, TENANT, USER, at, create, furnish, put

HOSTILE = (
    "a",
    "A",
    "a ",
    " a",
    "a:b",
    "b",
    ":",
    "%",
    "_",
    "*",
    "..",
    "a\x00",
    "\x00",
    "a\x00b",
    "👋",
    "é",
    "e\u0301",
    "'; --",
    "0",
    "00",
    "null",
    "x" * 256,
    "",
)
"""Ids that alias elsewhere: joined, cut at NUL, folded, normalised, matched as patterns, read as numbers."""


class IdSuite:
    """Tenant, user, session and key are columns; any text goes through them unchanged."""

    hostile: ClassVar[Sequence[str]] = HOSTILE
    """An adapter whose database keeps no NUL leaves those out; `Caller` refuses them above."""

    async def test_no_two_sessions_alias(self, store: Store) -> None:
        """B129: who names a session of another tenant names nothing."""
        few = ("a", "a:b", "b", "%", "é", "a ", "A", "👋")
        places = [(tenant, f"{tenant}|{name}", name) for tenant, name in product(few, few)]
        for tenant, user, name in places:
            event = AppendEvent(tenant, name, Written("e", None, START, SessionCreated(user)))
            session = Session(tenant, user, name, START, alias=name)
            await store.commit((CreateSession(session), event, put("k", f'"{user}"', tenant=tenant, session=name, user=user)))

        for tenant, user, name in places:
            found = await store.session(tenant, name)
            assert found == await store.session_by_alias(tenant, user, name)
            assert found == Session(tenant, user, name, START, head=2, alias=name, active_at=START)
            assert list(await store.sessions(tenant, user)) == [found]
            assert [event.body for event in await store.events(tenant, name, limit=1)] == [SessionCreated(user)]
            assert {key: value.text for key, value in (await store.values(tenant, "session", name)).items()} == {"k": f'"{user}"'}

    async def test_any_text_names_a_place_of_its_own(self, store: Store) -> None:
        for name in self.hostile:
            delta = put(name, f'"{name.encode().hex()}"', "user", tenant=name, session=name, user=name)
            await store.commit((create(name, tenant=name, user=name), delta, IntroduceSeen(name, name, ((name, name),))))

        for mine, other in product(self.hostile, repeat=2):
            found = await store.session(mine, other)
            assert found == (Session(mine, mine, mine, START, head=1, active_at=START) if mine == other else None)
            values = await store.values(mine, "user", other, [mine])
            assert [value.text for value in values.values()] == ([f'"{mine.encode().hex()}"'] if mine == other else [])
            assert await store.seen(mine, mine, mine, other) == ("introduced" if mine == other else None)

    async def test_no_two_records_alias(self, store: Store) -> None:
        for name in self.hostile:
            effect = replace(EFFECT, tenant=name, tool=name, key=name, claim=name)
            proposal = replace(PROPOSAL, tenant=name, id=name, user=name, confirm="second_person")
            request, hook = replace(REQUEST, tenant=name, id=name, session=name), replace(HOOK, tenant=name, id=name)
            await store.commit(
                (ClaimEffect(effect), HoldProposal(proposal), OpenRequest(request), QueueHook(hook), KeepPrefix(name, name, name))
            )

        for mine, other in product(self.hostile, repeat=2):
            same = mine == other
            assert (await store.effect(mine, mine, other) is not None) == same
            assert (await store.effect(mine, other, mine) is not None) == same
            assert (await store.proposal(mine, other) is not None) == same
            assert await store.prefix(mine, other) == (mine if same else None)
            assert len(await store.requests(mine, session=other)) == same
            assert len(await store.proposals(mine, user=other)) == same
            assert [found.id for found in await store.for_second_person(mine, START)] == [mine]
            assert [found.id for found in await store.waiting(mine, other, START)] == ([mine] if same else [])
            assert [found.key for found in await store.unsettled(mine)] == [mine]
            assert [hook.id for hook in await store.hooks(mine)] == [mine]

    async def test_a_tenant_that_does_not_exist_is_no_wildcard(self, store: Store) -> None:
        """B135: no tenant is not every tenant."""
        await store.commit((*furnish("s1"), HoldProposal(replace(PROPOSAL, confirm="second_person"))))

        for stranger in ("", "*", "%", "_" * len(TENANT), "ACME", f"{TENANT},globex", f"{TENANT} ", f"{TENANT}\x00", "0", "None"):
            assert await store.session(stranger, "s1") is None
            assert list(await store.sessions(stranger, USER)) == []
            assert list(await store.events(stranger, "s1")) == []
            assert await store.values(stranger, "app", "") == {}
            assert list(await store.effects(stranger)) == []
            assert list(await store.unsettled(stranger)) == []
            assert list(await store.proposals(stranger)) == []
            assert list(await store.for_second_person(stranger, START)) == []
            assert list(await store.waiting(stranger, USER, START)) == []
            assert list(await store.requests(stranger)) == []
            assert list(await store.hooks(stranger)) == []
            assert list(await store.workflows(stranger)) == list(await store.workflows(stranger, session="s1")) == []
            assert await store.workflow(stranger, "chat", "s1") is None
            assert list(await store.records(stranger, now=START)) == []
            assert list(await store.idle(stranger, at(9))) == []
            assert await store.session_values(stranger, ["s1"]) == {}
            assert await store.totals(stranger, "app", "") == Totals()
