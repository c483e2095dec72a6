"""What must follow a write: queued in the commit of its outcome, delivered at least once, bound in code."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from handgriff.core import jsontext
from handgriff.core.batch import DeliverHook, QueueHook
from handgriff.core.codec import pack, unpack
from handgriff.core.events import Shown
from handgriff.core.outcome import Outcome
from handgriff.core.rows import QueuedHook
from handgriff.ports.ids import Ids
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.invoke import invoke
from handgriff.runtime.boundary.ready import Ready

_LOG = logging.getLogger("handgriff.hooks")


@dataclass(frozen=True, slots=True)
class AfterCall:
    """What an `after_call` hook is told. It may be told twice, so `call` is what to recognise a repetition by."""

    tenant: str
    user: str
    session: str
    call: str
    tool: str
    arguments: str
    """Canonical JSON text."""
    shown: Shown


def queued(ready: Ready, outcome: Outcome, *, now: datetime, ids: Ids) -> tuple[QueueHook, ...]:
    """The queue row of this call, where its tool has hooks."""
    if not ready.contract.after_call:
        return ()
    attempt, place = ready.attempt, ready.attempt.place
    told = AfterCall(place.tenant, place.user, place.session, attempt.id, ready.contract.name, ready.arguments.canonical, outcome.shown)
    payload = jsontext.dumps(pack(told))
    return (QueueHook(QueuedHook(place.tenant, ids.new("hook"), place.session, place.user, attempt.id, ready.contract.name, payload, now)),)


async def deliver(store: Store, assistant: Assistant, tenant: str) -> None:
    """Deliver what is queued for *tenant*, oldest first. A hook that raises is logged and stays queued for the next access."""
    for hook in await store.hooks(tenant):
        contract = assistant.contract(hook.tool)
        told = unpack(AfterCall, jsontext.loads(hook.payload))
        if await _ran(contract.after_call if contract else (), told):
            await store.commit((DeliverHook(hook.tenant, hook.id),))


async def _ran(hooks: Sequence[object], told: AfterCall) -> bool:
    for hook in hooks:
        try:
            await invoke(hook, told)  # type: ignore[arg-type]  # a handler by the contract's type
        except Exception:  # noqa: BLE001  # the application's own code may raise anything; it must not end the turn
            _LOG.exception("after_call of %s, call %s, failed; it stays queued", told.tool, told.call)
            return False
    return True
