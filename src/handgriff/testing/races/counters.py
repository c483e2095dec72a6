"""Sixteen writers of one counter: by increments, and by compare-and-set with another try after a conflict."""

from functools import partial
from typing import Final

from handgriff.core.caller import Caller
from handgriff.testing.races.arena import Arena
from handgriff.testing.races.tally import Tally, off, together

WRITERS: Final = 16
TIMES: Final = 20
TAKERS: Final = 4
TAKES: Final = 5
_TRIES: Final = 1000
"""Far more than any taker needs: each conflict means that another one has got through."""


async def by_increments(arena: Arena) -> Tally:
    """Operations that commute never conflict."""
    async with arena.caller("counter") as caller:
        session = (await arena.host.sessions.create(caller)).id
        counts = await together([partial(_count, arena, caller, session) for _ in range(WRITERS)])
        n = (await arena.host.sessions.state(caller, session)).get("n", 0)
        return Tally(f"one counter, {WRITERS} x {TIMES} increments", WRITERS * TIMES, sum(counts), off(sum(counts), n))


async def by_comparing(arena: Arena) -> Tally:
    """Whoever finds that the counter has moved reads it again."""
    async with arena.caller("taken") as caller:
        session = (await arena.host.sessions.create(caller)).id
        counts = await together([partial(_take, arena, caller, session) for _ in range(TAKERS)])
        n = (await arena.host.sessions.state(caller, session)).get("taken", 0)
        return Tally(f"one counter, {TAKERS} x {TAKES} compared and set", TAKERS * TAKES, sum(counts), off(sum(counts), n))


async def _count(arena: Arena, caller: Caller, session: str) -> int:
    return sum([(await arena.host.call(caller, "count", {}, session=session)).is_ok for _ in range(TIMES)])


async def _take(arena: Arena, caller: Caller, session: str) -> int:
    taken = 0
    for _ in range(_TRIES):
        taken += (await arena.host.call(caller, "take", {}, session=session)).is_ok
        if taken == TAKES:
            break
    return taken
