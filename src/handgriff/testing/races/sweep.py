"""Notebooks that are prolonged while they are swept: the sweeper's clock is past their deadline, the writer's is just before it.

Whoever is first, what was written then must be there: in the record that was prolonged, or in a new one where the sweep came first.
"""

from datetime import timedelta
from functools import partial
from typing import Final

from handgriff.core.caller import Caller
from handgriff.errors import Refusal
from handgriff.host.host import Host
from handgriff.testing.clock import StillClock
from handgriff.testing.races.arena import Arena
from handgriff.testing.races.tally import Tally, together
from handgriff.testing.races.tools import HOUR

NOTEBOOKS: Final = 32
SWEEPS: Final = 32
BEFORE, AFTER = 0, 1


async def renewed_while_swept(arena: Arena) -> Tally:
    """Two hosts, a second apart."""
    early, late = StillClock(), StillClock()
    async with arena.caller("swept") as caller, arena.another_host(early) as writer, arena.another_host(late) as sweeper:
        sessions = [(await writer.sessions.create(caller)).id for _ in range(NOTEBOOKS)]
        for session in sessions:
            await writer.call(caller, "note", {"item": BEFORE}, session=session)
        early.move(HOUR - 0.5)
        late.move(HOUR + 0.5)
        notes = [partial(_note, writer, caller, session) for session in sessions]
        *done, _ = await together([*notes, partial(_sweep, sweeper, caller.tenant)])
        kept = [session for session, is_kept in zip(sessions, done, strict=True) if is_kept]
        gone = sum([not await _is_there(sweeper, caller, session, late) for session in kept])
        return Tally(f"{NOTEBOOKS} notebooks prolonged while they are swept", NOTEBOOKS, len(kept), gone)


async def _note(writer: Host, caller: Caller, session: str) -> bool:
    return (await writer.call(caller, "note", {"item": AFTER}, session=session)).is_ok


async def _sweep(sweeper: Host, tenant: str) -> bool:
    for _ in range(SWEEPS):
        await sweeper.collect(tenant=tenant)
    return True


async def _is_there(host: Host, caller: Caller, session: str, clock: StillClock) -> bool:
    try:
        record = await host.scratch.get(caller.tenant, session, "race")
    except Refusal:
        return False
    items = record.values["items"].json()
    return items in ([BEFORE, AFTER], [AFTER]) and record.expires_at > clock.now() + timedelta(seconds=HOUR / 2)
