"""What a store is asked to write: a batch is a tuple of these, and all of it holds or none.

Guards are operations too: a batch that carries one is refused as a whole when it does not hold.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from handgriff.core.events import ProposalState, Written
from handgriff.core.rows import Effect, EffectState, Pinned, Proposal, QueuedHook, Request, Session
from handgriff.core.state import Delta


@dataclass(frozen=True, slots=True)
class CreateSession:
    """A new session. Refused (`session`) where the id, (`alias`) where the alias of this tenant and user exists."""

    session: Session


@dataclass(frozen=True, slots=True)
class DeleteSession:
    """Remove a session with its events, state, seen values, proposals, effects and queued hooks; ledger rows stay.

    With `keep_since`, effects claimed since then stay, because their keys still protect (specification 7.1), and so do queued hooks,
    because what must follow a write follows it although its session is gone.
    """

    tenant: str
    session: str
    keep_since: datetime | None = None


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
class AppendEvent:
    """Append with a store-assigned seq. The same id with the same body stores once and answers its seq; with another body it is refused
    (`event`). An unknown session is refused (`session`)."""

    tenant: str
    session: str
    event: Written


@dataclass(frozen=True, slots=True)
class ApplyDelta:
    """Apply operations in order. The user decides where `user` keys live. An unknown session is refused (`session`)."""

    tenant: str
    session: str
    user: str
    delta: Delta


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
    """Claim an effect before it runs. Refused (`effect`) where the key is taken, unless the record is `failed` with the same digest:
    then it is claimed anew and keeps its steps."""

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
    """Settle by claim id. Refused (`effect`) where the record is not this claim's, or neither running nor indeterminate-unresolved."""

    tenant: str
    tool: str
    key: str
    claim: str
    state: EffectState
    at: datetime
    result: str | None = None
    resolved_by: str | None = None


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
    | PinSession
    | HoldLease
    | CheckLease
    | RenewLease
    | ReleaseLease
    | RequestStop
    | AppendEvent
    | ApplyDelta
    | IntroduceSeen
    | IntroduceTyped
    | ClaimEffect
    | StepEffect
    | SettleEffect
    | HoldProposal
    | DecideProposal
    | OpenRequest
    | CloseRequest
    | KeepPrefix
    | QueueHook
    | DeliverHook
)
Batch: TypeAlias = tuple[Operation, ...]
