"""Sessions of one user that write what they share: keys of their own, and counters of all."""

from functools import partial
from typing import Final

from handgriff.core.caller import Caller
from handgriff.errors import Refusal
from handgriff.testing.races.arena import Arena
from handgriff.testing.races.tally import Tally, missing, off, together

SESSIONS: Final = 16
TIMES: Final = 10
_OPERATIONS: Final = 4
"""Of `share`: a key of the app's and one of the user's, a counter of each."""


async def in_sessions(arena: Arena) -> Tally:
    """Sixteen sessions, each with distinct keys."""
    async with arena.caller("sessions") as caller:
        sessions = [(await arena.host.sessions.create(caller)).id for _ in range(SESSIONS)]
        kept = await together([partial(share, arena, caller, session, f"s{n}") for n, session in enumerate(sessions)])
        names = [name for found in kept for name in found]
        return Tally(
            f"app: and user: keys and counters, {SESSIONS} sessions",
            SESSIONS * TIMES * _OPERATIONS,
            len(names) * _OPERATIONS,
            await lost(arena, caller, sessions[0], names),
        )


async def in_new_sessions(arena: Arena) -> Tally:
    """Sixteen sessions that are created at once, each with keys of every scope."""
    async with arena.caller("created") as caller:
        found = await together([partial(_create, arena, caller, n) for n in range(SESSIONS)])
        made = {n: session for n, session in enumerate(found) if session is not None}
        gone = 0
        for n, session in made.items():
            gone += missing({"n": n, f"app:{n}": n, f"user:{n}": n}, await arena.host.sessions.state(caller, session))
        return Tally(f"app: and user: keys, {SESSIONS} sessions created at once", SESSIONS * 3, len(made) * 3, gone)


async def share(arena: Arena, caller: Caller, session: str, prefix: str) -> list[str]:
    """Call `share` with distinct names; the names of the calls that were acknowledged."""
    names = [f"{prefix}-{n}" for n in range(TIMES)]
    return [name for name in names if (await arena.host.call(caller, "share", {"name": name}, session=session)).is_ok]


async def lost(arena: Arena, caller: Caller, session: str, names: list[str]) -> int:
    """What of the acknowledged *names* is not there."""
    wanted = {f"{scope}:{name}": name for scope in ("app", "user") for name in names}
    state = await arena.host.sessions.state(caller, session)
    counted = sum(off(len(names), state.get(f"{scope}:all", 0)) for scope in ("app", "user"))
    return missing(wanted, state) + counted


async def _create(arena: Arena, caller: Caller, n: int) -> str | None:
    try:
        return (await arena.host.sessions.create(caller, state={"n": n, f"app:{n}": n, f"user:{n}": n})).id
    except Refusal:
        return None
