"""Hooks, ledger rows and prefixes, written; effect records and proposals are written beside it."""

from typing import TypeAlias, assert_never

from handgriff.core.batch import (
    ClaimEffect,
    CloseRequest,
    CountTry,
    DecideProposal,
    DeliverHook,
    FollowEffect,
    HoldProposal,
    KeepCode,
    KeepPrefix,
    OpenRequest,
    QueueHook,
    SettleEffect,
    StepEffect,
)
from handgriff.core.rows import Request
from handgriff.stores.memory.effects import EffectOperation, write_effect
from handgriff.stores.memory.proposals import ProposalOperation, write_proposal
from handgriff.stores.memory.tables import Tables

RecordOperation: TypeAlias = EffectOperation | ProposalOperation | QueueHook | DeliverHook | OpenRequest | CloseRequest | KeepPrefix


def write_record(tables: Tables, operation: RecordOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case ClaimEffect() | StepEffect() | SettleEffect() | FollowEffect():
            write_effect(tables, operation)
        case HoldProposal() | DecideProposal() | KeepCode() | CountTry():
            write_proposal(tables, operation)
        case QueueHook(hook):
            tables.add(tables.hooks, (hook.tenant, hook.id), hook)
        case DeliverHook(tenant, hook_id):
            tables.drop(tables.hooks, lambda key, _: key == (tenant, hook_id))
        case OpenRequest(request):
            tables.add(tables.requests, (request.tenant, request.id), request)
        case CloseRequest(request):
            _close(tables, request)
        case KeepPrefix(tenant, digest, text):
            tables.add(tables.prefixes, (tenant, digest), text)
        case _:
            assert_never(operation)


def _close(tables: Tables, request: Request) -> None:
    held = tables.requests.get((request.tenant, request.id))
    if held is not None and held.status == "open":
        tables.put(tables.requests, (request.tenant, request.id), request)
