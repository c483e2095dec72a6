"""The ASGI app: it authenticates every request, and hands it to the SDK's session manager with the caller in its scope.

Below are the face and the SDK; above, an application mounts it, or `serve` runs it alone. The SDK is told whose request it is, so that a
session answers nobody but the tenant and user that opened it.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self, TypeAlias

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from handgriff.core.caller import Caller
from handgriff.errors import DefinitionError
from handgriff.host.host import Host
from handgriff.mcp.asking import CALLER, SESSION, over_http, session_alias
from handgriff.mcp.face import Face
from handgriff.mcp.problems import broken, nobody, nothing_here
from handgriff.mcp.running import Running
from handgriff.runtime.boundary.invoke import is_async
from handgriff.serving.identify import identified

Authenticate: TypeAlias = Callable[[Request], Awaitable[Caller | None]]
"""Says who sent a request, from its token or whatever the application uses; None, or an exception, is nobody."""

LOOPBACK: Final = ("127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]", "[::1]:*")
"""The names of this machine, as the SDK compares them."""
BODY_BYTES: Final = DEFAULT_MAX_REQUEST_BODY_SIZE


def asgi(
    host: Host,
    *,
    authenticate: Authenticate,
    path: str = "/mcp",
    hosts: Iterable[str] = LOOPBACK,
    origins: Iterable[str] = (),
    body_bytes: int = BODY_BYTES,
) -> "App":
    """The host over streamable HTTP, at *path* below wherever it is mounted.

    `authenticate` says who sent a request; there is no anonymous default. `hosts` are the names the server answers to, `name` or `name:*`
    for any port: a page that has resolved its own name to this machine is turned away. `origins` are pages that may call, written alike.

    Raises:
        DefinitionError: one of them can't be what it is for.
    """
    if not isinstance(host, Host):
        raise DefinitionError(
            "asgi", "host", f"it is {type(host).__name__}.", mend="join the assistant to its store first: Host(assistant, …)."
        )
    if not is_async(authenticate):
        mend = "write 'async def authenticate(request): …', answering a Caller or None."
        raise DefinitionError("asgi", "authenticate", "it is no async function.", mend=mend)
    if not path.startswith("/"):
        raise DefinitionError("asgi", "path", f"{path!r} does not begin with a slash.", mend="write it as '/mcp'.")
    for member, given in (("hosts", hosts), ("origins", origins)):
        if isinstance(given, str):
            raise DefinitionError("asgi", member, "it is one text.", mend=f"give a list: {member}=[{given!r}].")
    security = TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=list(origins))
    return App(host, authenticate, path, security, body_bytes)


class App:
    """The app. It serves from its first request on, whether or not its lifespan is run, and until its event loop ends or it is closed."""

    def __init__(self, host: Host, authenticate: Authenticate, path: str, security: TransportSecuritySettings, body_bytes: int) -> None:
        self._host = host
        self._authenticate = authenticate
        self.path = path
        """Where the endpoint is, below wherever the app is mounted."""
        self._security = security
        self._body_bytes = body_bytes
        self._face = Face(host, over_http)
        self._running: Running | None = None

    async def __aenter__(self) -> Self:
        await self._serving()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        match scope["type"]:
            case "lifespan":
                await self._live(receive, send)
            case "http":
                await self._answer(scope, receive, send)
            case _:
                await send({"type": "websocket.close", "code": 1003})

    async def close(self) -> None:
        """End every session and stream. What was called and writes is carried through by the host."""
        running, self._running = self._running, None
        if running is not None:
            await running.end()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if not _is_endpoint(scope, self.path.rstrip("/")):
            await nothing_here()(scope, receive, send)
            return
        try:
            caller = await identified(self._authenticate, request)
            manager = await self._serving()
        except Exception as error:  # noqa: BLE001  # the boundary to clients; what is no refusal is logged there
            await broken(error)(scope, receive, send)
            return
        if caller is None:
            await nobody()(scope, receive, send)
            return
        await self._pass_on(manager, caller, request, send)

    async def _pass_on(self, manager: StreamableHTTPSessionManager, caller: Caller, request: Request, send: Send) -> None:
        scope = {**request.scope, "user": _owner(caller), CALLER: caller}
        session = request.headers.get(SESSION)
        if session is None or request.method == "POST":
            await manager.handle_request(scope, request.receive, send)
            return
        seats, principal, alias = self._face.watch.seats, (caller.tenant, caller.user), session_alias(session)
        if request.method == "GET":
            now = (await self._host.engine()).clock.monotonic()
            with ExitStack() as held:
                streaming = partial(held.enter_context, seats.streaming(principal, alias, now))
                await manager.handle_request(scope, request.receive, _once_it_began(send, streaming))
        else:
            await manager.handle_request(scope, request.receive, send)
            seats.leave(principal, alias)

    async def _serving(self) -> StreamableHTTPSessionManager:
        if self._running is None or self._running.is_over:
            self._running = Running(
                StreamableHTTPSessionManager(self._face.server(), security_settings=self._security, max_request_body_size=self._body_bytes)
            )
        return await self._running.manager()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._host.engine()
            await self._serving()
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await self._host.close()
        await send({"type": "lifespan.shutdown.complete"})


def _is_endpoint(scope: Scope, endpoint: str) -> bool:
    """Whether a request is for *endpoint* below where the app is mounted, or for that very place if it is called so."""
    path, root = str(scope["path"]).rstrip("/"), str(scope.get("root_path", ""))
    below = path[len(root) :] if path == root or path.startswith(f"{root}/") else path
    return below == endpoint or (not below and root.endswith(endpoint))


def _owner(caller: Caller) -> AuthenticatedUser:
    """The caller as the SDK compares those who come with a session's id. No token is kept, and a tenant is part of who somebody is."""
    return AuthenticatedUser(AccessToken(token="", client_id="handgriff", scopes=[], subject=caller.user, claims={"iss": caller.tenant}))


def _once_it_began(send: Send, began: Callable[[], object]) -> Send:
    """*send*, which tells of a stream that was accepted."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            began()
        await send(message)

    return sent
