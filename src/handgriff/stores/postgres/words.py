"""A batch as the words that `handgriff.commit` reads: one array for everything, because it is what the server takes apart the fastest.

Each operation is its kind, its tenant, and what the comment at its function in `schema/` says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    CheckLease,
    CheckNothingRuns,
    CheckWorkflow,
    ClaimEffect,
    ClaimWorkflow,
    CloseRequest,
    CountTry,
    CreateSession,
    DecideProposal,
    DeleteSession,
    DeliverHook,
    DropWorkflow,
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
    SettleWorkflow,
    StartWorkflow,
    StepEffect,
    SweepEffects,
    SweepScratch,
    SweepWorkflows,
)
from handgriff.stores.postgres.changes import append_words
from handgriff.stores.postgres.columns import Word
from handgriff.stores.postgres.locks import locks_of
from handgriff.stores.postgres.records import ledger_words, record_words
from handgriff.stores.postgres.sessions import lease_words, seen_words, session_words
from handgriff.stores.postgres.texts import kept_all, kept_tenant
from handgriff.stores.postgres.workflows import workflow_words


@dataclass(frozen=True, slots=True)
class Words:
    """A batch, ready to be sent."""

    words: Sequence[Word]
    starts: Sequence[int]
    """Where each operation begins, counted from 1 as PostgreSQL counts."""
    locks: Sequence[str]


def words_of(batch: Batch) -> Words:
    """The words of *batch*.

    Raises:
        UnicodeEncodeError: it holds text that is no Unicode.
        JsonError: it holds a value that is not JSON.
    """
    words: list[Word] = []
    starts: list[int] = []
    for operation in batch:
        starts.append(len(words) + 1)
        words += _words(operation)
    sent = list(kept_all(words))
    for start in starts:
        sent[start] = sent[start] or kept_tenant("")
    return Words(sent, starts, locks_of(batch))


def _words(operation: Operation) -> Sequence[Word]:
    match operation:
        case AppendEvent():
            return append_words(operation)
        case HoldLease() | CheckLease() | RenewLease() | ReleaseLease() | RequestStop():
            return lease_words(operation)
        case IntroduceSeen() | IntroduceTyped() | RenewScratch() | SweepScratch():
            return seen_words(operation)
        case CreateSession() | DeleteSession() | ForkSession() | RewindSession() | Erase() | PinSession():
            return session_words(operation)
        case ClaimEffect() | StepEffect() | SettleEffect() | HoldProposal() | DecideProposal() | QueueHook() | DeliverHook():
            return record_words(operation)
        case FollowEffect() | KeepCode() | CountTry() | CheckNothingRuns() | SweepEffects():
            return record_words(operation)
        case StartWorkflow() | ClaimWorkflow() | SettleWorkflow() | CheckWorkflow() | DropWorkflow() | SweepWorkflows():
            return workflow_words(operation)
        case OpenRequest() | CloseRequest() | KeepPrefix():
            return ledger_words(operation)
        case _:
            assert_never(operation)
