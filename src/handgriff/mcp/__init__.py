"""The MCP face: the same menu and the same boundary for MCP clients, of the 2025 revisions and of 2026-07-28, over HTTP and stdio.

`app.mount("/", asgi(host, authenticate=who_is_it))` is all an application writes; `serve` runs the face alone, and `serve_stdio` on this
process's own streams. Which list a client is shown, and why there are two, is in docs/mcp.md.
"""

try:
    import mcp  # noqa: F401  # tried here, so that who lacks it is told the extra's name
except ImportError as missing:
    from handgriff.errors import DefinitionError

    raise DefinitionError(
        "handgriff.mcp", "import", f"{missing.name} is not installed.", mend="install the extra: pip install 'handgriff[mcp]'."
    ) from missing

from handgriff.mcp.app import LOOPBACK, App, Authenticate, asgi
from handgriff.mcp.runner import serve
from handgriff.mcp.stdio import serve_stdio

__all__ = ["LOOPBACK", "App", "Authenticate", "asgi", "serve", "serve_stdio"]
