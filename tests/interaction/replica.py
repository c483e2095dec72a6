"""One of several servers on a shared store: a process of its own, whose clock a signal moves past every lease.

python -m tests.interaction.replica STORE PROVIDER_URL WORLD

It prints its address once it serves, then what its tools do and what its runtime logs, a line each. `SIGUSR1` moves its clock 45 seconds
on. WORLD is a folder: tools write lines to `done`, and the slow ones wait until the pipe `door` is opened for writing.
"""

import logging
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from handgriff import Assistant, Call, Caller, Change, Host, Plan, Result, Toolbox
from handgriff.http import serve
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.testing.harness import MODEL, PRICES
from tests.interaction.desk import WORDS
from tests.interaction.http_wire import authenticate, load_caller

JUMP = 45.0


class JumpingClock:
    """The machine's clock, moved on by jumps; a sleeper notices."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._jumped = anyio.Event()

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self._ahead)

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead

    async def sleep(self, seconds: float) -> None:
        until = self.monotonic() + seconds
        while (left := until - self.monotonic()) > 0:
            with anyio.move_on_after(left):
                await self._jumped.wait()

    def jump(self) -> None:
        self._ahead += JUMP
        self._jumped.set()
        self._jumped = anyio.Event()


def assistant(world: Path) -> Assistant:
    """Tools that count, note, and take their time."""
    box = Toolbox("replica")

    def note(line: str) -> None:
        with (world / "done").open("a") as done:
            done.write(f"{line}\n")
        print(line, flush=True)  # noqa: T201  # whoever started it waits for this line

    def wait(line: str) -> None:
        note(f"{line} began")
        with (world / "door").open() as door:
            door.read()
        note(f"{line} ended")

    @box.tool(effect="write", description=WORDS)
    async def count(call: Call) -> Result[int]:
        await call.scratch("counts").append("calls", call.id)
        return Result("Counted.", await call.state.increment("n"))

    @box.tool(effect="read", description=WORDS)
    def look(name: str) -> Result[None]:
        wait(f"look {name}")
        return Result("Seen.")

    @box.tool(effect="write", description=WORDS)
    def write(name: str) -> Result[None]:
        wait(f"write {name}")
        return Result("Written.")

    @box.tool(effect="irreversible", description=WORDS)
    async def charge(cents: int, call: Call) -> Result[None]:
        note(f"charge {cents} as {call.idempotency_key}")
        return Result("Charged.")

    @charge.plan
    async def preview(cents: int) -> Plan:
        return Plan(f"Charge {cents}?", [Change("Balance", "100", str(100 - cents))])

    return Assistant("replica", instructions="You test.", toolboxes=[box])


async def everybody(tenant: str, user: str) -> Caller | None:
    """Asked at every call, from this process."""
    return await load_caller(tenant, user)


async def main(store: str, provider: str, world: Path) -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(message)s")
    clock = JumpingClock()
    model = AnthropicModel(api_key="loopback-key", base_url=provider)
    host = Host(assistant(world), store=store, callers=everybody, model=MODEL, models=[model], prices=PRICES, clock=clock)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, clock)
        await serve(host, authenticate=authenticate, port=0, started=lambda url: print(url, flush=True))  # noqa: T201  # whoever started it reads this
        tasks.cancel_scope.cancel()


async def _listen(clock: JumpingClock) -> None:
    with anyio.open_signal_receiver(signal.SIGUSR1) as signals:
        async for _ in signals:
            clock.jump()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2], Path(sys.argv[3]))
