"""`python -m examples.invoices` tells the story of an invoice three times: by chat, over MCP with sessions, and over MCP without."""

import argparse
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import anyio
import uvicorn

from examples.invoices.assistant import PEOPLE, make_host
from examples.invoices.doors import by_chat, by_mcp
from examples.invoices.play import tell
from examples.invoices.serve import application

DOORS: Final = {"chat": None, "MCP 2025-11-25": "legacy", "MCP 2026-07-28": "2026-07-28"}
"""The ways in, with the MCP client's mode."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell it; 0 when everything went as it must, 1 when it did not."""
    parser = argparse.ArgumentParser(prog="python -m examples.invoices", description="One invoice, four people, one workflow.")
    parser.add_argument("--folder", type=Path, help="where the company's data is kept; a temporary folder otherwise")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="invoices-") as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return anyio.run(perform, folder)


async def perform(folder: Path) -> int:
    """Tell the story through every door, on one server."""
    wrong: list[str] = []
    async with served(folder) as url:
        for name, mode in DOORS.items():
            print(f"\n{name}", flush=True)
            async with AsyncExitStack() as stack:
                doors = {
                    person: await stack.enter_async_context(by_chat(url, person) if mode is None else by_mcp(url, person, mode=mode))
                    for person in PEOPLE
                }
                wrong += [f"{name}: {each}" for each in await tell(doors, lambda line: print(f"  {line}", flush=True))]
    print("\nNot as it must be:\n  " + "\n  ".join(wrong) if wrong else "\nEvery step came in its order, through every door.")
    return 1 if wrong else 0


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[str]:
    """The company's server on a free port of this machine, and its address."""
    server = uvicorn.Server(uvicorn.Config(application(make_host(folder)), port=0, log_level="warning", lifespan="on"))
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
            await anyio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True


if __name__ == "__main__":
    sys.exit(main())
