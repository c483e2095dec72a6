"""Calls that read, wait and write by operations: asked for by a model in one turn, and made at once by programs."""

from functools import partial
from typing import Any, Final

from handgriff.core.caller import Caller
from handgriff.core.events import CallOutcome, Event
from handgriff.testing.races.arena import PARALLEL, Arena
from handgriff.testing.races.tally import Tally, astray, off, together

_OPERATIONS: Final = 2
"""Of each call: the counter, and the list."""


async def in_one_turn(arena: Arena) -> Tally:
    """Eight calls of one model message."""
    async with arena.caller("turn") as caller:
        session = (await arena.host.sessions.create(caller)).id
        items = [item async for item in arena.host.turn(caller, session, "Go.")]
        bodies = [item.body for item in items if isinstance(item, Event)]
        ended = [body for body in bodies if isinstance(body, CallOutcome)]
        done = sum(body.code is None for body in ended)
        state = await arena.host.sessions.state(caller, session)
        # Which of them failed can't be told from here, and none may.
        lost = _lost(state, done, list(range(PARALLEL)) if done == PARALLEL else [])
        return Tally(f"{PARALLEL} calls of one turn, read, then written", PARALLEL * _OPERATIONS, done * _OPERATIONS, lost)


async def at_once(arena: Arena) -> Tally:
    """The same calls, by eight programs."""
    async with arena.caller("calls") as caller:
        session = (await arena.host.sessions.create(caller)).id
        done = await together([partial(_gather, arena, caller, session, item) for item in range(PARALLEL)])
        state = await arena.host.sessions.state(caller, session)
        kept = [item for item in range(PARALLEL) if done[item]]
        lost = _lost(state, len(kept), kept)
        return Tally(f"{PARALLEL} calls at once, read, then written", PARALLEL * _OPERATIONS, len(kept) * _OPERATIONS, lost)


async def _gather(arena: Arena, caller: Caller, session: str, item: int) -> bool:
    return (await arena.host.call(caller, "gather", {"item": item}, session=session)).is_ok


def _lost(state: dict[str, Any], n: int, items: list[int]) -> int:
    return off(n, state.get("n", 0)) + astray(items, state.get("items", []))
