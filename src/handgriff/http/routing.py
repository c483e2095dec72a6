"""Which route a path is. Paths are split before they are decoded, so that an id may hold anything, a slash too.

Below is the ASGI scope; above, the app. It refuses to know what a route does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from urllib.parse import unquote

from starlette.types import Scope

from handgriff.http.problems import Problem

H = TypeVar("H")
ID: Final = "{id}"


@dataclass(frozen=True, slots=True)
class Found(Generic[H]):
    """A route's handler, and the ids of the path."""

    handler: H
    ids: tuple[str, ...]


def segments(scope: Scope) -> tuple[str, ...]:
    """The decoded segments of the path below where the app is mounted: `/sessions/a%2Fb` has two."""
    path, root = scope["path"], scope.get("root_path", "")
    if root and (path == root or path.startswith(f"{root}/")):
        path = path[len(root) :]
    raw = scope.get("raw_path")
    return tuple(unquote(part) for part in _raw_of(path, raw) or ()) if raw else tuple(path.split("/")[1:])


def find(routes: Mapping[tuple[str, ...], Mapping[str, H]], path: Sequence[str], method: str) -> Found[H]:
    """The route of *path*.

    Raises:
        Problem: 404 where there is none, 405 where it does not take *method*.
    """
    for pattern, methods in routes.items():
        if len(pattern) != len(path) or any(part not in (ID, given) for part, given in zip(pattern, path, strict=True)):
            continue
        if method not in methods:
            allow = ", ".join(sorted(methods))
            raise Problem(405, "method_not_allowed", "Method not allowed", f"This route takes {allow}.", headers={"Allow": allow})
        return Found(methods[method], tuple(given for part, given in zip(pattern, path, strict=True) if part == ID))
    raise Problem(404, "not_found", "Not found", "There is nothing here.")


def _raw_of(path: str, raw: bytes) -> list[str] | None:
    """The undecoded segments of *path*: the end of the raw path that decodes to it, whatever a mount has cut off."""
    parts = raw.partition(b"?")[0].decode("ascii", "replace").split("/")[1:]
    for start in range(len(parts)):
        rest = parts[start:]
        if unquote("/" + "/".join(rest)) == path:
            return rest
    return path.split("/")[1:]
