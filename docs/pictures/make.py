#!/usr/bin/env python
"""Makes the README's pictures again: the salon's owner on the page of development, and on the one that confirms what was proposed.

`python docs/pictures/make.py`; it needs Node and npm.
"""

import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import anyio

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from examples.salon.assistant import PEOPLE, make_host  # noqa: E402  # found by the line above
from examples.salon.script import owners  # noqa: E402
from handgriff.http import dev_caller, serve  # noqa: E402

CLIENTS = ROOT / "tests" / "clients"
PICTURES = [str(ROOT / "docs" / "pictures" / name) for name in ("chat.png", "confirm.png")]
TODAY = date(2026, 12, 2)
LINES = 3
"""Of the demo's conversation, so that it ends with a proposal."""


async def main() -> None:
    """Serve the salon, and have its conversation typed and photographed."""
    conversation = owners(TODAY)
    lines = [line.text for line in conversation.lines[:LINES]]
    with tempfile.TemporaryDirectory(prefix="salon-") as folder:
        host = make_host(Path(folder), today=TODAY, steps=conversation.steps)
        async with host, anyio.create_task_group() as tasks:

            async def photograph(address: str) -> None:
                await anyio.run_process(["node", "picture.mjs", address, *PICTURES, *lines], cwd=CLIENTS, stdout=None, stderr=None)
                tasks.cancel_scope.cancel()

            def started(address: str) -> None:
                tasks.start_soon(photograph, address)

            await serve(host, authenticate=dev_caller(PEOPLE[conversation.user]), dev=True, port=0, started=started)


def run(*command: str) -> None:
    """Run one of our own programs beside the clients."""
    subprocess.run(command, cwd=CLIENTS, check=True)  # noqa: S603


if __name__ == "__main__":
    if not (CLIENTS / "node_modules").exists():
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    run("node", "browser.mjs")
    anyio.run(main)
