"""What is watched beside a turn: its lease with the stop flag, its wall time, and whether anybody still reads it.

Below are clock and store; above, the driver runs each watcher as a child of the turn. A watcher tells what has happened; what follows from
it is the machine's business.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import anyio

from handgriff.core.batch import RenewLease
from handgriff.core.turn import Happened, StopRequested, TimeUp
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import LEASE_SECONDS, RENEW_SECONDS, Engine
from handgriff.runtime.turn import RunningTurn

LAST_ANSWER_SECONDS = 60.0
"""How long the last answer may take when the time of a turn is over."""
WATCH_SECONDS = 1.0
"""How often the stop flag is looked at: `stop` from another replica must hold within two seconds."""
JOIN_SECONDS = 30.0
"""How long a turn waits for its first subscriber, also with a grace of 0: one that goes on after a decision begins without any."""


@dataclass(frozen=True, slots=True)
class Watch:
    """One turn's watchers."""

    engine: Engine
    turn: RunningTurn
    tell: Callable[[Happened], None]

    async def lease(self) -> None:
        """Prolong the lease, and look at its stop flag."""
        engine, turn = self.engine, self.turn
        renewed = engine.clock.monotonic()
        while True:
            await engine.clock.sleep(WATCH_SECONDS)
            session = await engine.store.session(turn.session.tenant, turn.session.id)
            if session is None or session.lease.epoch != turn.epoch:
                self.tell(StopRequested("lease"))
                return
            if session.lease.stop:
                self.tell(StopRequested("stop"))
            # By the clock, because a sleep may have taken far longer than it should.
            if engine.clock.monotonic() - renewed >= RENEW_SECONDS:
                renewed = engine.clock.monotonic()
                await self._renew()

    async def time(self) -> None:
        """Tell when the time for the work is over, and when that for the last answer is."""
        await self.engine.clock.sleep(self.engine.assistant.limits.seconds)
        self.tell(TimeUp())
        # The last answer, in words only, has its own bound; then the stream is closed.
        await self.engine.clock.sleep(LAST_ANSWER_SECONDS)
        self.tell(TimeUp())

    async def subscribers(self) -> None:
        """Without any subscriber the turn lives on for `grace`, then it stops."""
        if self.turn.detach:
            return
        seconds = max(self.engine.grace, JOIN_SECONDS)
        while await self._comes_within(seconds):
            await self.turn.live.left.wait()
            seconds = self.engine.grace
        self.tell(StopRequested("grace"))

    async def _renew(self) -> None:
        turn, until = self.turn, self.engine.clock.now() + timedelta(seconds=LEASE_SECONDS)
        try:
            await self.engine.store.commit((RenewLease(turn.session.tenant, turn.session.id, turn.id, turn.epoch, until),))
        except CommitRefused:
            self.tell(StopRequested("lease"))

    async def _comes_within(self, seconds: float) -> bool:
        """Whether somebody watches, or begins to within *seconds*."""
        came = self.turn.live.came
        async with anyio.create_task_group() as tasks:

            async def wait() -> None:
                await came.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(wait)
            if seconds:
                await self.engine.clock.sleep(seconds)
            tasks.cancel_scope.cancel()
        return came.is_set()
