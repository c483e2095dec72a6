"""What state costs: appends, a counter many write, and opening a long session, against google-adk's session services and the bare drivers.

    python bench/sessions.py --peer adk --peer-python adk/bin/python

Each side is a process of its own (`session_sides`) that is asked for one piece of work after the other. They take turns, and the cheapest
of several rounds counts; the peer's counter and its long session are made once, because they take minutes. Stores are a fresh SQLite file
for each side, on the disk of `--folder`, and a PostgreSQL server of the test suite's with its writes flushed, or the one of `--postgres`.
Without `--peer` only the drivers are measured against. `--json FILE` writes the numbers.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HOW = """The peer needs an environment of its own:
    python -m venv adk && adk/bin/pip install 'google-adk[db]' asyncpg
Then add --peer-python adk/bin/python."""
MANY, FEW = 50, 2
"""Appends of one task in one round: ours and the drivers', and the peer's."""
LARGE, SMALL = 10_000, 10
"""Events and keys."""
_HIGHEST = ("rate", "lost", "attempts")
"""Of several rounds the highest counts, not the lowest."""


class Side:
    """A process that does what it is asked."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, do: str, **how: Any) -> dict[str, float]:
        """Let it work, and read what that cost."""
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("both are pipes")
        self._process.stdin.write(json.dumps({"do": do, **how}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the side that was to {do} has ended")
        told: dict[str, float] = json.loads(line)
        return told


@contextmanager
def started(name: str, python: str = sys.executable) -> Iterator[tuple[Side, "subprocess.Popen[str]"]]:
    """The side of this name."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}" if python == sys.executable else str(ROOT)}
    command = [python, "-m", f"bench.session_sides.{name}"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Side(process), process
        finally:
            if process.stdin is not None:
                process.stdin.close()
            process.wait()


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison, in milliseconds an operation: our time, the other's, and what was to be reached."""

    what: str
    store: str
    ours_ms: float
    other: str
    other_ms: float
    ratio: float
    goal: str
    is_met: bool


def faster(what: str, store: str, ours: Mapping[str, float], other: str, theirs: Mapping[str, float], goal: float | None) -> Row:
    """How many times the other's time ours is shorter."""
    ratio = theirs["ms"] / ours["ms"]
    is_met = (goal is None or ratio >= goal) and not ours.get("lost")
    return Row(what, store, ours["ms"], other, theirs["ms"], ratio, "" if goal is None else f"at least {goal}", is_met)


def in_turn(rounds: int, works: Mapping[str, Callable[[], dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Every work's measures in their cheapest rounds; they take turns."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for name, work in works.items():
            told = work()
            before = best.get(name, told)
            best[name] = {measure: (max if measure in _HIGHEST else min)(value, before[measure]) for measure, value in told.items()}
    return best


@dataclass(slots=True)
class Bench:
    """The sides, and what they said. `urls` are a store's names by side."""

    sides: Mapping[str, Side]
    rounds: int
    told: dict[str, dict[str, dict[str, float]]]

    def measure(self, kind: str, urls: Mapping[str, str]) -> list[Row]:
        """Every comparison on one kind of store."""
        return [*self._appends(kind, urls), *self._flatness(kind, urls), *self._against_peer(kind, urls)]

    def _appends(self, kind: str, urls: Mapping[str, str]) -> list[Row]:
        rows = []
        for durable in (True, False):
            works = {name: self._append(name, urls[name], durable=durable) for name in self.sides if name != "adk" or durable}
            best = in_turn(self.rounds, works)
            what = f"append, {'flushed' if durable else 'not flushed'}, 16 tasks"
            self.told[f"{kind}: {what}"] = best
            rows.append(faster(what, kind, best["ours"], "raw driver", best["raw"], 0.7))
            if "adk" in best:
                rows.append(faster(what, kind, best["ours"], "adk", best["adk"], 20 if kind == "sqlite" else 5))
        return rows

    def _append(self, name: str, url: str, *, durable: bool) -> Callable[[], dict[str, float]]:
        return lambda: self.sides[name].ask("append", store=url, each=FEW if name == "adk" else MANY, durable=durable)

    def _flatness(self, kind: str, urls: Mapping[str, str]) -> list[Row]:
        def sized(size: int) -> Callable[[], dict[str, float]]:
            return lambda: self.sides["ours"].ask("flat", store=urls["ours"], size=size, each=MANY, durable=False)

        best = in_turn(self.rounds, {str(size): sized(size) for size in (SMALL, LARGE)})
        what = f"append to {LARGE} events and keys"
        self.told[f"{kind}: {what}"] = best
        large, small = best[str(LARGE)], best[str(SMALL)]
        ratio, slowest = large["ms"] / small["ms"], large["p95_ms"] / small["p95_ms"]
        return [
            Row(what, kind, large["ms"], f"to {SMALL}", small["ms"], ratio, "at most 1.5", ratio <= 1.5),
            Row(f"{what}, p95", kind, large["p95_ms"], f"to {SMALL}", small["p95_ms"], slowest, "", is_met=True),
        ]

    def _against_peer(self, kind: str, urls: Mapping[str, str]) -> list[Row]:
        if "adk" not in self.sides:
            return []
        ours, adk = self.sides["ours"], self.sides["adk"]
        counted = in_turn(self.rounds, {"ours": lambda: ours.ask("counter", store=urls["ours"])})
        counted["adk"] = adk.ask("counter", store=urls["adk"])
        opened = {
            "adk": adk.ask("open", store=urls["adk"], each=10),
            "adk, 50 events": adk.ask("open", store=urls["adk"], each=30, recent=50),
            "ours": ours.ask("open", store=urls["ours"], each=100),
        }
        self.told[f"{kind}: counter"], self.told[f"{kind}: open"] = counted, opened
        return [
            faster(f"one counter, 16 writers, {counted['ours']['lost']:.0f} lost", kind, counted["ours"], "adk", counted["adk"], 20),
            faster("open 3000 events", kind, opened["ours"], "adk", opened["adk"], 50),
            faster("open 3000 events", kind, opened["ours"], "adk, 50 events", opened["adk, 50 events"], None),
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and tell whether every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--peer", choices=["adk"], help="the peer to measure against")
    parser.add_argument("--peer-python", help="the interpreter of the peer's own environment")
    parser.add_argument("--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    parser.add_argument("--postgres", help="a database to use; without it a server of our own is started")
    parser.add_argument("--folder", type=Path, help="where the files lie; a temporary folder by default")
    parser.add_argument("--rounds", type=int, default=9, help="rounds; the cheapest counts")
    parser.add_argument("--json", type=Path, help="write the numbers here")
    options = parser.parse_args(arguments)
    if options.peer and not options.peer_python:
        print(HOW)
        return 2
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))).resolve()
        server = options.postgres or (stack.enter_context(_server()) if "postgres" in options.stores else "")
        sides = {name: stack.enter_context(started(name))[0] for name in ("ours", "raw")}
        if options.peer:
            sides["adk"] = stack.enter_context(started("adk", options.peer_python))[0]
        bench = Bench(sides, options.rounds, {})
        rows: list[Row] = []
        for kind in options.stores:
            urls = dict.fromkeys(sides, server) if kind == "postgres" else {name: f"sqlite:///{folder}/{name}.db" for name in sides}
            rows += bench.measure(kind, urls)
    _print(rows)
    versions = {name: version(name) for name in ("handgriff", "asyncpg")} | _peer_versions(options.peer_python if options.peer else None)
    print(f"Python {platform.python_version()}, " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if options.json:
        told = {"rows": [asdict(row) for row in rows], "sides": bench.told, "versions": versions, "python": platform.python_version()}
        options.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    return 0 if all(row.is_met for row in rows) else 1


@contextmanager
def _server() -> Iterator[str]:
    with started("server") as (_, process):
        if process.stdout is None:
            raise AssertionError("its output is read")
        yield process.stdout.readline().strip()


def _peer_versions(python: str | None) -> dict[str, str]:
    if python is None:
        return {}
    asked = "from importlib.metadata import version; print(*map(version, ('google-adk', 'sqlalchemy')))"
    adk, alchemy = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    return {"google-adk": adk, "sqlalchemy": alchemy}


def _print(rows: Sequence[Row]) -> None:
    print(f"{'ms an operation':38s} {'store':9s} {'ours':>8s} {'other':>9s} {'':16s} {'ratio':>8s}  goal")
    for row in rows:
        figures = f"{row.ours_ms:8.3f} {row.other_ms:9.3f} {row.other:16s} {row.ratio:8.2f}"
        print(f"{row.what:38s} {row.store:9s} {figures}  {row.goal}{'' if row.is_met else '  NOT MET'}")


if __name__ == "__main__":
    sys.exit(main())
