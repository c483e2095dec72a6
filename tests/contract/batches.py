"""Strategies for batches of every operation, and a picture of all that a store then answers: two stores that got the same must agree.

Ids come from tiny alphabets, so that operations meet; times are seconds after `START`.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final, get_args

from hypothesis import strategies as st

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    CheckLease,
    CheckNothingRuns,
    ClaimEffect,
    CloseRequest,
    CountTry,
    CreateSession,
    DecideProposal,
    DeleteSession,
    DeliverHook,
    Erase,
    FollowEffect,
    ForkSession,
    HoldLease,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    KeepCode,
    KeepPrefix,
    OpenRequest,
    Operation,
    PinSession,
    QueueHook,
    ReleaseLease,
    RenewLease,
    RenewScratch,
    RequestStop,
    RewindSession,
    SettleEffect,
    StateChange,
    StepEffect,
    SweepEffects,
    SweepScratch,
)
from handgriff.core.events import ConfirmKind, OperatorChange, SessionCreated, TextPart, UserMessage, Written
from handgriff.core.rows import Lease, Pinned, Session
from handgriff.core.scope import Scope
from handgriff.core.state import LIMITS, StateLimits
from handgriff.ports.store import CommitRefused, Committed, Store
from handgriff.testing.samples import CLOSED_REQUEST, CODED_PROPOSAL, EFFECT, HOOK, PROPOSAL, REQUEST, at, create
from tests.contract import instances
from tests.contract.changes import KEYS, NAMESPACES, TEXTS, deltas, often
from tests.contract.names import NAMES, SESSIONS, TENANTS, USERS, name, session, tenant, time, user

TYPED = ("abc", "abcd", "x abc", "")
SMALL: Final = StateLimits(value_bytes=24, keys=2, scope_bytes=40, scratch_bytes=32)
"""Bounds that short values reach."""

epoch = st.integers(0, 2)
seq = st.integers(0, 4)
text = st.sampled_from(TYPED)
nought = st.just(0)
proposal_ids = st.lists(name, max_size=1).map(tuple)
result = st.none() | st.just("{}")
effect_state = st.sampled_from(("running", "done", "failed", "indeterminate"))
proposal_state = st.sampled_from(("pending", "running", "done", "declined"))
values = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(TEXTS), max_size=2).map(lambda held: tuple(held.items()))

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
place = {"tenant": tenant, "session": session}
owned = {**place, "user": user}
written = st.builds(Written, name, st.none() | name, time, bodies)
changes = st.builds(StateChange, user, deltas, st.just(LIMITS) | st.just(SMALL))
effects = st.builds(
    replace,
    st.just(EFFECT),
    **owned,
    tool=name,
    key=name,
    digest=name,
    claim=name,
    state=effect_state,
    claimed_at=time,
    lease_until=time,
    resolved_by=result,
    arguments=text,
    transaction=st.booleans(),
    fires=instances.fires,
    owes=st.booleans(),
    outlives=st.booleans(),
)
proposals = st.builds(
    replace,
    st.sampled_from((PROPOSAL, CODED_PROPOSAL)),
    **owned,
    id=name,
    created_at=time,
    expires_at=st.integers(1, 4).map(at),
    state=proposal_state,
    confirm=st.sampled_from(get_args(ConfirmKind)),
    codes_sent=st.integers(0, 2),
    code_sent_at=st.none() | time,
    code_tries=st.integers(0, 1),
)
requests = st.builds(replace, st.sampled_from((REQUEST, CLOSED_REQUEST)), **owned, id=name, turn=name, opened_at=time)
hooks = st.builds(replace, st.just(HOOK), **owned, id=name)
pinned = st.builds(Pinned, name, name, name, text, name)

# An event of its own for most changes: with an id of two, nearly all would be deliveries of the same.
events = st.builds(Written, st.uuids().map(str), st.none(), time, bodies)
apart = st.builds(AppendEvent, **place, event=events, change=changes)
talk: st.SearchStrategy[Operation] = often(
    apart,
    apart,
    st.builds(AppendEvent, **place, event=written),
    st.builds(AppendEvent, **place, event=st.builds(Written, name, st.none(), time, st.just(OperatorChange("state", "x"))), change=changes),
    st.builds(IntroduceSeen, **place, values=st.lists(st.tuples(name, text), max_size=2).map(tuple)),
    st.builds(IntroduceTyped, **place, text=text),
)
scratch: st.SearchStrategy[Operation] = st.one_of(
    st.builds(RenewScratch, st.just("a"), st.just("s1"), st.sampled_from(NAMESPACES), time, st.integers(1, 5).map(at)),
    st.builds(RenewScratch, **place, namespace=st.sampled_from(NAMESPACES), now=time, until=st.integers(1, 5).map(at)),
    st.builds(SweepScratch, tenant, time, st.integers(1, 2)),
)
whole: st.SearchStrategy[Operation] = st.one_of(
    st.builds(CreateSession, sessions),
    st.builds(CreateSession, sessions),
    st.builds(DeleteSession, **place, keep_since=st.none() | time, idle_since=st.none() | time),
    sessions.flatmap(lambda new: st.builds(ForkSession, session, st.just(new), seq, values, instances.given(new.tenant))),
    tenant.flatmap(lambda its: st.builds(RewindSession, st.just(its), session, seq, seq, values, proposal_ids, instances.given(its))),
    st.builds(Erase, tenant, st.none() | user, st.just("")),
    st.builds(PinSession, **place, pinned=pinned, title=st.none() | text),
)
change: st.SearchStrategy[Operation] = st.builds(AppendEvent, st.just("a"), st.just("s1"), events, changes)
cuts: st.SearchStrategy[Operation] = st.one_of(
    st.builds(RewindSession, st.just("a"), st.just("s1"), st.integers(0, 9), st.integers(0, 9), values),
    st.builds(ForkSession, st.just("s1"), st.builds(Session, st.just("a"), user, st.just("s3"), time), st.integers(0, 9), values),
    st.builds(DeleteSession, st.just("a"), st.just("s3")),
)
leases: st.SearchStrategy[Operation] = st.one_of(
    st.builds(HoldLease, **place, turn=name, holder=name, after=epoch, now=time, until=time),
    st.builds(CheckLease, **place, turn=name, epoch=epoch),
    st.builds(RenewLease, **place, turn=name, epoch=epoch, until=time),
    st.builds(ReleaseLease, **place, turn=name, epoch=epoch),
    st.builds(RequestStop, **place, turn=name),
)
records: st.SearchStrategy[Operation] = st.one_of(
    st.builds(ClaimEffect, effects),
    st.builds(StepEffect, tenant, name, name, name, name, st.just("1")),
    st.builds(SettleEffect, tenant, name, name, name, effect_state, time, result, result, st.booleans()),
    st.builds(FollowEffect, tenant, name, name, name),
    st.builds(CheckNothingRuns, tenant, time, st.none() | session, st.none() | user),
    st.builds(SweepEffects, tenant, st.integers(1, 4).map(at), st.integers(1, 2)),
    st.builds(HoldProposal, proposals),
    st.builds(DecideProposal, tenant, name, proposal_state, proposal_state, time, result),
    st.builds(KeepCode, tenant, name, st.integers(0, 2), name, time, time, st.integers(1, 4)),
    st.builds(CountTry, tenant, name, st.integers(0, 2)),
    st.builds(OpenRequest, requests),
    st.builds(CloseRequest, requests),
    st.builds(KeepPrefix, tenant, name, text),
    st.builds(QueueHook, hooks),
    st.builds(DeliverHook, tenant, name),
)
operations = often(talk, talk, talk, scratch, whole, leases, records, instances.writes)
removed: st.SearchStrategy[Operation] = st.one_of(
    st.builds(DeleteSession, **place, keep_since=st.none() | time),
    st.builds(CreateSession, sessions),
    st.builds(Erase, tenant, st.none() | user, st.just("")),
    tenant.flatmap(
        lambda its: st.builds(RewindSession, st.just(its), session, nought, nought, workflows=instances.given(its), values=values)
    ),
)


def _with_pseudonyms(history: Sequence[Batch]) -> tuple[Batch, ...]:
    # A pseudonym is used once: what was erased twice would otherwise meet under one name, where ids are not told apart.
    numbers = iter(range(10_000))
    return tuple(
        tuple(replace(each, pseudonym=f"gone {next(numbers)}") if isinstance(each, Erase) else each for each in batch) for batch in history
    )


def _histories(of: st.SearchStrategy[Operation]) -> st.SearchStrategy[tuple[Batch, ...]]:
    # Most batches are of one operation, because one that is refused takes the others of its batch with it.
    one = of.map(lambda operation: (operation,))
    batch = often(one, one, one, st.lists(of, min_size=2, max_size=4).map(tuple))
    # Lists of lists: long ones in the middle, and a failing one still shrinks to what matters.
    lists = st.lists(st.lists(batch, min_size=1, max_size=10), min_size=1, max_size=5)
    return lists.map(lambda parts: _with_pseudonyms([each for part in parts for each in part]))


histories = _histories(operations)
"""Batches of any operations, one after the other."""
changing = _histories(often(change, change, change, change, change, scratch, cuts))
"""Batches that are about state alone, in one session."""
moving = _histories(often(instances.writes, instances.writes, instances.writes, removed))
"""Batches that are about workflows, in sessions without events."""

BEGINNING: Batch = tuple(create(id_, tenant=tenant_, user="u") for tenant_, id_ in product(TENANTS, SESSIONS))
"""Most operations need a session; what happens without one is seen after a deletion."""


async def answer(store: Store, batch: Batch) -> Committed | str:
    """What the store says to *batch*."""
    try:
        return await store.commit(batch)
    except CommitRefused as refused:
        return str(refused)


async def picture(store: Store) -> list[object]:
    """What the store answers to every read."""
    tenants = tuple(await store.tenants())
    found: list[object] = [tenants]
    for read, (now, limit) in product((store.interrupted, store.abandoned), ((1, 1), (3, 9))):
        found.append(list(await read(at(now), limit=limit)))
    found += [list(await store.uncertain(tools, after=after)) for tools, after in product(([], ["x"], NAMES), (("", ""), ("a", "s1")))]
    found += [list(await store.queueing(after=after, limit=limit)) for after, limit in (("", 9), ("", 1), ("a", 9))]
    for tenant_ in dict.fromkeys((*TENANTS, *tenants)):
        found += await _of_tenant(store, tenant_)
        for user_ in USERS:
            found += await _of_user(store, tenant_, user_)
        for session_ in SESSIONS:
            found += await _of_session(store, tenant_, session_)
    return found


async def _of_tenant(store: Store, tenant_: str) -> list[object]:
    return [
        [await store.effect(tenant_, tool, key) for tool, key in product(NAMES, repeat=2)],
        [await store.proposal(tenant_, proposal) for proposal in NAMES],
        [await store.workflow(tenant_, machine, handle) for machine, handle in product(instances.MACHINES, instances.HANDLES)],
        [list(await store.workflows(tenant_, session=session_)) for session_ in (None, *SESSIONS)],
        list(await store.effects(tenant_)),
        list(await store.effects(tenant_, session="s1", state="failed")),
        [list(await store.unsettled(tenant_, session=session_)) for session_ in (None, *SESSIONS)],
        [list(await store.owing(tenant_, session=session_)) for session_ in (None, *SESSIONS)],
        [list(await store.owing(tenant_, user=user_)) for user_ in USERS],
        list(await store.proposals(tenant_)),
        [list(await store.for_second_person(tenant_, at(now))) for now in range(4)],
        list(await store.requests(tenant_)),
        list(await store.requests(tenant_, session="s1", turn="x")),
        list(await store.hooks(tenant_)),
        [await store.prefix(tenant_, hash_) for hash_ in NAMES],
        await _state(store, tenant_, "app", ""),
        await store.session_values(tenant_, SESSIONS),
        [list(await store.records(tenant_, now=at(now))) for now in range(4)],
        [list(await store.idle(tenant_, at(before), limit=limit)) for before, limit in ((2, 1), (9, 9))],
    ]


async def _of_user(store: Store, tenant_: str, user_: str) -> list[object]:
    return [
        [list(await store.sessions(tenant_, user_, before=before)) for before in (None, *SESSIONS)],
        list(await store.sessions(tenant_, user_, limit=1)),
        [await store.session_by_alias(tenant_, user_, alias) for alias in NAMES],
        list(await store.proposals(tenant_, user=user_, state="pending")),
        await _state(store, tenant_, "user", user_),
    ]


async def _of_session(store: Store, tenant_: str, session_: str) -> list[object]:
    return [
        await store.session(tenant_, session_),
        [list(await store.events(tenant_, session_, after=after, limit=limit)) for after, limit in ((0, None), (0, 1), (1, 2))],
        [await store.seen(tenant_, session_, kind, value) for kind, value in product(NAMES, TYPED)],
        await _state(store, tenant_, "session", session_),
        [await store.record(tenant_, session_, namespace, now=at(now)) for namespace, now in product(NAMESPACES, range(4))],
        list(await store.records(tenant_, session=session_, now=at(0))),
    ]


async def _state(store: Store, tenant_: str, scope: Scope, owner: str) -> list[object]:
    return [
        await store.values(tenant_, scope, owner),
        await store.values(tenant_, scope, owner, KEYS[:1]),
        await store.totals(tenant_, scope, owner),
    ]
