"""A real server on loopback, in the test's own event loop."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from handgriff import Host
from handgriff.http import serve
from tests.interaction.http_wire import authenticate


@asynccontextmanager
async def served(host: Host, **options: Any) -> AsyncIterator[str]:
    """Serve *host* on a free port; its address. Leaving the block ends the server."""
    ready, address = anyio.Event(), []

    def started(url: str) -> None:
        address.append(url)
        ready.set()

    async def run() -> None:
        await serve(host, **{"authenticate": authenticate, "port": 0, "started": started, **options})

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await ready.wait()
        try:
            yield address[0]
        finally:
            tasks.cancel_scope.cancel()
