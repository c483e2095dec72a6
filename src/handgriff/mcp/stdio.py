"""The face on this process's own streams, for a client that starts it: one connection, for whoever the process was started for.

Below are the face and the SDK's transport; above, the command line. The client ends it by closing its side, or a signal does.
"""

import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from handgriff.core.caller import Caller
from handgriff.host.host import Host
from handgriff.host.system import RandomIds
from handgriff.mcp.asking import over_stdio
from handgriff.mcp.face import Face

_BYTES = 2**16


async def serve_stdio(host: Host, caller: Callable[[], Awaitable[Caller]]) -> None:
    """Serve until the client closes its side, or SIGINT or SIGTERM comes. *caller* is asked at every request, because rights change.

    Raises:
        BackendError: the store cannot be opened.
    """
    await host.engine()
    server = Face(host, over_stdio(caller, RandomIds().new("nonce"))).server()
    async with anyio.create_task_group() as tasks:
        if sys.platform != "win32":
            tasks.start_soon(_end_when_told, tasks.cancel_scope)
        async with _streams() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _end_when_told(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()


def _streams() -> AbstractAsyncContextManager[Any]:  # what the SDK's own function answers
    return stdio_server() if sys.platform == "win32" else _interruptible()


@asynccontextmanager
async def _interruptible() -> AsyncIterator[Any]:
    """The SDK's streams, with another reader: its own waits in a thread, which nothing but the client can end."""
    with _private_input() as descriptor:
        lines = _lines(descriptor)
        async with stdio_server(stdin=lines) as streams:  # type: ignore[arg-type]  # it is only iterated
            yield streams


@contextmanager
def _private_input() -> Iterator[int]:
    """Standard input as a descriptor of our own. Whoever else reads it meanwhile, a tool or a program that it starts, finds it empty."""
    private, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield private
    finally:
        os.dup2(private, 0)
        os.close(private)


async def _lines(descriptor: int) -> AsyncIterator[str]:
    """The lines that arrive, without their ends."""
    parts: list[bytes] = []
    while more := await _read(descriptor):
        first, *others = more.split(b"\n")
        parts.append(first)
        for each in others:
            yield b"".join(parts).decode(errors="replace")
            parts = [each]


async def _read(descriptor: int) -> bytes:
    try:
        await anyio.wait_readable(descriptor)
    except PermissionError:
        # A file is always readable, and no selector takes one.
        await anyio.lowlevel.checkpoint()
    return os.read(descriptor, _BYTES)
