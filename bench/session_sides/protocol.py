"""How a side of the sessions benchmark is asked and answers: one JSON object a line. Standard library alone, because each side is a process
of its own interpreter, and a peer's has nothing of ours.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Work = Callable[..., Awaitable[Mapping[str, Any]]]
TASKS = 16
TEXT = "x" * 200
"""What every event says."""
KEYS = ("a", "b", "c")
"""What every event changes."""
EVENTS = 3000
"""Of the session that is opened."""
RECENT = 50
"""Events read when it is opened."""
INCREMENTS = 20
"""Of each writer."""


async def _nothing() -> None:
    """Where nothing is to be closed."""


def serve(works: Mapping[str, Work], close: Callable[[], Awaitable[object]] = _nothing) -> None:
    """Do what is asked for until the input ends, then close."""
    asyncio.run(_serve(works, close))


async def _serve(works: Mapping[str, Work], close: Callable[[], Awaitable[object]]) -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        answer = await works[asked.pop("do")](**asked)
        print(json.dumps(answer), flush=True)
    await close()


async def together(each: int, one: Callable[[int, int], Awaitable[object]], *, tasks: int = TASKS) -> dict[str, float]:
    """Do *one* (task, number) *each* times in every task; what it cost."""
    walls: list[float] = []

    async def work(task: int) -> None:
        for number in range(each):
            begun = time.perf_counter()
            await one(task, number)
            walls.append(time.perf_counter() - begun)

    begun, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work(task) for task in range(tasks)))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    walls.sort()
    return {
        "count": len(walls),
        "rate": len(walls) / seconds,
        "ms": seconds / len(walls) * 1000,
        "cpu_ms": cpu / len(walls) * 1000,
        "p50_ms": statistics.median(walls) * 1000,
        "p95_ms": walls[max(0, int(len(walls) * 0.95) - 1)] * 1000,
    }
