"""The page of development: something to see and to try. The chat component takes its place later.

Below are three static files; above, the app serves them with `dev=True` alone. It is a client like any other and has no rights of its own.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp

from handgriff.core.caller import Caller
from handgriff.http.face import Authenticate, Face
from handgriff.http.page import static


def dev_caller(caller: Caller) -> Authenticate:
    """An `authenticate` for development: everybody is *caller*."""

    async def authenticate(request: Request) -> Caller:
        del request
        return caller

    return authenticate


PAGES: Final[Mapping[tuple[str, ...], Mapping[str, Callable[[Face], Awaitable[ASGIApp]]]]] = {
    ("",): {"GET": static("dev.html", "text/html")},
    ("dev.js",): {"GET": static("dev.js", "text/javascript")},
    ("dev.css",): {"GET": static("dev.css", "text/css")},
}
