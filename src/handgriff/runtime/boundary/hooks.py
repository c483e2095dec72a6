"""What must follow a write: queued in the commit of its outcome, delivered at least once, bound in code."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from handgriff.core import jsontext
from handgriff.core.batch import DeliverHook, QueueHook
from handgriff.core.call import Reading
from handgriff.core.codec import pack, unpack
from handgriff.core.contract import Handler
from handgriff.core.events import Shown
from handgriff.core.outcome import Outcome
from handgriff.core.rows import QueuedHook
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.invoke import TimedOut, invoke_within
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.state import BoundState
from handgriff.runtime.notebooks import FOLLOWS, Notebooks

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
    state: Reading = None  # type: ignore[assignment]  # joined when the hook is told; it is no part of what is queued
    """The state of its session as it is when the hook runs, to read; the turn's own values may be gone by then."""


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
    notebooks: Notebooks
    _resting: dict[str, datetime] = field(default_factory=dict)

    async def deliver(self, tenant: str) -> None:
        """Deliver what is queued for *tenant*, oldest first. What fails is logged and stays queued for the next access."""
        now = self.clock.now()
        if self.notebooks.external is not None:
            await self.notebooks.follow_up(tenant)
        for hook in await self.store.hooks(tenant):
            if hook.tool == FOLLOWS or now < self._resting.get(hook.id, now):
                continue
            if await self._delivered(hook):
                self._resting.pop(hook.id, None)
                await self.store.commit((DeliverHook(hook.tenant, hook.id),))

    def _state(self, hook: QueuedHook) -> Reading:
        place = Place(hook.tenant, hook.user, hook.session)
        return BoundState(self.store, place, Access(self.assistant.limits.state), self.assistant.declared)

    async def _delivered(self, hook: QueuedHook) -> bool:
        contract = self.assistant.contract(hook.tool)
        return await self._ran(hook, contract.after_call if contract else ())

    async def _ran(self, queued: QueuedHook, hooks: Sequence[Handler]) -> bool:
        told = replace(unpack(AfterCall, jsontext.loads(queued.payload)), state=self._state(queued))
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
