"""What a batch must lock before its first operation, so that no two batches wait for each other in a circle.

Most batches need nothing of this: one session, whose first operation locks it, and whose delta has its places in order.
"""

from collections.abc import Sequence
from typing import TypeAlias

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    CheckLease,
    CheckNothingRuns,
    DeleteSession,
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
)
from handgriff.core.delta import Clear, Renew
from handgriff.core.scope import scope_id
from handgriff.stores.postgres.texts import kept, kept_tenant

Place: TypeAlias = tuple[str, str, str]
"""Tenant, then 'session' or a scope that sessions share, then id."""

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
    sessions = {place for place in map(_session, batch) if place is not None}
    if len(sessions) == 1 and isinstance(batch[0], _LOCKING) and _session(batch[0]) is not None:
        sessions.clear()
    changes = [places for operation in batch if isinstance(operation, AppendEvent) and (places := _shared(operation))]
    shared = set().union(*changes) if len(changes) > 1 else set()
    return [word for place in (*sorted(sessions), *sorted(shared)) for word in (place[1], kept_tenant(place[0]), kept(place[2]))]


def _session(operation: Operation) -> Place | None:
    if isinstance(operation, (*_LOCKING, *_OTHERS)):
        return None if operation.session is None else (operation.tenant, "session", operation.session)
    return (operation.session.tenant, "session", operation.source) if isinstance(operation, ForkSession) else None


def _shared(operation: AppendEvent) -> set[Place]:
    change = operation.change
    if change is None:
        return set()
    scopes = {each.scope for each in change.delta if not isinstance(each, (Renew, Clear))} & {"app", "user"}
    return {(operation.tenant, scope, scope_id(scope, change.user, operation.session)) for scope in scopes}
