"""The SDK's session manager while it serves: in a task of its own, because nobody runs the lifespan of an app that is mounted.

Below is the SDK; above, the app, which starts it with the first request and ends it.
"""

import asyncio

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class Running:
    """One manager, from now on. A manager serves once; after its end there has to be another one."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager
        self._ready = anyio.Event()
        self._ended = anyio.Event()
        self._task = asyncio.create_task(self._serve(), name="mcp")

    @property
    def is_over(self) -> bool:
        """Whether it serves no more: it was ended, or its event loop is gone."""
        return self._task.done()

    async def manager(self) -> StreamableHTTPSessionManager:
        """The manager, once it serves."""
        await self._ready.wait()
        return self._manager

    async def end(self) -> None:
        """End all its sessions and streams."""
        self._ended.set()
        await asyncio.wait([self._task])

    async def _serve(self) -> None:
        try:
            async with self._manager.run():
                self._ready.set()
                await self._ended.wait()
        finally:
            # Whoever waits must not wait for ever; they find a manager that says it does not run.
            self._ready.set()
