"""What an open host looks after by itself: turns whose process has died, of any tenant, found when their lease is over."""

from dataclasses import dataclass

from handgriff.runtime.engine import Engine
from handgriff.runtime.recover import recover

ROUND_SECONDS = 10.0
"""How long a crashed turn waits after its lease to be found, at most."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Goes round until it is cancelled."""

    engine: Engine

    async def run(self) -> None:
        """Look, wait, look again."""
        while True:
            try:
                await self.once()
            except Exception:
                # The store may be away for a while; the next round finds what this one has missed.
                self.engine.log.exception("a round over interrupted turns failed")
            await self.engine.clock.sleep(ROUND_SECONDS)

    async def once(self) -> None:
        """Close every turn whose lease is over and that no process holds any more."""
        engine = self.engine
        for tenant, session_id in await engine.store.interrupted(engine.clock.now()):
            # A turn of this very process that was held up renews its lease itself, or finds that somebody took it.
            session = None if (tenant, session_id) in engine.live else await engine.store.session(tenant, session_id)
            if session is not None:
                await recover(engine, session)
