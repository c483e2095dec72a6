"""Effect records, proposals, hooks, ledger rows and prefixes, written."""

from dataclasses import replace
from typing import TypeAlias, assert_never

from handgriff.core.batch import (
    ClaimEffect,
    CloseRequest,
    DecideProposal,
    DeliverHook,
    HoldProposal,
    KeepPrefix,
    OpenRequest,
    QueueHook,
    SettleEffect,
    StepEffect,
)
from handgriff.core.rows import Effect, Request
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.tables import Tables

RecordOperation: TypeAlias = (
    ClaimEffect
    | StepEffect
    | SettleEffect
    | HoldProposal
    | DecideProposal
    | QueueHook
    | DeliverHook
    | OpenRequest
    | CloseRequest
    | KeepPrefix
)


def write_record(tables: Tables, operation: RecordOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case ClaimEffect(effect):
            _claim(tables, effect)
        case StepEffect() | SettleEffect():
            _continue(tables, operation)
        case HoldProposal(proposal):
            if not tables.add(tables.proposals, (proposal.tenant, proposal.id), proposal):
                raise CommitRefused("proposal", proposal.id)
        case DecideProposal():
            _decide(tables, operation)
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


def _claim(tables: Tables, effect: Effect) -> None:
    key = (effect.tenant, effect.tool, effect.key)
    if tables.add(tables.effects, key, effect):
        return
    held = tables.effects[key]
    if (held.state, held.digest) != ("failed", effect.digest):
        raise CommitRefused("effect", effect.key)
    tables.put(tables.effects, key, replace(effect, steps=held.steps))


def _continue(tables: Tables, operation: StepEffect | SettleEffect) -> None:
    key = (operation.tenant, operation.tool, operation.key)
    held = tables.effects.get(key)
    if held is None or held.claim != operation.claim:
        raise CommitRefused("effect", operation.key)
    is_unresolved = held.state == "indeterminate" and held.resolved_by is None
    match operation:
        case StepEffect(name=name, result=result) if held.state == "running":
            changed = replace(held, steps=(*held.steps, (name, result)))
        case SettleEffect(state=state, at=at, result=result, resolved_by=by) if held.state == "running" or is_unresolved:
            changed = replace(held, state=state, settled_at=at, result=result, resolved_by=by)
        case _:
            raise CommitRefused("effect", operation.key)
    tables.put(tables.effects, key, changed)


def _decide(tables: Tables, operation: DecideProposal) -> None:
    held = tables.proposals.get((operation.tenant, operation.proposal))
    if held is None or held.state != operation.expected:
        raise CommitRefused("proposal", operation.proposal)
    decided = replace(held, state=operation.state, decided_by=operation.by, decided_at=operation.at)
    tables.put(tables.proposals, (held.tenant, held.id), decided)


def _close(tables: Tables, request: Request) -> None:
    held = tables.requests.get((request.tenant, request.id))
    if held is not None and held.status == "open":
        tables.put(tables.requests, (request.tenant, request.id), request)
