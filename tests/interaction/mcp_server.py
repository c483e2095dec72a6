"""The MCP face on a real server on loopback, in the test's own event loop; and clients of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from handgriff import Host
from handgriff.mcp import serve
from tests.interaction.mcp_office import Office, opened


@asynccontextmanager
async def serving(host: Host, **options: Any) -> AsyncIterator[str]:
    """Serve *host* on a free port; the address of its endpoint. Leaving the block ends the server."""
    ready, address = anyio.Event(), []

    def started(url: str) -> None:
        address.append(url)
        ready.set()

    async def run() -> None:
        await serve(host, **{"port": 0, "started": started, **options})

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await ready.wait()
        try:
            yield address[0]
        finally:
            tasks.cancel_scope.cancel()


@dataclass(slots=True)
class Told:
    """What one client has been told and answered, in the order in which it came."""

    lines: list[str] = field(default_factory=list)
    changed: anyio.Event = field(default_factory=anyio.Event)

    async def heard(self, message: Any) -> None:
        """What the client hears beside its answers."""
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self.lines.append("changed")
            self.changed.set()
            self.changed = anyio.Event()


@asynccontextmanager
async def connected(
    address: str, who: str = "acme/ada", *, mode: str = "legacy", told: Told | None = None, **options: Any
) -> AsyncIterator[Client]:
    """The official Python client of somebody."""
    headers = {"Authorization": f"Bearer {who}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=mode, message_handler=told.heard if told else None, **options) as client:
            yield client


@asynccontextmanager
async def office_served(office: Office, **options: Any) -> AsyncIterator[str]:
    """An office on a server."""
    async with opened(office) as host, serving(host, authenticate=office.authenticate, **options) as address:
        yield address


async def names(client: Client) -> tuple[str, ...]:
    """The tools that *client* is shown."""
    return tuple(tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools)
