"""Memory and SQLite answer the same to any sequence of batches. What the suite forgot to ask, chance asks."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from handgriff.core.batch import (
    AppendEvent,
    ApplyDelta,
    Batch,
    CheckLease,
    ClaimEffect,
    CloseRequest,
    CreateSession,
    DecideProposal,
    DeleteSession,
    DeliverHook,
    HoldLease,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    KeepPrefix,
    OpenRequest,
    Operation,
    PinSession,
    QueueHook,
    ReleaseLease,
    RenewLease,
    RequestStop,
    SettleEffect,
    StepEffect,
)
from handgriff.core.events import SessionCreated, TextPart, UserMessage, Written
from handgriff.core.rows import Lease, Pinned, Session
from handgriff.core.state import Delete, Set
from handgriff.ports.store import CommitRefused, Committed, Store
from handgriff.stores.memory import MemoryStore
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.samples import CLOSED_REQUEST, EFFECT, HOOK, PROPOSAL, REQUEST, at, create

TENANTS, USERS, SESSIONS, NAMES = ("a", "a:b"), ("u", "v"), ("s1", "s2"), ("x", "y")
TEXTS = ("abc", "abcd", "x abc", "")

tenant = st.sampled_from(TENANTS)
user = st.sampled_from(USERS)
session = st.sampled_from(SESSIONS)
name = st.sampled_from(NAMES)
time = st.integers(0, 3).map(at)
epoch = st.integers(0, 2)
text = st.sampled_from(TEXTS)
result = st.none() | st.just("{}")
effect_state = st.sampled_from(("running", "done", "failed", "indeterminate"))
proposal_state = st.sampled_from(("pending", "running", "done", "declined"))
scope = st.sampled_from(("app", "user", "session"))

sessions = st.builds(
    Session,
    tenant,
    user,
    session,
    time,
    title=st.none() | text,
    alias=st.none() | name,
    pinned=st.none(),
    lease=st.just(Lease()) | st.builds(Lease, epoch, st.none() | name, name, st.none() | time, st.booleans()),
)
bodies = st.builds(SessionCreated, name) | st.builds(UserMessage, st.builds(TextPart, text).map(lambda part: (part,)), st.just(()))
changes = st.builds(Set, scope, name, st.sampled_from(("1", '"a"', "null"))) | st.builds(Delete, scope, name)
place = {"tenant": tenant, "session": session}
effects = st.builds(
    replace, st.just(EFFECT), **place, tool=name, key=name, digest=name, claim=name, state=effect_state, claimed_at=time, resolved_by=result
)
proposals = st.builds(replace, st.just(PROPOSAL), **place, user=user, id=name, created_at=time, state=proposal_state)
requests = st.builds(replace, st.sampled_from((REQUEST, CLOSED_REQUEST)), **place, id=name, turn=name, opened_at=time)
hooks = st.builds(replace, st.just(HOOK), **place, id=name)
pinned = st.builds(Pinned, name, name, name, text, name)

operations: st.SearchStrategy[Operation] = st.one_of(
    st.builds(CreateSession, sessions),
    st.builds(CreateSession, sessions),
    st.builds(DeleteSession, **place),
    st.builds(PinSession, **place, pinned=pinned, title=st.none() | text),
    st.builds(HoldLease, **place, turn=name, holder=name, after=epoch, now=time, until=time),
    st.builds(CheckLease, **place, turn=name, epoch=epoch),
    st.builds(RenewLease, **place, turn=name, epoch=epoch, until=time),
    st.builds(ReleaseLease, **place, turn=name, epoch=epoch),
    st.builds(RequestStop, **place, turn=name),
    st.builds(AppendEvent, **place, event=st.builds(Written, name, st.none() | name, time, bodies)),
    st.builds(ApplyDelta, **place, user=user, delta=st.lists(changes, max_size=4).map(tuple)),
    st.builds(IntroduceSeen, **place, values=st.lists(st.tuples(name, text), max_size=2).map(tuple)),
    st.builds(IntroduceTyped, **place, text=text),
    st.builds(ClaimEffect, effects),
    st.builds(StepEffect, tenant, name, name, name, name, st.just("1")),
    st.builds(SettleEffect, tenant, name, name, name, effect_state, time, result, result),
    st.builds(HoldProposal, proposals),
    st.builds(DecideProposal, tenant, name, proposal_state, proposal_state, time, result),
    st.builds(OpenRequest, requests),
    st.builds(CloseRequest, requests),
    st.builds(KeepPrefix, tenant, name, text),
    st.builds(QueueHook, hooks),
    st.builds(DeliverHook, tenant, name),
)
batches = st.lists(operations, min_size=1, max_size=5).map(tuple)


BEGINNING: Batch = tuple(create(id_, tenant=tenant_, user="u") for tenant_, id_ in product(TENANTS, SESSIONS))
"""Most operations need a session; what happens without one is seen after a deletion."""


@settings(max_examples=60)
@given(st.lists(batches, min_size=1, max_size=20))
def test_memory_and_sqlite_agree(written: Sequence[Batch]) -> None:
    anyio.run(_compare, written)


async def _compare(written: Sequence[Batch]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory, sqlite = MemoryStore(), SqliteStore.open(Path(folder) / "handgriff.db")
        try:
            for batch in (BEGINNING, *written):
                assert await _answer(sqlite, batch) == await _answer(memory, batch)
            assert await _picture(sqlite) == await _picture(memory)
        finally:
            await sqlite.close()


async def _answer(store: Store, batch: Batch) -> Committed | str:
    try:
        return await store.commit(batch)
    except CommitRefused as refused:
        return str(refused)


async def _picture(store: Store) -> list[object]:
    picture: list[object] = []
    for tenant in TENANTS:
        for user, before in product(USERS, (None, *SESSIONS)):
            picture.append(list(await store.sessions(tenant, user, before=before)))
            picture.append([await store.session_by_alias(tenant, user, alias) for alias in NAMES])
        for session in SESSIONS:
            picture.append(await store.session(tenant, session))
            picture += [list(await store.events(tenant, session, after=after, limit=2)) for after in (0, 1)]
            picture += [await store.seen(tenant, session, kind, value) for kind, value in product(NAMES, TEXTS)]
            picture += [await store.values(tenant, "session", session), await store.values(tenant, "user", "u")]
        picture.append([await store.effect(tenant, tool, key) for tool, key in product(NAMES, repeat=2)])
        picture += [list(await store.effects(tenant)), list(await store.effects(tenant, session="s1", state="failed"))]
        picture += [list(await store.proposals(tenant)), list(await store.proposals(tenant, user="u", state="pending"))]
        picture += [list(await store.requests(tenant)), list(await store.requests(tenant, session="s1", turn="x"))]
        picture += [await store.values(tenant, "app", ""), list(await store.hooks(tenant))]
        picture.append([await store.prefix(tenant, name) for name in NAMES])
    return picture
