"""What must follow a write: queued in the commit of its outcome, delivered at least once, bound in code.

Each hook has a row of its own, so that one that fails does not repeat another. The hooks of one call are told in their order: a later one
waits for an earlier one.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from handgriff.core import jsontext
from handgriff.core.batch import DeliverHook, QueueHook
from handgriff.core.call import Reading
from handgriff.core.codec import pack, unpack
from handgriff.core.contract import Contract, Handler
from handgriff.core.events import Shown
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Effect, QueuedHook
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.invoke import TimedOut, invoke_within
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.state import BoundState
from handgriff.runtime.boundary.tellings import Tellings
from handgriff.runtime.notebooks import FOLLOWS, Notebooks

_LOG = logging.getLogger("handgriff.hooks")
AT_MOST: Final = 20
"""How many hooks one access tells. What is left is told by the next one, or by the rounds."""
FRESH: Final = timedelta(seconds=30)
"""How much longer than a hook's time the rounds leave a row to whoever queued it: that may be another process, which is at it."""
UNBOUND_KEPT: Final = timedelta(days=7)
"""How long a row waits for a hook that no code binds any more; a newer server beside this one may bind it."""


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
    """The queue rows of this call: one for each hook of its tool."""
    place = ready.attempt.place
    told = AfterCall(
        place.tenant, place.user, place.session, ready.attempt.id, ready.contract.name, ready.arguments.canonical, outcome.shown
    )
    return tuple(map(QueueHook, _rows(told, ready.contract, now, ids)))


def queued_for(effect: Effect, contract: Contract, shown: Shown, *, now: datetime, ids: Ids) -> tuple[QueuedHook, ...]:
    """The queue rows of an effect whose success was found out later."""
    told = AfterCall(effect.tenant, effect.user, effect.session, effect.call, effect.tool, effect.arguments, shown)
    return _rows(told, contract, now, ids)


def _rows(told: AfterCall, contract: Contract, now: datetime, ids: Ids) -> tuple[QueuedHook, ...]:
    return tuple(
        QueuedHook(
            told.tenant,
            ids.new("hook"),
            told.session,
            told.user,
            told.call,
            told.tool,
            jsontext.dumps({"hook": name, "told": pack(told)}),
            now,
        )
        for name in _named(contract.after_call)
    )


def _named(hooks: Iterable[Handler]) -> dict[str, Handler]:
    """*hooks* by the names they are queued under, which outlive the process: where they stand in the code, and the how many-th it is."""
    found: dict[str, Handler] = {}
    counts = Counter[str]()
    for hook in hooks:
        name = f"{getattr(hook, '__module__', '')}.{getattr(hook, '__qualname__', type(hook).__qualname__)}"
        counts[name] += 1
        found[name if counts[name] == 1 else f"{name}#{counts[name]}"] = hook
    return found


@dataclass(frozen=True, slots=True)
class Outbox:
    """Delivers what is queued. A hook has `seconds`; one that took longer rests for a while, so that it holds up no other turn.

    A row is told by one delivery of this process at a time.
    """

    store: Store
    assistant: Assistant
    clock: Clock
    seconds: float
    notebooks: Notebooks
    _tellings: dict[str, Tellings] = field(default_factory=dict)

    async def deliver(self, tenant: str, *, fresh: bool = True) -> None:
        """Deliver what is queued for *tenant*, oldest first, as far as one access goes; without *fresh* only what was left behind.

        What fails is logged and stays queued: for the next accesses, and then, ever more seldom, for whoever comes after its rest.
        """
        if self.notebooks.external is not None:
            await self.notebooks.follow_up(tenant)
        tellings = self._tellings.setdefault(tenant, Tellings())
        tellings.lookers += 1
        try:
            await self._deliver(tenant, tellings, fresh=fresh)
        finally:
            tellings.looked()
            if tellings.is_over:
                self._tellings.pop(tenant, None)

    async def _deliver(self, tenant: str, tellings: Tellings, *, fresh: bool) -> None:
        begun, left = self.clock.monotonic(), AT_MOST
        rows = [row for row in await self.store.hooks(tenant) if row.tool != FOLLOWS]
        now = self.clock.now()
        tellings.left({row.id for row in rows}, now)
        oldest = now if fresh else now - timedelta(seconds=self.seconds) - FRESH
        for call, of_call in _by_call(row for row in rows if row.at <= oldest).items():
            # Neither many hooks nor slow ones may hold up whoever came for something else.
            if left <= 0 or self.clock.monotonic() - begun > self.seconds:
                return
            if not tellings.take(call):
                continue
            try:
                left -= await self._told_in_order(of_call, tellings)
            finally:
                tellings.give_back(call)

    async def _told_in_order(self, rows: Sequence[QueuedHook], tellings: Tellings) -> int:
        """How many of these were tried."""
        tried = 0
        for row in rows:
            if tellings.was_heard(row.id):
                continue
            hook, told = _read(row)
            if tellings.rests(row.id, _slow_by(row, hook), self.clock.now()):
                break
            tried += 1
            if not await self._was_told(row, hook, told, tellings):
                break
        return tried

    async def _was_told(self, row: QueuedHook, hook: str | None, told: AfterCall, tellings: Tellings) -> bool:
        hooks = self._bound(row, hook)
        if hooks is None:
            tellings.failed(row.id, self.clock.now())
            return False
        told = replace(told, state=self._state(row))
        for each in hooks:
            try:
                await invoke_within(self.seconds, each, told)
            except TimedOut:
                tellings.took_too_long(row.id, _slow_by(row, hook), self.clock.now())
                _LOG.exception("after_call of %s, call %s, took over %s s; it stays queued", told.tool, told.call, self.seconds)
                return False
            except Exception:  # noqa: BLE001  # the application's own code may raise anything; it must not end the turn
                tellings.failed(row.id, self.clock.now())
                _LOG.exception("after_call of %s, call %s, failed; it stays queued", told.tool, told.call)
                return False
        tellings.heard(row.id)
        await self.store.commit((DeliverHook(row.tenant, row.id),))
        return True

    def _bound(self, row: QueuedHook, hook: str | None) -> tuple[Handler, ...] | None:
        """Whom to tell; None where it is to be waited for, because no code here binds it."""
        contract = self.assistant.contract(row.tool)
        hooks = _named(contract.after_call) if contract else {}
        if hook is None:
            return tuple(hooks.values())
        if hook in hooks:
            return (hooks[hook],)
        if self.clock.now() - row.at < UNBOUND_KEPT:
            _LOG.warning("after_call %s of %s, call %s, is bound nowhere in this server; it stays queued", hook, row.tool, row.call)
            return None
        _LOG.error("after_call %s of %s, call %s, is given up: no server has bound it for %s", hook, row.tool, row.call, UNBOUND_KEPT)
        return ()

    def _state(self, hook: QueuedHook) -> Reading:
        place = Place(hook.tenant, hook.user, hook.session)
        return BoundState(self.store, place, Access(self.assistant.limits.state), self.assistant.declared)


def _by_call(rows: Iterable[QueuedHook]) -> Mapping[tuple[str, str], list[QueuedHook]]:
    found: dict[tuple[str, str], list[QueuedHook]] = {}
    for row in rows:
        found.setdefault((row.session, row.call), []).append(row)
    return found


def _read(row: QueuedHook) -> tuple[str | None, AfterCall]:
    """Which hook, and what it is told. An earlier version queued one row for all hooks of a call, which names none."""
    payload = jsontext.loads(row.payload)
    match payload:
        case {"hook": str(hook), "told": told}:
            return hook, unpack(AfterCall, told)
        case _:
            return None, unpack(AfterCall, payload)


def _slow_by(row: QueuedHook, hook: str | None) -> str:
    return f"{row.tool} {hook}"
