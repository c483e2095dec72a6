"""Whether a request may come from where a browser says it comes from.

Below is the request; above, the app asks before anything is read. A page of another site can make a browser send our cookies; it cannot
make it lie about the page's origin. In development a name that resolves to this machine is no proof either, so the host is looked at too.
"""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request

from handgriff.http.problems import Problem

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def check_origin(request: Request, allowed: Collection[str]) -> None:
    """Let pass what names no origin, our own, or an allowed one.

    Raises:
        Problem: 403.
    """
    origin = request.headers.get("origin")
    if origin is None or origin in allowed:
        return
    if not _is_own(origin, request.headers.get("host", "")):
        raise Problem(403, "denied", "Denied", "Requests from this origin are not accepted.")


def check_loopback(request: Request) -> None:
    """Let pass what was addressed to this machine by one of its own names.

    Raises:
        Problem: 403.
    """
    if _host(f"//{request.headers.get('host', '')}") not in LOOPBACK:
        raise Problem(403, "denied", "Denied", "In development only this machine is served.", "Use 127.0.0.1 or localhost.")


def _is_own(origin: str, host: str) -> bool:
    try:
        return bool(host) and urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
