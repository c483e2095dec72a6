"""What a store holds beside events: sessions with their lease, effect records, proposals, ledger rows, queued hooks, scratch records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from handgriff.core.delta import Value
from handgriff.core.events import ConfirmKind, ProposalState, ShownChange
from handgriff.core.lane import Lane

EffectState: TypeAlias = Literal["running", "done", "failed", "indeterminate"]
RequestStatus: TypeAlias = Literal["open", "ok", "failed", "aborted"]


@dataclass(frozen=True, slots=True)
class Lease:
    """Who may write messages to a session: the turn that runs, until when, and the fencing epoch, which only grows.

    A lease without a turn is free. A lease that is over and still names a turn is what a crash leaves.
    """

    epoch: int = 0
    turn: str | None = None
    holder: str | None = None
    until: datetime | None = None
    stop: bool = False

    def is_held(self, now: datetime) -> bool:
        """Whether a turn holds it and its time is not over."""
        return self.turn is not None and self.until is not None and now < self.until


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a session keeps for life from its first turn: lane, provider, prefix, and its frozen context."""

    lane: str
    provider: str
    prefix: str
    """Hash of the prefix text."""
    context: str
    nonce: str
    settings: Lane | None = None
    """The lane as it was then, `parallel` decided; None where an earlier version pinned only its name."""
    told: tuple[tuple[str, str], ...] = ()
    """The state that the context was made of, as text by key."""


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `head` is its last seq."""

    tenant: str
    user: str
    id: str
    created_at: datetime
    head: int = 0
    title: str | None = None
    alias: str | None = None
    """A client's own thread id, unique per tenant and user."""
    pinned: Pinned | None = None
    lease: Lease = Lease()
    active_at: datetime | None = None
    """When its last event was appended; `created_at` before there is one."""


@dataclass(frozen=True, slots=True)
class Fired:
    """Which workflow instance a call moves if it succeeds, and by which event; or, without one, what it begins."""

    machine: str
    handle: str
    event: str
    snapshot: str | None = None
    """What it begins with, as it was computed before the handler ran; None for what is moved."""
    hash: str | None = None
    """Of the machine that `snapshot` belongs to."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The durable trace of one call that changes the world. Its key is (tenant, tool, key)."""

    tenant: str
    tool: str
    key: str
    digest: str
    claim: str
    """Id of the claim; an outcome is settled by it, whoever holds the session's lease."""
    session: str
    user: str
    turn: str | None
    call: str
    state: EffectState
    lease_until: datetime
    claimed_at: datetime
    settled_at: datetime | None = None
    steps: tuple[tuple[str, str], ...] = ()
    """Finished steps: name and JSON text of what they returned."""
    result: str | None = None
    """JSON text of the settled outcome, given again to a repeated wish."""
    proposal: str | None = None
    resolved_by: str | None = None
    arguments: str = ""
    """Canonical JSON text of the validated arguments, for `reconcile`."""
    transaction: bool = False
    """The mark of a handler whose writing is committed with its outcome: without an outcome it has not happened."""
    fires: Fired | None = None
    """The transition that hangs on it."""
    owes: bool = False
    """Whether that instance is outside the store, and has not followed yet for all that is known here."""
    outlives: bool = False
    """Whether that instance is still there once the user is erased."""

    def is_abandoned(self, now: datetime) -> bool:
        """Whether it runs by its record, and nobody can be running it any more."""
        return self.state == "running" and now >= self.lease_until


@dataclass(frozen=True, slots=True)
class Proposal:
    """A planned call that waits for a person."""

    tenant: str
    user: str
    session: str
    turn: str | None
    id: str
    call: str
    tool: str
    arguments: str
    """Canonical JSON text of the validated arguments: exactly these run."""
    digest: str
    contract: str
    """Digest of the contract it was planned under."""
    summary: str
    diff: tuple[ShownChange, ...]
    before: str
    """Canonical JSON text of the plan's before values, or its version."""
    fingerprint: str
    created_at: datetime
    expires_at: datetime
    state: ProposalState = "pending"
    decided_by: str | None = None
    decided_at: datetime | None = None
    count: int | None = None
    sample: tuple[str, ...] = ()
    grant: str = field(default="", repr=False)
    """JSON text of the rights its turn was granted, the upper bound when it runs."""
    wire_id: str = ""
    """The provider's id of the call; empty outside a turn."""
    typed: bool = False
    """Whether its arguments count as typed by the user (the command line, `host.call`)."""
    confirm: ConfirmKind = "person"
    code: str | None = field(default=None, repr=False)
    """Salt and hash of the last code that was sent; never the code."""
    codes_sent: int = 0
    code_sent_at: datetime | None = None
    code_tries: int = 0
    """How many codes were tried, right or wrong."""

    def state_at(self, now: datetime) -> ProposalState:
        """The state it is in: `expired` as soon as its time is over, though that is written down later."""
        return "expired" if self.state == "pending" and now >= self.expires_at else self.state


@dataclass(frozen=True, slots=True)
class Request:
    """A ledger row: one request to a provider. Opened before it is sent, closed in every case. Costs are pico-dollars."""

    tenant: str
    user: str
    session: str
    turn: str
    id: str
    attempt: int
    assistant: str
    lane: str
    provider: str
    model: str
    opened_at: datetime
    reserved_tokens: int
    status: RequestStatus = "open"
    served_model: str | None = None
    closed_at: datetime | None = None
    aborted_by: str | None = None
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    server_tool_uses: int = 0
    estimated: bool = False
    price_version: str | None = None
    cost_pico: int | None = None
    """None while open, and for a model without a price (unpriced)."""
    first_token_us: int | None = None
    duration_us: int | None = None
    miss_reason: str | None = None
    """Why the provider's cache missed, where it says so."""


@dataclass(frozen=True, slots=True)
class QueuedHook:
    """An `after_call` that must follow a write: delivered at least once, then removed."""

    tenant: str
    id: str
    session: str
    user: str
    call: str
    tool: str
    payload: str
    """JSON text of what the hook is told."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """A scratch record: one notebook of one session, with one deadline."""

    tenant: str
    session: str
    namespace: str
    expires_at: datetime
    values: Mapping[str, Value] = field(default_factory=dict)
    """By key."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A kept instance of a machine. Its key is (tenant, machine, handle).

    While a call that would move it runs, `claim` is that call's claim, `tool` and `key` name its effect record, and `next` is the snapshot
    that its success makes. `version` counts what was settled.
    """

    tenant: str
    machine: str
    handle: str
    """Minted, or the session's id where the instance is the session's own."""
    user: str | None
    """Whose it is; None where it is the whole tenant's."""
    session: str | None
    """The session whose own it is, and with which it ends; None for one with a handle."""
    hash: str
    """Of the machine that `snapshot` belongs to."""
    snapshot: str
    """JSON text."""
    created_at: datetime
    expires_at: datetime | None = None
    version: int = 0
    claim: str | None = None
    tool: str | None = None
    key: str | None = None
    next: str | None = None
    next_hash: str | None = None
    """Of the machine that `next` belongs to, where the snapshot was migrated on the way."""

    def is_expired(self, now: datetime) -> bool:
        """Whether its time is over. One that is claimed is kept until it is settled."""
        return self.expires_at is not None and now >= self.expires_at
