"""Two processes on one store. A store in memory has one only, so there the two are tasks of it, and the row says so."""

import json
import sys
from dataclasses import asdict
from functools import partial
from typing import Final

import anyio

from handgriff.testing.races import worker
from handgriff.testing.races.arena import Arena
from handgriff.testing.races.scopes import lost
from handgriff.testing.races.tally import Tally, off, together
from handgriff.testing.races.worker import TIMES, Done, Work, work_on

NAMES: Final = ("one", "two")
_OPERATIONS: Final = 5
"""Of each round: the session's counter, and the four of `share`."""


async def in_two_processes(arena: Arena) -> Tally:
    """Each counts in one session and shares keys of its own."""
    async with arena.caller("processes") as caller:
        session = (await arena.host.sessions.create(caller)).id
        works = [Work(arena.url, caller.tenant, caller.user, session, name) for name in NAMES]
        done = await together([partial(_elsewhere, work) if arena.is_shared else partial(work_on, arena.host, work) for work in works])
        counted, names = sum(each.counted for each in done), [name for each in done for name in each.names]
        n = (await arena.host.sessions.state(caller, session)).get("n", 0)
        return Tally(
            f"counters and keys, two processes, {TIMES} rounds each",
            len(NAMES) * TIMES * _OPERATIONS,
            counted + len(names) * (_OPERATIONS - 1),
            off(counted, n) + await lost(arena, caller, session, names),
            "" if arena.is_shared else "in one process: a store in memory can't be shared",
        )


async def _elsewhere(work: Work) -> Done:
    told = json.dumps(asdict(work)).encode()
    finished = await anyio.run_process([sys.executable, "-m", worker.__name__], input=told, stderr=None)
    return Done(**json.loads(finished.stdout))
