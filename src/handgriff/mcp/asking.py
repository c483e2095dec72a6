"""Who asks, and in which session: what every request is asked for before anything else.

Below is the SDK's context of a request; above, the handlers. Over HTTP the app has authenticated the request and says so in its scope; on
stdio it is whoever the process was started for. The session behind a call is named by what the client has: its MCP session, its connection,
or on the revisions without sessions its own name.
"""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from handgriff.core.caller import Caller, is_id

CALLER: Final = "handgriff.caller"
"""Where the app puts the caller in a request's scope."""
SESSION: Final = "mcp-session-id"
"""The header that names an MCP session."""

Context: TypeAlias = ServerRequestContext[Any, Any]
Principal: TypeAlias = tuple[str, str]
"""Tenant and user."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One request's caller, and the alias of the session behind it. Aliases are each user's own."""

    caller: Caller
    alias: str

    @property
    def principal(self) -> Principal:
        """Whose request it is."""
        return self.caller.tenant, self.caller.user


Ask: TypeAlias = Callable[[Context], Awaitable[Asking]]
"""Says it of a request."""


def has_sessions(ctx: Context) -> bool:
    """Whether the client speaks a revision with sessions, where a list may vary with what was called."""
    return ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS


async def over_http(ctx: Context) -> Asking:
    """By the request that brought this very message, never by the one that opened its session."""
    request = ctx.request
    caller = request.scope[CALLER] if isinstance(request, Request) else None
    if not isinstance(request, Request) or not isinstance(caller, Caller):
        raise TypeError("the app puts a caller into the scope of every request")
    if has_sessions(ctx):
        return Asking(caller, session_alias(request.headers[SESSION]))
    return Asking(caller, client_alias(ctx))


def over_stdio(caller: Callable[[], Awaitable[Caller]], connection: str) -> Ask:
    """By what the process was started for; *caller* is asked at every request, because rights change."""

    async def ask(ctx: Context) -> Asking:
        del ctx
        return Asking(await caller(), f"mcp:connection:{connection}")

    return ask


def session_alias(session: str) -> str:
    """The alias of an MCP session."""
    return f"mcp:session:{session}"


def client_alias(ctx: Context) -> str:
    """The alias of all that one client, by the name it gives itself, asks for one user."""
    info = ctx.session.client_params
    name = info.client_info.name if info is not None else ""
    alias = f"mcp:client:{name}"
    return alias if is_id(alias) else f"mcp:client:{hashlib.sha256(name.encode(errors='replace')).hexdigest()}"
