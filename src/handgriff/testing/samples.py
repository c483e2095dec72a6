"""Records for tests of stores: an example of each kind with its fields filled, and short ways to write operations."""

import itertools
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    ClaimEffect,
    CreateSession,
    HoldLease,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    OpenRequest,
    QueueHook,
    StartWorkflow,
    StateChange,
)
from handgriff.core.delta import Delta, Operation, Renew, Set
from handgriff.core.events import OperatorChange, ShownChange, TextPart, UserMessage, Written
from handgriff.core.rows import Effect, Lease, Pinned, Proposal, QueuedHook, Request, Session, Workflow
from handgriff.core.scope import Scope
from handgriff.core.state import LIMITS, StateLimits

TENANT = "acme"
USER = "ada"
START = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """So long after `START`."""
    return START + timedelta(seconds=seconds)


PINNED = Pinned(lane="main", provider="loopback", prefix="p" * 64, context="Today is Monday.", nonce="n1")

SESSION = Session(TENANT, USER, "s1", START)

FULL_SESSION = Session(
    TENANT,
    USER,
    "s1",
    START,
    head=0,
    title="Orders",
    alias="thread-1",
    pinned=PINNED,
    lease=Lease(epoch=3, turn="t1", holder="h1", until=at(30), stop=True),
)

EFFECT = Effect(
    tenant=TENANT,
    tool="shop.cancel_order",
    key="k1",
    digest="d1",
    claim="c1",
    session="s1",
    user=USER,
    turn="t1",
    call="call1",
    state="running",
    lease_until=at(60),
    claimed_at=START,
    proposal="p1",
    arguments='{"order":"o_17"}',
)

PROPOSAL = Proposal(
    tenant=TENANT,
    user=USER,
    session="s1",
    turn="t1",
    id="p1",
    call="call1",
    tool="shop.cancel_order",
    arguments='{"order":"o_17"}',
    digest="d1",
    contract="c" * 64,
    summary="Cancel o_17?",
    diff=(ShownChange("Status", "pending", "cancelled"), ShownChange("Note", None, "gone")),
    before='["pending"]',
    fingerprint="f1",
    created_at=START,
    expires_at=at(600),
    count=3,
    sample=("o_17", "o_18"),
    grant='{"permissions":["orders.cancel"]}',
    wire_id="toolu_1",
    typed=True,
)

CODED_PROPOSAL = replace(
    PROPOSAL,
    id="p2",
    confirm="code",
    code="c2FsdA.aGFzaA",
    codes_sent=2,
    code_sent_at=at(90),
    code_tries=3,
)

REQUEST = Request(
    tenant=TENANT,
    user=USER,
    session="s1",
    turn="t1",
    id="r1",
    attempt=1,
    assistant="shop",
    lane="main",
    provider="loopback",
    model="m1",
    opened_at=START,
    reserved_tokens=4096,
)

CLOSED_REQUEST = Request(
    tenant=TENANT,
    user=USER,
    session="s1",
    turn="t1",
    id="r1",
    attempt=2,
    assistant="shop",
    lane="main",
    provider="loopback",
    model="m1",
    opened_at=START,
    reserved_tokens=4096,
    status="ok",
    served_model="m1-2026",
    closed_at=at(2),
    aborted_by=None,
    input_tokens=10,
    cache_read_tokens=2,
    cache_write_5m_tokens=3,
    cache_write_1h_tokens=4,
    output_tokens=50,
    reasoning_tokens=6,
    server_tool_uses=1,
    estimated=True,
    price_version="2026-03",
    cost_pico=9_000_000_000_000,
    first_token_us=300_000,
    duration_us=2_000_000,
    miss_reason="tools_changed",
)

HOOK = QueuedHook(TENANT, "hook1", "s1", USER, "call1", "shop.cancel_order", '{"summary":"Cancelled."}', START)

WORKFLOW = Workflow(
    tenant=TENANT,
    machine="invoice",
    handle="w1",
    user=USER,
    session=None,
    hash="h" * 64,
    snapshot='{"value":"draft","context":{"note":"é \\u0000 👋"}}',
    created_at=START,
    expires_at=at(600),
)

HELD_WORKFLOW = replace(
    WORKFLOW,
    version=3,
    claim="c1",
    tool=EFFECT.tool,
    key=EFFECT.key,
    next='{"value":"sent"}',
    next_hash="n" * 64,
)


def create(session: str = "s1", *, tenant: str = TENANT, user: str = USER) -> CreateSession:
    """A new session."""
    return CreateSession(Session(tenant, user, session, START))


def say(event: str, text: str = "hello", *, tenant: str = TENANT, session: str = "s1") -> AppendEvent:
    """The user says *text*."""
    return AppendEvent(tenant, session, Written(event, "t1", START, UserMessage((TextPart(text),), (text,))))


_CHANGES = itertools.count(1)


def put(key: str, value: str, scope: Scope = "session", *, tenant: str = TENANT, session: str = "s1", user: str = USER) -> AppendEvent:
    """Put *value*, which is JSON text, at *key*, with an event of its own."""
    return change(Set(scope, key, value), tenant=tenant, session=session, user=user)


def change(
    *operations: Operation,
    tenant: str = TENANT,
    session: str = "s1",
    user: str = USER,
    event: str | None = None,
    limits: StateLimits = LIMITS,
) -> AppendEvent:
    """Change state by *operations*, with an event of its own; its id is a new one, or *event*."""
    delta: Delta = operations
    # Several processes may write one store, and a process may go on as two.
    written = Written(event or f"change {os.getpid()}-{next(_CHANGES)}", None, START, OperatorChange("state", "tests"))
    return AppendEvent(tenant, session, written, StateChange(user, delta, limits))


def renew(namespace: str = "notes", *, now: float = 0, until: float = 60) -> Renew:
    """A scratch record is written; times are seconds after `START`."""
    return Renew(namespace, at(now), at(until))


def jot(
    key: str,
    value: str,
    namespace: str = "notes",
    *,
    now: float = 0,
    until: float = 60,
    tenant: str = TENANT,
    session: str = "s1",
) -> AppendEvent:
    """Put *value*, which is JSON text, at *key* of a scratch record, with an event of its own; times are seconds after `START`."""
    return change(renew(namespace, now=now, until=until), Set("scratch", key, value, namespace), tenant=tenant, session=session)


def hold(turn: str, *, after: int = 0, now: float = 0, until: float = 30, session: str = "s1") -> HoldLease:
    """Take the session for *turn*; times are seconds after `START`."""
    return HoldLease(TENANT, session, turn, f"holder of {turn}", after, at(now), at(until))


def own_workflow(session: str = "s1", machine: str = "chat", *, tenant: str = TENANT, user: str = USER) -> Workflow:
    """A session's own instance: its handle is the session's id, and it does not expire."""
    return replace(WORKFLOW, tenant=tenant, machine=machine, handle=session, user=user, session=session, expires_at=None)


def furnish(session: str) -> Batch:
    """A session with one of everything that can belong to it."""
    return (
        create(session),
        say("e1", session=session),
        put("topic", f'"{session}"', session=session),
        put("name", f'"{session}"', "user", session=session),
        put("brand", f'"{session}"', "app", session=session),
        jot("note", f'"{session}"', session=session),
        IntroduceSeen(TENANT, session, (("order", "o_17"),)),
        IntroduceTyped(TENANT, session, "What became of o_99?"),
        ClaimEffect(replace(EFFECT, session=session, key=f"key of {session}")),
        HoldProposal(replace(PROPOSAL, session=session, id=f"proposal of {session}")),
        QueueHook(replace(HOOK, session=session, id=f"hook of {session}")),
        OpenRequest(replace(REQUEST, session=session, id=f"request of {session}")),
        StartWorkflow(own_workflow(session)),
    )
