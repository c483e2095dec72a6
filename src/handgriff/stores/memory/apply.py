"""A batch applied: operations in their order. It raises at the first guard that does not hold; the tables take back the rest."""

from typing import assert_never

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
from handgriff.stores.memory.conversation import append_event, write_conversation
from handgriff.stores.memory.records import write_record
from handgriff.stores.memory.sessions import write_lease, write_session
from handgriff.stores.memory.tables import Tables


def apply(tables: Tables, batch: Batch) -> tuple[int, ...]:
    """Apply *batch* and return the seqs of its events.

    Raises:
        CommitRefused: a guard does not hold.
    """
    return tuple(seq for operation in batch if (seq := _apply(tables, operation)) is not None)


def _apply(tables: Tables, operation: Operation) -> int | None:
    match operation:
        case AppendEvent(tenant, session, event):
            return append_event(tables, tenant, session, event)
        case ApplyDelta() | IntroduceSeen() | IntroduceTyped():
            write_conversation(tables, operation)
        case CreateSession() | DeleteSession() | PinSession() | RequestStop():
            write_session(tables, operation)
        case HoldLease() | CheckLease() | RenewLease() | ReleaseLease():
            write_lease(tables, operation)
        case ClaimEffect() | StepEffect() | SettleEffect() | HoldProposal() | DecideProposal() | QueueHook() | DeliverHook():
            write_record(tables, operation)
        case OpenRequest() | CloseRequest() | KeepPrefix():
            write_record(tables, operation)
        case _:
            assert_never(operation)
    return None
