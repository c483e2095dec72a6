"""Serving the face alone over HTTP."""

from collections.abc import Callable
from typing import Any

from handgriff.host.host import Host
from handgriff.mcp.app import Authenticate, asgi
from handgriff.serving.server import run


async def serve(
    host: Host,
    *,
    authenticate: Authenticate,
    port: int = 8000,
    bind: str = "127.0.0.1",
    started: Callable[[str], None] | None = None,
    **options: Any,
) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM). `started` is told the address of the endpoint; port 0 takes a free one.

    *options* are those of `asgi`.

    Raises:
        BackendError: the address is taken, or not ours; the store cannot be opened.
    """
    app = asgi(host, authenticate=authenticate, **options)
    # Opened here, because uvicorn answers a failing start with an exit of the process.
    await host.engine()
    await run(
        app, face="mcp", bind=bind, port=port, started=None if started is None else lambda at: started(at + app.path), close=app.close
    )
