"""The page of development: something to see and to try. The chat component takes its place later.

Below are three static files; above, the app serves them with `dev=True` alone. It is a client like any other and has no rights of its own.
"""

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from handgriff.core.caller import Caller
from handgriff.http.face import Authenticate, Face

_STATIC: Final = files("handgriff.http") / "static"
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def dev_caller(caller: Caller) -> Authenticate:
    """An `authenticate` for development: everybody is *caller*."""

    async def authenticate(request: Request) -> Caller:
        del request
        return caller

    return authenticate


def _page(name: str, media_type: str) -> Callable[[Face], Awaitable[ASGIApp]]:
    async def page(face: Face) -> ASGIApp:
        del face
        return Response((_STATIC / name).read_bytes(), headers=dict(HEADERS), media_type=media_type)

    return page


PAGES: Final[Mapping[tuple[str, ...], Mapping[str, Callable[[Face], Awaitable[ASGIApp]]]]] = {
    ("",): {"GET": _page("dev.html", "text/html")},
    ("dev.js",): {"GET": _page("dev.js", "text/javascript")},
    ("dev.css",): {"GET": _page("dev.css", "text/css")},
}
