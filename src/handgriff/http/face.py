"""What every route works with: the host, who is asked who is calling, and the bounds.

Below are the host and Starlette's request; above, the routes.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from handgriff.core import jsontext
from handgriff.core.caller import Caller
from handgriff.core.jsontext import Json
from handgriff.host.host import Host
from handgriff.http.problems import HEADERS, Problem
from handgriff.serving.identify import identified

Authenticate: TypeAlias = Callable[[Request], Awaitable[Caller | None]]
"""Says who sent a request, from its session cookie, token or whatever the application uses; None, or an exception, is nobody."""

Temporary: TypeAlias = Callable[[Request], Awaitable[Mapping[str, Any]]]
"""The request's own values for its turn (`temp:`), which live no longer than it."""

BODY_BYTES: Final = 4 * 2**20
"""Clients send their whole history each time, so this is more than what is read of it."""

_LOG = logging.getLogger("handgriff.http")


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One mounted face."""

    host: Host
    authenticate: Authenticate
    origins: frozenset[str]
    body_bytes: int
    with_usage: bool
    temp: Temporary | None
    detach: bool
    dev: bool

    async def caller(self, request: Request) -> Caller:
        """Who is calling.

        Raises:
            Problem: 401; nobody is.
            Refusal: the application's own answer.
            BackendError: what it stands on failed.
        """
        caller = await identified(self.authenticate, request)
        if caller is None:
            headers = {"WWW-Authenticate": "Bearer"}
            raise Problem(401, "unauthenticated", "Unauthenticated", "Say who you are.", headers=headers)
        return caller


def answer_json(value: Mapping[str, Json], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response that no cache keeps."""
    return Response(jsontext.dumps(value), status, headers={**HEADERS, **(headers or {})}, media_type="application/json")
