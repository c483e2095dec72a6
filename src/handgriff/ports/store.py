"""The store port: typed reads, and one atomic write. What must be true together is written together.

Adapters keep one row per tenant, scope, id and key; tenant is the first column of every primary key, and ids are never joined.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from handgriff.core.batch import Batch
from handgriff.core.delta import Value
from handgriff.core.events import Event, ProposalState
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook, Record, Request, Session, Workflow
from handgriff.core.scope import Scope
from handgriff.core.state import Totals

Guard: TypeAlias = Literal["session", "alias", "lease", "event", "effect", "workflow", "proposal", "state", "limit"]


class CommitRefused(Exception):  # an answer, not a failure: the world moved
    """A guard of the batch did not hold, and nothing of it was written. `guard` says which, `subject` of what."""

    guard: Guard
    subject: str

    def __init__(self, guard: Guard, subject: str) -> None:
        super().__init__(f"the {guard} guard of {subject!r} does not hold")
        self.guard = guard
        self.subject = subject


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit assigned: the seqs of its `AppendEvent`s, in their order, and how many records its sweeps removed."""

    seqs: tuple[int, ...] = ()
    swept: int = 0


class Writer(Protocol):
    """The one way to write."""

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write all of *batch* or nothing. With *durable* it has reached the disk when this returns.

        Raises:
            CommitRefused: a guard does not hold.
            BackendError: the store could not be reached or is broken.
        """
        ...

    async def close(self) -> None:
        """Finish what was accepted and let go of what the adapter opened itself."""
        ...


class SessionReads(Protocol):
    """Sessions, their events and what was seen in them."""

    async def session(self, tenant: str, session: str) -> Session | None:
        """The session, of whichever user; who may see it is decided above."""
        ...

    async def session_by_alias(self, tenant: str, user: str, alias: str) -> Session | None:
        """The session a client's thread id stands for."""
        ...

    async def sessions(self, tenant: str, user: str, *, before: str | None = None, limit: int = 50) -> Sequence[Session]:
        """A user's sessions, newest first (by creation, then id); `before` is the id of the last one already seen."""
        ...

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events with a seq greater than *after*, in order."""
        ...

    async def seen(self, tenant: str, session: str, kind: str, value: str) -> Literal["introduced", "typed"] | None:
        """Whether *value* was introduced as *kind*, or stands in a typed text by itself: three characters or more, with no letter or
        digit directly before or after it."""
        ...


class StateReads(Protocol):
    """State by scope. The id of scope `app` is empty, of `user` the user, of `session` the session. Scratch is read as records."""

    async def values(self, tenant: str, scope: Scope, scope_id: str, keys: Sequence[str] | None = None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        ...

    async def totals(self, tenant: str, scope: Scope, scope_id: str) -> Totals:
        """How much the scope holds."""
        ...

    async def session_values(self, tenant: str, sessions: Sequence[str]) -> dict[str, dict[str, Value]]:
        """The session scope of each of *sessions* that holds anything."""
        ...

    async def prefix(self, tenant: str, hash: str) -> str | None:  # noqa: A002  # the field's name
        """A kept prefix's text."""
        ...


class EffectReads(Protocol):
    """Effect records, proposals, and hooks that wait for delivery."""

    async def effect(self, tenant: str, tool: str, key: str) -> Effect | None:
        """The record of this key."""
        ...

    async def effects(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records, oldest claim first."""
        ...

    async def unsettled(self, tenant: str, *, session: str | None = None) -> Sequence[Effect]:
        """Records that are running or indeterminate, oldest claim first."""
        ...

    async def owing(self, tenant: str, *, session: str | None = None, user: str | None = None) -> Sequence[Effect]:
        """Records that are done, and that an instance outside the store has still to follow; oldest claim first."""
        ...

    async def proposal(self, tenant: str, proposal: str) -> Proposal | None:
        """The proposal, of whichever user."""
        ...

    async def proposals(
        self, tenant: str, *, user: str | None = None, session: str | None = None, state: ProposalState | None = None
    ) -> Sequence[Proposal]:
        """Proposals, oldest first."""
        ...

    async def for_second_person(self, tenant: str, now: datetime) -> Sequence[Proposal]:
        """Pending proposals, of whichever user, that another person must confirm and that are not expired at *now*; oldest first."""
        ...

    async def waiting(self, tenant: str, user: str, now: datetime, *, session: str | None = None) -> Sequence[Proposal]:
        """A user's pending proposals that are not expired at *now*; oldest first."""
        ...

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        """Queued hooks, oldest first."""
        ...


class WorkflowReads(Protocol):
    """Kept instances of machines. Whether one is expired is decided above."""

    async def workflow(self, tenant: str, machine: str, handle: str) -> Workflow | None:
        """The instance of this key, of whichever user."""
        ...

    async def workflows(self, tenant: str, *, session: str | None = None) -> Sequence[Workflow]:
        """A session's own instances, or all of the tenant's; by machine and handle."""
        ...


class LedgerReads(Protocol):
    """Ledger rows."""

    async def requests(self, tenant: str, *, session: str | None = None, turn: str | None = None) -> Sequence[Request]:
        """Rows, oldest first."""
        ...


class ScratchReads(Protocol):
    """Scratch records. One that is expired at *now* is absent."""

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace."""
        ...

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        ...


class OperatorReads(Protocol):
    """What is asked for no caller: work that waits, over all tenants."""

    async def tenants(self) -> Sequence[str]:
        """Every tenant that has a session, state, effects, workflows or ledger rows, in order."""
        ...

    async def interrupted(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions, as (tenant, id), whose lease is over at *now* and still names a turn: what a crash leaves. Oldest lease first."""
        ...

    async def abandoned(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions, as (tenant, id), with an effect that runs by its record and whose lease is over at *now*. Oldest lease first."""
        ...

    async def uncertain(self, tools: Sequence[str], *, after: tuple[str, str] = ("", ""), limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions, as (tenant, id), with an indeterminate effect of one of *tools*: those behind *after*, in order."""
        ...

    async def queueing(self, *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Tenants for which hooks are queued: those behind *after*, in order."""
        ...

    async def idle(self, tenant: str, before: datetime, *, limit: int = 100) -> Sequence[str]:
        """Ids of the tenant's sessions without an event since *before*, longest idle first."""
        ...


class Store(Writer, SessionReads, StateReads, ScratchReads, EffectReads, WorkflowReads, LedgerReads, OperatorReads, Protocol):
    """Everything one store must do."""
