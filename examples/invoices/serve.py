"""The company's two doors, in one application: its chat over HTTP, and its tools over MCP at `/tools/mcp`.

Who comes is said by a bearer token, which in a product would be checked and here is the person's name.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

from examples.invoices.assistant import PEOPLE
from handgriff import Caller, Host
from handgriff.http import asgi as chat
from handgriff.mcp import asgi as tools


async def authenticate(request: Request) -> Caller | None:
    """Who sent a request."""
    scheme, _, name = request.headers.get("authorization", "").partition(" ")
    return PEOPLE.get(name) if scheme.lower() == "bearer" else None


def application(host: Host) -> Starlette:
    """Both doors of *host*."""

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with host:
            yield

    doors = [Mount("/tools", tools(host, authenticate=authenticate)), Mount("/", chat(host, authenticate=authenticate))]
    return Starlette(routes=doors, lifespan=running)
