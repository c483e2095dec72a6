"""A batch applied: operations in their order. It raises at the first guard that does not hold; the tables take back the rest."""

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
from handgriff.stores.memory.conversation import append_event, renew_scratch, sweep_scratch, write_seen
from handgriff.stores.memory.copies import fork_session, rewind_session
from handgriff.stores.memory.effects import check_nothing_runs, sweep_effects
from handgriff.stores.memory.erasure import erase
from handgriff.stores.memory.records import write_record
from handgriff.stores.memory.sessions import write_lease, write_session
from handgriff.stores.memory.tables import Tables
from handgriff.stores.memory.workflows import sweep_workflows, write_workflow


def apply(tables: Tables, batch: Batch) -> Committed:
    """Apply *batch*.

    Raises:
        CommitRefused: a guard does not hold.
    """
    seqs: list[int] = []
    swept = 0
    for operation in batch:
        match operation:
            case AppendEvent():
                seqs.append(append_event(tables, operation))
            case SweepScratch():
                swept += sweep_scratch(tables, operation)
            case SweepEffects():
                swept += sweep_effects(tables, operation)
            case SweepWorkflows():
                swept += sweep_workflows(tables, operation)
            case _:
                _apply(tables, operation)
    return Committed(tuple(seqs), swept)


def _apply(tables: Tables, operation: Operation) -> None:
    match operation:
        case IntroduceSeen() | IntroduceTyped():
            write_seen(tables, operation)
        case RenewScratch():
            renew_scratch(tables, operation)
        case CreateSession() | DeleteSession() | PinSession() | RequestStop():
            write_session(tables, operation)
        case ForkSession() | RewindSession() | Erase():
            _rewrite(tables, operation)
        case CheckNothingRuns():
            check_nothing_runs(tables, operation)
        case HoldLease() | CheckLease() | RenewLease() | ReleaseLease():
            write_lease(tables, operation)
        case ClaimEffect() | StepEffect() | SettleEffect() | HoldProposal() | DecideProposal() | QueueHook() | DeliverHook():
            write_record(tables, operation)
        case FollowEffect() | KeepCode() | CountTry() | OpenRequest() | CloseRequest() | KeepPrefix():
            write_record(tables, operation)
        case StartWorkflow() | ClaimWorkflow() | SettleWorkflow() | CheckWorkflow() | DropWorkflow():
            write_workflow(tables, operation)
        case AppendEvent() | SweepScratch() | SweepEffects() | SweepWorkflows():
            raise AssertionError("applied above, because they answer something")
        case _:
            assert_never(operation)


def _rewrite(tables: Tables, operation: ForkSession | RewindSession | Erase) -> None:
    match operation:
        case ForkSession():
            fork_session(tables, operation)
        case RewindSession():
            rewind_session(tables, operation)
        case Erase():
            erase(tables, operation)
        case _:
            assert_never(operation)
