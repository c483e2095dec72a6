"""What must follow a write: queued in the commit of its outcome, delivered at least once, bound in code."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from handgriff.core import jsontext
from handgriff.core.batch import DeliverHook, QueueHook
from handgriff.core.codec import pack, unpack
from handgriff.core.contract import Handler
from handgriff.core.events import Shown
from handgriff.core.outcome import Outcome
from handgriff.core.rows import QueuedHook
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.invoke import TimedOut, invoke_within
from handgriff.runtime.boundary.ready import Ready

_LOG = logging.getLogger("handgriff.hooks")
REST = timedelta(minutes=5)
"""How long a hook that took too long is left alone by this process."""


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


@dataclass(frozen=True, slots=True)
class Outbox:
    """Delivers what is queued. A hook has `seconds`; one that took longer rests for a while, so that it holds up no other turn."""

    store: Store
    assistant: Assistant
    clock: Clock
    seconds: float
    _resting: dict[str, datetime] = field(default_factory=dict)

    async def deliver(self, tenant: str) -> None:
        """Deliver what is queued for *tenant*, oldest first. What fails is logged and stays queued for the next access."""
        now = self.clock.now()
        for hook in await self.store.hooks(tenant):
            if now < self._resting.get(hook.id, now):
                continue
            contract = self.assistant.contract(hook.tool)
            if await self._ran(hook, contract.after_call if contract else ()):
                self._resting.pop(hook.id, None)
                await self.store.commit((DeliverHook(hook.tenant, hook.id),))

    async def _ran(self, queued: QueuedHook, hooks: Sequence[Handler]) -> bool:
        told = unpack(AfterCall, jsontext.loads(queued.payload))
        for hook in hooks:
            try:
                await invoke_within(self.seconds, hook, told)
            except TimedOut:
                self._resting[queued.id] = self.clock.now() + REST
                _LOG.exception("after_call of %s, call %s, took over %s s; it stays queued", told.tool, told.call, self.seconds)
                return False
            except Exception:  # noqa: BLE001  # the application's own code may raise anything; it must not end the turn
                _LOG.exception("after_call of %s, call %s, failed; it stays queued", told.tool, told.call)
                return False
        return True
