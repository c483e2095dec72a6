"""What a store is asked to write: a batch is a tuple of these, and all of it holds or none.

Guards are operations too: a batch that carries one is refused as a whole when it does not hold.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from handgriff.core.delta import Delta
from handgriff.core.events import ProposalState, Written
from handgriff.core.rows import Effect, EffectState, Pinned, Proposal, QueuedHook, Request, Session, Workflow
from handgriff.core.state import LIMITS, StateLimits


@dataclass(frozen=True, slots=True)
class CreateSession:
    """A new session. Refused (`session`) where the id, (`alias`) where the alias of this tenant and user exists."""

    session: Session


@dataclass(frozen=True, slots=True)
class DeleteSession:
    """Remove a session with its events, state, seen values, proposals, effects, queued hooks and its own workflows; ledger rows stay.

    With `keep_since`, effects claimed since then stay, because their keys still protect (specification 7.1), and so do those whose outcome
    nobody knows yet; `SweepEffects` removes them later. Queued hooks stay too, because what must follow a write follows it although its
    session is gone.
    """

    tenant: str
    session: str
    keep_since: datetime | None = None
    idle_since: datetime | None = None
    """Refused (`session`) where an event was appended since then: whoever collects garbage must not delete what came to life again."""


@dataclass(frozen=True, slots=True)
class ForkSession:
    """A new session that begins as the copy of another one up to the event `upto`: events, seen values and `values` as its state
    (JSON texts by key). Refused (`session`) where *source* is unknown or the new id exists, (`alias`) where the alias exists, (`workflow`,
    the handle) where a given instance does."""

    source: str
    session: Session
    """The new one; its tenant is the source's, its head becomes `upto`, or the source's head where that is earlier."""
    upto: int
    values: tuple[tuple[str, str], ...]
    workflows: tuple[Workflow, ...] = ()
    """The new session's own."""


@dataclass(frozen=True, slots=True)
class RewindSession:
    """Remove what came after the event `to`: events, seen values, and proposals by their ids; the session's state becomes `values`
    (JSON texts by key). Versions and seqs go on counting. Refused (`session`) unless its head is `head`; (`workflow`, the handle) where a
    call holds one of the session's own instances, or a given one's key is another session's."""

    tenant: str
    session: str
    head: int
    to: int
    values: tuple[tuple[str, str], ...]
    proposals: tuple[str, ...] = ()
    workflows: tuple[Workflow, ...] = ()
    """What becomes of the session's own instances: these replace those of the same key, and all others of the session are removed. A stored
    one keeps counting: its version becomes the present one plus one."""


@dataclass(frozen=True, slots=True)
class Erase:
    """Remove everything of a tenant, or of one of its users: their sessions, and workflows that are theirs. Those of the whole tenant go
    with the tenant. Ledger rows stay, under `pseudonym` in place of whom was erased; so does what a user has decided or changed for
    others, in their proposals, effects and events."""

    tenant: str
    user: str | None
    pseudonym: str


@dataclass(frozen=True, slots=True)
class CheckNothingRuns:
    """Guard: of this session, of this user, or of the whole tenant no effect is running whose lease is not over at `now`, and none is done
    that an instance outside the store still has to follow. With a `user` also none, running or indeterminate, that holds an instance which
    outlives the user: without its record that would be let go, and nobody knows whether it has moved.

    Refused: `effect`, its key. What is claimed at the same moment is claimed before it, and refuses it, or after the whole batch.
    """

    tenant: str
    now: datetime
    session: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class PinSession:
    """Keep lane, prefix and context for the session's life. Refused (`session`) where something else is pinned
    already, and for an unknown session. A title replaces the session's; None leaves it."""

    tenant: str
    session: str
    pinned: Pinned
    title: str | None = None


@dataclass(frozen=True, slots=True)
class HoldLease:
    """Take the session for *turn*: the epoch becomes `after` + 1. Refused (`lease`) unless the epoch is `after` and the lease is free,
    or over at `now`."""

    tenant: str
    session: str
    turn: str
    holder: str
    after: int
    now: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class CheckLease:
    """Guard: this turn still holds the lease with this epoch. Its time may be over as long as nobody else took it. Refused: `lease`."""

    tenant: str
    session: str
    turn: str
    epoch: int


@dataclass(frozen=True, slots=True)
class RenewLease:
    """Prolong the lease. Refused (`lease`) like `CheckLease`."""

    tenant: str
    session: str
    turn: str
    epoch: int
    until: datetime


@dataclass(frozen=True, slots=True)
class ReleaseLease:
    """Free the session; the epoch stays. Refused (`lease`) like `CheckLease`."""

    tenant: str
    session: str
    turn: str
    epoch: int


@dataclass(frozen=True, slots=True)
class RequestStop:
    """Raise the stop flag on the lease of *turn*, for whichever process runs it. Nothing happens where it does not run any more."""

    tenant: str
    session: str
    turn: str


@dataclass(frozen=True, slots=True)
class StateChange:
    """How state changes with an event: guards first, then the operations in order. `user` decides where `user` keys live."""

    user: str
    delta: Delta
    limits: StateLimits = LIMITS


@dataclass(frozen=True, slots=True)
class AppendEvent:
    """Append with a store-assigned seq, and apply its delta. The same id with the same body and delta stores once, applies nothing again
    and answers its seq; with another body or delta it is refused (`event`). An unknown session is refused (`session`).

    The delta's guards hold, or it is refused (`state`, the key); so where an operation finds a value it can't work on. Past a bound it is
    refused (`limit`, the key or the scope).
    """

    tenant: str
    session: str
    event: Written
    change: StateChange | None = None


@dataclass(frozen=True, slots=True)
class RenewScratch:
    """Prolong a scratch record that is not expired at `now`; its deadline never comes earlier. Where there is none, nothing happens."""

    tenant: str
    session: str
    namespace: str
    now: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class SweepScratch:
    """Remove at most `limit` scratch records of the tenant that are expired at `now`, looked at in this very commit; longest over first."""

    tenant: str
    now: datetime
    limit: int


@dataclass(frozen=True, slots=True)
class IntroduceSeen:
    """Values that were seen in this session: introduced by a result, each (kind, value); again is nothing.
    An unknown session is refused (`session`)."""

    tenant: str
    session: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class IntroduceTyped:
    """A text the user typed, in which values may be found. An unknown session is refused (`session`)."""

    tenant: str
    session: str
    text: str


@dataclass(frozen=True, slots=True)
class ClaimEffect:
    """Claim an effect before it runs. Refused (`effect`) where the key is taken, unless the record is `failed` with the same digest and
    user: then it is claimed anew and keeps its steps, which may hold what is that user's alone."""

    effect: Effect


@dataclass(frozen=True, slots=True)
class StepEffect:
    """Record a finished step. Refused (`effect`) where the claim is not this one or not running."""

    tenant: str
    tool: str
    key: str
    claim: str
    name: str
    result: str


@dataclass(frozen=True, slots=True)
class SettleEffect:
    """Settle by claim id. Refused (`effect`) where the record is not this claim's, or neither running nor indeterminate-unresolved; with
    `only_running`, also where it runs no more."""

    tenant: str
    tool: str
    key: str
    claim: str
    state: EffectState
    at: datetime
    result: str | None = None
    resolved_by: str | None = None
    only_running: bool = False


@dataclass(frozen=True, slots=True)
class FollowEffect:
    """The instance outside the store has followed its effect, which owes nothing any more. Where the record is another claim's, or there is
    none, nothing happens."""

    tenant: str
    tool: str
    key: str
    claim: str


@dataclass(frozen=True, slots=True)
class SweepEffects:
    """Remove at most `limit` effects of the tenant that are done or failed, were claimed before `before`, and whose session does not exist;
    oldest claim first. What is running or indeterminate stays until somebody has said what became of it, and what is done until an instance
    outside the store has followed."""

    tenant: str
    before: datetime
    limit: int


@dataclass(frozen=True, slots=True)
class StartWorkflow:
    """A new instance. Refused (`workflow`, its handle) where the key exists; (`session`) where it is an unknown session's own."""

    workflow: Workflow


@dataclass(frozen=True, slots=True)
class ClaimWorkflow:
    """Hold an instance for the effect of (tool, key), before its handler runs. Refused (`workflow`, the handle) unless it is there with
    this version and nobody holds it."""

    tenant: str
    machine: str
    handle: str
    version: int
    claim: str
    tool: str
    key: str
    next: str
    next_hash: str


@dataclass(frozen=True, slots=True)
class SettleWorkflow:
    """Let go of the instance that *claim* holds: with `moves`, `next` becomes its snapshot; either way the version is counted on. Its time
    becomes `expires_at` where that is given and later. Where another claim holds it, or none, nothing happens."""

    tenant: str
    machine: str
    handle: str
    claim: str
    moves: bool
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CheckWorkflow:
    """Guard: the instance has this version; 0 also where there is none. Refused: `workflow`, the handle."""

    tenant: str
    machine: str
    handle: str
    version: int


@dataclass(frozen=True, slots=True)
class DropWorkflow:
    """Remove an instance that is kept elsewhere from now on. Refused (`workflow`, the handle) unless it is there with this version and
    nobody holds it."""

    tenant: str
    machine: str
    handle: str
    version: int


@dataclass(frozen=True, slots=True)
class SweepWorkflows:
    """Remove at most `limit` instances of the tenant that are expired at `now` and that nobody holds; longest over first."""

    tenant: str
    now: datetime
    limit: int


@dataclass(frozen=True, slots=True)
class HoldProposal:
    """Park a planned call. Refused (`proposal`) where the id exists."""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class DecideProposal:
    """Move a proposal. Refused (`proposal`) unless it is in `expected`."""

    tenant: str
    proposal: str
    expected: ProposalState
    state: ProposalState
    at: datetime
    by: str | None = None


@dataclass(frozen=True, slots=True)
class KeepCode:
    """Keep the hash of a code that is about to be sent for a proposal; it takes the place of the one before.

    Refused (`proposal`) unless the proposal is pending and `sent` codes were sent for it so far; (`limit`) where `most` codes were kept
    for its user already at `since` or later, for whichever proposals, whatever became of those and of their sessions. Older ones are
    forgotten.
    """

    tenant: str
    proposal: str
    sent: int
    code: str = field(repr=False)
    at: datetime
    since: datetime
    most: int


@dataclass(frozen=True, slots=True)
class CountTry:
    """Count a try of a code, before it is compared. Refused (`proposal`) unless the proposal is pending and `tries` were counted so far."""

    tenant: str
    proposal: str
    tries: int


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Open a ledger row before its request is sent; again is nothing."""

    request: Request


@dataclass(frozen=True, slots=True)
class CloseRequest:
    """Close a ledger row: every field but its identity is replaced. A row that is closed already stays as it is,
    and one that is not there is not made."""

    request: Request


@dataclass(frozen=True, slots=True)
class KeepPrefix:
    """Keep a prefix's text under its hash; again is nothing."""

    tenant: str
    hash: str
    text: str


@dataclass(frozen=True, slots=True)
class QueueHook:
    """Queue what must follow a write; again is nothing."""

    hook: QueuedHook


@dataclass(frozen=True, slots=True)
class DeliverHook:
    """A queued hook has run; remove it."""

    tenant: str
    id: str


Operation: TypeAlias = (
    CreateSession
    | DeleteSession
    | ForkSession
    | RewindSession
    | Erase
    | CheckNothingRuns
    | PinSession
    | HoldLease
    | CheckLease
    | RenewLease
    | ReleaseLease
    | RequestStop
    | AppendEvent
    | RenewScratch
    | SweepScratch
    | IntroduceSeen
    | IntroduceTyped
    | ClaimEffect
    | StepEffect
    | SettleEffect
    | FollowEffect
    | SweepEffects
    | StartWorkflow
    | ClaimWorkflow
    | SettleWorkflow
    | CheckWorkflow
    | DropWorkflow
    | SweepWorkflows
    | HoldProposal
    | DecideProposal
    | KeepCode
    | CountTry
    | OpenRequest
    | CloseRequest
    | KeepPrefix
    | QueueHook
    | DeliverHook
)
Batch: TypeAlias = tuple[Operation, ...]
