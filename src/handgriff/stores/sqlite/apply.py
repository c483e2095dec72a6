"""A batch applied: operations in their order, inside a transaction somebody else began.

It raises `CommitRefused` at the first guard that does not hold, and leaves it to the transaction to take back what was written.
"""

import sqlite3
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
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.conversation import Conversation
from handgriff.stores.sqlite.copies import fork_session, rewind_session
from handgriff.stores.sqlite.effects import check_nothing_runs, sweep_effects
from handgriff.stores.sqlite.records import write_record
from handgriff.stores.sqlite.removal import delete_session, erase
from handgriff.stores.sqlite.scratch import renew_scratch, sweep_scratch
from handgriff.stores.sqlite.sessions import write_session
from handgriff.stores.sqlite.workflows import sweep_workflows, write_workflow


def apply(cursor: sqlite3.Cursor, batch: Batch) -> Committed:
    """Apply *batch*.

    Raises:
        CommitRefused: a guard does not hold; what was written before it must be taken back.
        sqlite3.Error: SQLite could not.
    """
    conversation = Conversation(cursor)
    swept = 0
    for operation in batch:
        match operation:
            case AppendEvent():
                conversation.append(operation)
            case IntroduceSeen() | IntroduceTyped():
                conversation.introduce(operation)
            case SweepScratch():
                swept += sweep_scratch(cursor, operation)
            case SweepEffects():
                swept += sweep_effects(cursor, operation)
            case SweepWorkflows():
                swept += sweep_workflows(cursor, operation)
            case DeleteSession() | ForkSession() | RewindSession() | Erase():
                _rewrite(cursor, operation)
                conversation.forget()
            case _:
                _apply(cursor, operation)
    return Committed(tuple(conversation.seqs), swept)


def _rewrite(cursor: sqlite3.Cursor, operation: DeleteSession | ForkSession | RewindSession | Erase) -> None:
    match operation:
        case DeleteSession():
            delete_session(cursor, operation)
        case ForkSession():
            fork_session(cursor, operation)
        case RewindSession():
            rewind_session(cursor, operation)
        case Erase():
            erase(cursor, operation)
        case _:
            assert_never(operation)


def _apply(cursor: sqlite3.Cursor, operation: Operation) -> None:
    match operation:
        case CheckLease() | HoldLease() | RenewLease() | ReleaseLease():
            write_session(cursor, operation)
        case CheckNothingRuns():
            check_nothing_runs(cursor, operation)
        case CreateSession() | PinSession() | RequestStop():
            write_session(cursor, operation)
        case ClaimEffect() | StepEffect() | SettleEffect() | HoldProposal() | DecideProposal() | QueueHook() | DeliverHook():
            write_record(cursor, operation)
        case FollowEffect() | KeepCode() | CountTry() | OpenRequest() | CloseRequest() | KeepPrefix():
            write_record(cursor, operation)
        case StartWorkflow() | ClaimWorkflow() | SettleWorkflow() | CheckWorkflow() | DropWorkflow():
            write_workflow(cursor, operation)
        case RenewScratch():
            renew_scratch(cursor, operation)
        case (
            AppendEvent()
            | IntroduceSeen()
            | IntroduceTyped()
            | SweepScratch()
            | SweepEffects()
            | SweepWorkflows()
            | DeleteSession()
            | ForkSession()
            | RewindSession()
            | Erase()
        ):
            raise AssertionError("applied above")
        case _:
            assert_never(operation)
