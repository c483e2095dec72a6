"""The ASGI app: it authenticates, finds the route, calls it and answers. Nothing is decided here.

Below are the routes; above, an application mounts it, or `serve` runs it alone.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from handgriff.core.jsontext import Json
from handgriff.errors import DefinitionError
from handgriff.host.host import Host
from handgriff.http import confirm, proposals, sessions, turns
from handgriff.http import dev as development
from handgriff.http.face import BODY_BYTES, Authenticate, Face, Temporary, answer_json
from handgriff.http.origin import check_loopback, check_origin
from handgriff.http.problems import answer, problem_of
from handgriff.http.routing import ID, find, segments
from handgriff.runtime.boundary.invoke import is_async

Handler: TypeAlias = Callable[..., Awaitable[ASGIApp]]
"""Takes the face, the request, the caller and the ids of its path."""
Methods: TypeAlias = Mapping[str, Handler]

ROUTES: Final[Mapping[tuple[str, ...], Methods]] = {
    ("agui",): {"POST": turns.run},
    ("sessions",): {"GET": sessions.listed, "POST": sessions.create},
    ("sessions", ID): {"GET": sessions.show, "DELETE": sessions.delete},
    ("sessions", ID, "stream"): {"GET": turns.follow},
    ("sessions", ID, "stop"): {"POST": sessions.stop},
    ("proposals",): {"GET": proposals.listed},
    ("proposals", ID): {"GET": proposals.show, "POST": proposals.decide},
    ("proposals", ID, "code"): {"POST": proposals.send_code},
    (confirm.PATH, ID): {"GET": confirm.show},
    ("menu",): {"GET": proposals.menu},
}


def asgi(
    host: Host,
    *,
    authenticate: Authenticate,
    origins: Iterable[str] = (),
    body_bytes: int = BODY_BYTES,
    include_usage: bool = False,
    temp: Temporary | None = None,
    detach: bool = False,
    dev: bool = False,
) -> ASGIApp:
    """The host over HTTP, to be mounted in an application or served alone.

    `authenticate` says who sent a request; there is no anonymous default. `origins` are pages of other origins that may call. `temp` gives
    a request's own values to its turn. With `detach` a turn goes on to its end when nobody listens. `include_usage` tells clients the
    tokens of a turn. `dev` adds a page to try it on, and serves nothing but this machine.

    Raises:
        DefinitionError: `authenticate` is missing.
    """
    if not isinstance(host, Host):
        raise DefinitionError(
            "asgi", "host", f"it is {type(host).__name__}.", mend="join the assistant to its store first: Host(assistant, …)."
        )
    if not is_async(authenticate):
        raise DefinitionError(
            "asgi",
            "authenticate",
            "it is no async function.",
            mend="write 'async def authenticate(request): …', answering a Caller or None.",
        )
    return App(
        Face(
            host=host,
            authenticate=authenticate,
            origins=frozenset(origins),
            body_bytes=body_bytes,
            with_usage=include_usage,
            temp=temp,
            detach=detach,
            dev=dev,
        )
    )


class App:
    """The app. Served alone, it opens the host when the server starts and closes it when the server ends."""

    def __init__(self, face: Face) -> None:
        self._face = face

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            response = await self._answer(Request(scope, receive))
            await response(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003})

    async def _answer(self, request: Request) -> ASGIApp:
        try:
            return await self._route(request)
        except Exception as error:  # noqa: BLE001  # the boundary to clients; what is no refusal is logged there
            problem = problem_of(error)
            is_page = segments(request.scope)[:1] == (confirm.PATH,)
            return confirm.explained(request, problem) if is_page else answer(problem)

    async def _route(self, request: Request) -> ASGIApp:
        face, path = self._face, segments(request.scope)
        check_origin(request, face.origins)
        if face.dev:
            check_loopback(request)
        anybodys = {**_OPEN, **development.PAGES} if face.dev else _OPEN
        if path in anybodys:
            return await find(anybodys, path, request.method).handler(face)
        found = find(ROUTES, path, request.method)
        return await found.handler(face, request, await face.caller(request), *found.ids)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._face.host.engine()
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._face.host.close()
        await send({"type": "lifespan.shutdown.complete"})


async def _healthy(face: Face) -> ASGIApp:
    """`GET /healthz`: the process answers."""
    del face
    return answer_json(_OK)


async def _ready(face: Face) -> ASGIApp:
    """`GET /readyz`: so does the store."""
    await (await face.host.engine()).store.session("-", "-")
    return answer_json(_OK)


_OK: Final[Mapping[str, Json]] = {"status": "ok"}
_OPEN: Final[Mapping[tuple[str, ...], Methods]] = {
    **confirm.FILES,
    ("healthz",): {"GET": _healthy, "HEAD": _healthy},
    ("readyz",): {"GET": _ready, "HEAD": _ready},
}
