"""What `import handgriff` costs: processor time in fresh interpreters, for the root and for the first touch of each name it exports.

The interpreter's own start is not counted. The cheapest of several runs counts, because everything else a machine does can only add to
it. `--json FILE` writes the numbers; the exit code is 1 when a library was loaded that the root may never load.
"""

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HEAVY = ("anthropic", "openai", "starlette", "opentelemetry.sdk")
"""What neither the root nor a name it exports may load."""

NOTED = ("pydantic", "jsonschema", "genai_prices", "anyio", "asyncio")
"""What costs something and is worth seeing in the table."""

GOAL = 0.35
"""Seconds for `import handgriff`, from the specification; the table shows it, no test enforces it."""

CHILD = """
import sys, time
begun = time.process_time()
{statement}
spent = time.process_time() - begun
import json
print(json.dumps([spent, len(sys.modules), [name for name in {watched!r} if name in sys.modules]]))
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """What one statement cost in a fresh interpreter."""

    statement: str
    cpu: float
    """Seconds of processor time."""
    modules: int
    heavy: tuple[str, ...]
    noted: tuple[str, ...]


def probe(statement: str, *, runs: int) -> Probe:
    """Run *statement* in *runs* fresh interpreters and keep the cheapest.

    Raises:
        RuntimeError: the statement failed.
    """
    return min((_probe_once(statement) for _ in range(runs)), key=lambda each: each.cpu)


def _probe_once(statement: str) -> Probe:
    script = CHILD.format(statement=statement, watched=HEAVY + NOTED)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{statement!r} failed: {done.stderr.strip()}"
        raise RuntimeError(message)
    cpu, modules, loaded = json.loads(done.stdout.splitlines()[-1])
    heavy, noted = (tuple(name for name in names if name in loaded) for names in (HEAVY, NOTED))
    return Probe(statement, cpu, modules, heavy, noted)


def exported() -> list[str]:
    """List what the root exports, asked of another process so that this one stays as it is."""
    ask = "import handgriff, json; print(json.dumps(sorted(getattr(handgriff, '__all__', []))))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return [str(name) for name in json.loads(done.stdout)]


def versions() -> dict[str, str]:
    """Name what was measured, and on what."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for name in ("handgriff", "pydantic", "anyio"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def table(probes: Sequence[Probe]) -> str:
    """Set *probes* out for reading."""
    rows = [("statement", "CPU s", "modules", "may not load", "also loaded")]
    for each in probes:
        cells = (each.statement, f"{each.cpu:.3f}", str(each.modules), " ".join(each.heavy) or "-", " ".join(each.noted) or "-")
        rows.append(cells)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and answer with the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="fresh interpreters for each statement (7)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers here, too")
    chosen = parser.parse_args(arguments)

    statements = ["pass", "import handgriff", *(f"from handgriff import {name}" for name in exported())]
    probes = [probe(statement, runs=chosen.runs) for statement in statements]
    about = versions()

    print("  ".join(f"{name} {found}" for name, found in about.items()))
    print(table(probes))
    print(f"import handgriff: {probes[1].cpu:.3f} s of {GOAL} s")
    if chosen.json:
        chosen.json.write_text(json.dumps({"versions": about, "goal": GOAL, "probes": [asdict(each) for each in probes]}, indent=2) + "\n")
    return 1 if any(each.heavy for each in probes) else 0


if __name__ == "__main__":
    sys.exit(main())
