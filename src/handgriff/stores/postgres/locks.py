"""What a batch must lock before its first operation, so that no two batches wait for each other in a circle.

Most batches need nothing of this: one session, whose first operation locks it, and whose delta has its places in order. Where there are
workflows, everything is locked before: whoever removes a session or a user goes from sessions to workflows to effects, and so do all.
"""

from collections.abc import Sequence
from typing import TypeAlias

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    CheckLease,
    CheckNothingRuns,
    CheckWorkflow,
    ClaimEffect,
    ClaimWorkflow,
    DeleteSession,
    DropWorkflow,
    ForkSession,
    HoldLease,
    IntroduceSeen,
    IntroduceTyped,
    Operation,
    PinSession,
    ReleaseLease,
    RenewLease,
    RenewScratch,
    RequestStop,
    RewindSession,
    SettleWorkflow,
    StartWorkflow,
)
from handgriff.core.delta import Clear, Renew
from handgriff.core.scope import scope_id
from handgriff.stores.postgres.texts import kept, kept_tenant

Place: TypeAlias = tuple[str, str, str]
"""Tenant, then 'session' or a scope that sessions share, then id."""
Instance: TypeAlias = tuple[str, str, str]
"""Tenant, machine, handle."""

_LOCKING = (
    AppendEvent,
    CheckLease,
    CheckNothingRuns,
    HoldLease,
    RenewLease,
    ReleaseLease,
    IntroduceSeen,
    IntroduceTyped,
    PinSession,
    RewindSession,
)
"""Operations whose own statement locks the session they name, where they name one."""
_OTHERS = (DeleteSession, RenewScratch, RequestStop)


def locks_of(batch: Batch) -> Sequence[str]:
    """Kind, tenant and id of each lock, one behind the other."""
    if len(batch) == 1:
        return ()
    workflows = {instance for instance in map(_instance, batch) if instance is not None}
    sessions = {place for place in map(_session, batch) if place is not None}
    if workflows:
        sessions |= {place for place in map(_owner, batch) if place is not None}
    elif len(sessions) == 1 and isinstance(batch[0], _LOCKING) and _session(batch[0]) is not None:
        sessions.clear()
    changes = [places for operation in batch if isinstance(operation, AppendEvent) and (places := _shared(operation))]
    shared = set().union(*changes) if len(changes) > 1 or workflows else set()
    return [
        *(word for place in (*sorted(sessions), *sorted(shared)) for word in (place[1], kept_tenant(place[0]), kept(place[2]))),
        *(word for tenant, *ids in sorted(workflows) for word in ("workflow", kept_tenant(tenant), *map(kept, ids))),
    ]


def _session(operation: Operation) -> Place | None:
    if isinstance(operation, (*_LOCKING, *_OTHERS)):
        return None if operation.session is None else (operation.tenant, "session", operation.session)
    return (operation.session.tenant, "session", operation.source) if isinstance(operation, ForkSession) else None


def _owner(operation: Operation) -> Place | None:
    """The session of an effect or a workflow, whose own statement locks it too, but later."""
    match operation:
        case ClaimEffect(effect):
            return effect.tenant, "session", effect.session
        case StartWorkflow(workflow) if workflow.session is not None:
            return workflow.tenant, "session", workflow.session
        case _:
            return None


def _instance(operation: Operation) -> Instance | None:
    match operation:
        case StartWorkflow(workflow):
            return workflow.tenant, workflow.machine, workflow.handle
        case ClaimWorkflow() | SettleWorkflow() | CheckWorkflow() | DropWorkflow():
            return operation.tenant, operation.machine, operation.handle
        case _:
            return None


def _shared(operation: AppendEvent) -> set[Place]:
    change = operation.change
    if change is None:
        return set()
    scopes = {each.scope for each in change.delta if not isinstance(each, (Renew, Clear))} & {"app", "user"}
    return {(operation.tenant, scope, scope_id(scope, change.user, operation.session)) for scope in scopes}
