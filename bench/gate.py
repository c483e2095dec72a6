"""What the gate costs: a varying list and a call, and a firing call with its claim, against FastMCP's per-session visibility.

    python bench/gate.py --peer-python fastmcp/bin/python

The sides take turns, and the cheapest of several rounds counts. Processor time, so that other work on the machine matters less. `--json
FILE` writes the numbers.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.gate_sides import ours  # noqa: E402  # found beside this file

HOW = """The peer needs an environment of its own:
    python -m venv fastmcp && fastmcp/bin/pip install fastmcp
Then add --peer-python fastmcp/bin/python."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement, in microseconds of processor time."""

    what: str
    ours_us: float
    other: str
    other_us: float | None
    ratio: float | None
    goal: str


async def measured(rounds: int) -> dict[str, float]:
    """Our own numbers, once."""
    found: dict[str, float] = {}
    async with ours.host("memory://") as host:
        session = await host.sessions.create(ours.ADA)
        found["checked"] = await ours.listed_and_checked(host, session, rounds * 10)
    async with ours.host("memory://") as host:
        session = await host.sessions.create(ours.ADA)
        found["called"] = await ours.listed_and_called(host, session, rounds)
    with tempfile.TemporaryDirectory() as folder:
        async with ours.host(f"sqlite:///{folder}/gate.db") as host:
            found["fired"] = await ours.fired(host, rounds, tasks=1)
            found["fired by 16"] = await ours.fired(host, max(5, rounds // 8), tasks=16)
    return found


def peer(python: str, seconds: float) -> dict[str, Any]:
    """The peer's number, once."""
    command = [python, "-m", "bench.gate_sides.peer", str(seconds)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the peer failed:\n{done.stderr}\n{HOW}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def empty_call() -> float:
    """Nanoseconds of a call of a function that does nothing: how fast this machine is just now."""

    def nothing() -> None:
        pass

    spent = time.process_time()
    for _ in range(200_000):
        nothing()
    return (time.process_time() - spent) / 200_000 * 1e9


def rows(best: dict[str, float], other: dict[str, Any] | None) -> list[Row]:
    """The table."""
    name, cost = ("", None) if other is None else (f"FastMCP {other['version']}, list + call", other["cpu_us"])
    ratio = None if cost is None else cost / best["called"]
    return [
        Row("varying list + call up to meaning, 50 tools, 5 states, memory", best["checked"], "", None, None, "at most 50"),
        Row("the same with the whole call, its event stored, memory", best["called"], name, cost, ratio, "at least 20 times"),
        Row("firing call, claimed and settled, SQLite, 1 task", best["fired"], "", None, None, "at most 400"),
        Row("firing call, claimed and settled, SQLite, 16 tasks", best["fired by 16"], "", None, None, "at most 150"),
    ]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", help="an interpreter that has fastmcp")
    parser.add_argument("--turns", type=int, default=8, help="how often each side is asked")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    best: dict[str, float] = {}
    other: dict[str, Any] | None = None
    call = empty_call()
    for _ in range(options.turns):
        call = min(call, empty_call())
        for what, cost in anyio.run(measured, options.rounds).items():
            best[what] = min(cost, best.get(what, cost))
        if options.peer_python:
            told = peer(options.peer_python, 2.0)
            other = told if other is None or told["cpu_us"] < other["cpu_us"] else other
    table = rows(best, other)
    print(f"Python {platform.python_version()}, microseconds of processor time; an empty function call takes {call:.0f} ns here")
    for row in table:
        against = f"; {row.other}: {row.other_us:,.0f}, {row.ratio:.1f} times" if row.other_us is not None and row.ratio is not None else ""
        print(f"  {row.what}: {row.ours_us:,.1f}{against} (goal: {row.goal})")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in table], indent=2) + "\n")


if __name__ == "__main__":
    main()
