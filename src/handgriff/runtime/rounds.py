"""What an open host looks after by itself, of any tenant: turns and effects whose process has died, what nobody knows, queued hooks.

Each kind goes its own rounds, a few places at a time: what can't be read, or takes long to answer, stops nobody else's.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, TypeAlias

import anyio

from handgriff.runtime.beside import beside
from handgriff.runtime.engine import Engine
from handgriff.runtime.recover import recover, recover_deleted
from handgriff.runtime.rests import Rests

ROUND_SECONDS = 10.0
"""How long a crashed turn waits after its lease to be found, at most."""
STEP: Final = 100
"""Places of a kind that one round looks at."""
AT_ONCE: Final = 8
DAMAGED: Final = (timedelta(seconds=ROUND_SECONDS), timedelta(minutes=10))
"""How long what could not be looked at is left alone: at first, and at most."""
UNKNOWN: Final = (timedelta(minutes=1), timedelta(hours=1))
"""How long the outside world is not asked again about what it did not know. Whoever looks at the session asks at once."""
Place: TypeAlias = tuple[str, str]
"""Tenant and session."""
_Look: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Rounds:
    """Goes round until it is cancelled."""

    engine: Engine
    _damaged: Rests[Place] = field(default_factory=lambda: Rests(*DAMAGED))
    _unknown: Rests[Place] = field(default_factory=lambda: Rests(*UNKNOWN))
    _asked: Place = ("", "")
    """Behind which place the next round over uncertain effects begins."""
    _delivered: str = ""
    """Behind which tenant the next round over queued hooks begins."""

    async def run(self) -> None:
        """Look, wait, look again."""
        first, *others = self._looks()
        async with anyio.create_task_group() as group:
            for look in others:
                group.start_soon(self._go_round, look)
            await self._go_round(first)

    async def once(self) -> None:
        """Close every turn, and settle every effect, whose lease is over and that no process holds any more; ask about what nobody knows;
        deliver the hooks that were left behind."""
        async with anyio.create_task_group() as group:
            for look in self._looks():
                group.start_soon(self._looked, look)

    def _looks(self) -> tuple[_Look, ...]:
        return (self._left_behind, self._uncertain, self._hooks)

    async def _go_round(self, look: _Look) -> None:
        while True:
            await self._looked(look)
            await self.engine.clock.sleep(ROUND_SECONDS)

    async def _looked(self, look: _Look) -> None:
        try:
            await look()
        except Exception:
            # The store may be away for a while; the next round finds what this one has missed.
            self.engine.log.exception("a round over what was left behind failed")

    async def _left_behind(self) -> None:
        store, now = self.engine.store, self.engine.clock.now()
        self._damaged.forget(now)
        # What rests is read all the same; it must not fill the places of what doesn't.
        limit = STEP + len(self._damaged)
        found = (*await store.interrupted(now, limit=limit), *await store.abandoned(now, limit=limit))
        await self._each([place for place in dict.fromkeys(found) if not self._damaged.rests(place, now)])

    async def _uncertain(self) -> None:
        contracts, now = self.engine.assistant.contracts, self.engine.clock.now()
        self._unknown.forget(now)
        self.engine.boundary.truths.forget_answers()
        tools = sorted(name for name, contract in contracts.items() if contract.reconcile is not None)
        if not tools:
            return
        found = await self.engine.store.uncertain(tools, after=self._asked, limit=STEP)
        self._asked = found[-1] if len(found) == STEP else ("", "")
        due = [place for place in found if not (place in self.engine.live or self._unknown.rests(place, now))]
        for place in due:
            self._unknown.begin(place, now)
        await self._each(due)

    async def _hooks(self) -> None:
        found = await self.engine.store.queueing(after=self._delivered, limit=STEP)
        self._delivered = found[-1] if len(found) == STEP else ""
        await beside(found, self._deliver, most=AT_ONCE)

    async def _deliver(self, tenant: str) -> None:
        try:
            await self.engine.outbox.deliver(tenant, fresh=False)
        except Exception:
            self.engine.log.exception("the hooks of tenant %r could not be delivered", tenant)

    async def _each(self, places: Sequence[Place]) -> None:
        # A turn of this very process that was held up renews its lease itself, or finds that somebody took it; its calls settle themselves.
        here = {*self.engine.live, *self.engine.boundary.effects.own.values()}
        await beside([place for place in places if place not in here], self._recover, most=AT_ONCE)

    async def _recover(self, place: Place) -> None:
        engine = self.engine
        try:
            session = await engine.store.session(*place)
            await (recover_deleted(engine, *place) if session is None else recover(engine, session))
        except Exception:
            self._damaged.begin(place, engine.clock.now())
            engine.log.exception("session %s of tenant %r could not be looked after; it is left alone for a while", place[1], place[0])
        else:
            self._damaged.end(place)
