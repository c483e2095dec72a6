"""`python -m examples.relabeling` plays the demo in the terminal: the first half here, the second in a process of its own."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from examples.relabeling.application import PEOPLE, STORE, TENANT, make_host
from examples.relabeling.desk import depot_in
from examples.relabeling.notebook import CODES, DIRECTION, NAMESPACE
from examples.relabeling.play import play
from examples.relabeling.proof import complaints_of_depot, complaints_of_events, complaints_of_store
from examples.relabeling.script import AFTER, BEFORE, STEPS
from handgriff import Host
from handgriff.cli.output import terminal
from handgriff.cli.render import Renderer

CALLER = PEOPLE["tara"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play it; 0 when everything went as it should, 1 when it did not, 2 when it was asked wrongly."""
    options = _parser().parse_args(arguments)
    if options.session is not None:
        return anyio.run(go_on, options.folder, options.scratch, options.session, options.pace)
    with tempfile.TemporaryDirectory(prefix="relabeling-") as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / STORE).exists():
            print(f"{folder} holds a conversation already, and the demo begins with a fresh one.", file=sys.stderr)
            return 2
        session, failed = anyio.run(begin, folder, options.scratch, options.pace)
        return failed or _in_another_process(folder, options.scratch, session, options.pace)


async def begin(folder: Path, scratch: str | None, pace: float) -> tuple[str, int]:
    """Play the first half in a new session; its id, and 1 when something was not as it should be."""
    renderer = Renderer(terminal())
    async with make_host(folder, scratch=scratch, steps=STEPS, pace=pace) as host:
        session = (await host.sessions.create(CALLER)).id
        complaints = complaints_of_events(BEFORE, await play(host, CALLER, session, BEFORE.lines, renderer))
    renderer.note("\n=== This process ends here. Another one goes on with the same session. ===")
    return session, _judged(renderer, complaints)


async def go_on(folder: Path, scratch: str | None, session: str, pace: float) -> int:
    """Play the second half of *session*, and judge what is left behind."""
    renderer = Renderer(terminal())
    async with make_host(folder, scratch=scratch, steps=STEPS, pace=pace) as host:
        renderer.note(f"Process {os.getpid()} finds {await _found(host, session)}.")
        events = await play(host, CALLER, session, AFTER.lines, renderer)
        complaints = complaints_of_events(AFTER, events) + await complaints_of_store(host, CALLER)
    failed = _judged(renderer, complaints + complaints_of_depot(depot_in(folder, TENANT)))
    if not failed:
        renderer.note("\nOne order, every code in it once, and nothing is left in the scratch pad.")
    return failed


async def _found(host: Host, session: str) -> str:
    record = await host.scratch.get(TENANT, session, NAMESPACE)
    values = {key: value.json() for key, value in record.values.items()}
    codes = values.get(CODES)
    count = len(codes) if isinstance(codes, list) else 0
    return f"{count} codes in the scratch pad, {values.get(DIRECTION)}, kept until {record.expires_at:%Y-%m-%d %H:%M %Z}"


def _in_another_process(folder: Path, scratch: str | None, session: str, pace: float) -> int:
    sys.stdout.flush()
    command = [sys.executable, "-m", "examples.relabeling", "--folder", str(folder), "--session", session, "--pace", str(pace)]
    command += [] if scratch is None else ["--scratch", scratch]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603  # this very program


def _judged(renderer: Renderer, complaints: Sequence[str]) -> int:
    if complaints:
        renderer.note("\nNot as it should be:\n  " + "\n  ".join(complaints))
    return 1 if complaints else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.relabeling", description="A parcel depot's assistant: a played conversation.")
    parser.add_argument("--folder", type=Path, help="keep the store and the depot here; without it they are thrown away")
    parser.add_argument("--scratch", help="where the scratch pad lies, such as file:///srv/pads; without it, in the store")
    parser.add_argument("--pace", type=float, default=0.03 if sys.stdout.isatty() else 0.0, help="seconds between two words")
    parser.add_argument("--session", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
