"""Who a request is from, whose MCP session it names, and where the app may be mounted."""

import contextvars
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from handgriff import Caller, DefinitionError, Host, Refusal
from handgriff.mcp import asgi
from tests.interaction.mcp_office import IN_DRAFT, IN_REVIEW, Office, opened
from tests.interaction.mcp_server import office_served
from tests.interaction.mcp_wire import INITIALIZE, NEW, OLD, HttpWire, call, tools, wired

pytestmark = pytest.mark.anyio
LISTEN: Final = ("subscriptions/listen", {"notifications": {"toolsListChanged": True}})


@pytest.mark.parametrize("stranger", ["acme/ben", "globex/ada", "globex/eve"])
async def test_a_foreign_session_is_answered_like_none(stranger: str) -> None:
    """B130: a session answers the tenant and user that opened it, and a namesake of another tenant is somebody else."""
    async with office_served(Office()) as address, wired(address, OLD) as ada, wired(address, OLD, stranger) as other:
        await call(ada, "submit_invoice")
        own, other.session = other.session, ada.session
        foreign = await other.post(other.request("tools/call", {"name": "approve_invoice", "arguments": {}}, 1))
        stream = await other.http.get("", headers=other.headers())
        ended = await other.http.delete("", headers=other.headers())
        other.session = "0" * 32
        unknown = await other.post(other.request("tools/call", {"name": "approve_invoice", "arguments": {}}, 1))
        other.session = own

        assert (foreign.status_code, foreign.content) == (unknown.status_code, unknown.content)
        assert [foreign.status_code, stream.status_code, ended.status_code] == [404, 404, 404]
        assert tuple(await tools(ada)) == IN_REVIEW
        assert tuple(await tools(other)) == IN_DRAFT


async def test_a_renewed_token_of_the_same_person_goes_on() -> None:
    """B130: whose the session is does not hang on the token, and what it may do is what is granted now."""
    office = Office()
    async with office_served(office) as address, wired(address, OLD) as wire:
        await call(wire, "submit_invoice")
        wire.http.headers["authorization"] = "Bearer acme/ada renewed"
        office.people["acme", "ada"] = Caller("acme", "ada", permissions={"invoices", "audit"}, roles={"clerk"})

        assert tuple(await tools(wire)) == tuple(sorted((*IN_REVIEW, "audit")))


async def test_two_users_with_the_same_client_share_nothing() -> None:
    async with office_served(Office()) as address, wired(address, NEW) as ada, wired(address, NEW, "acme/ben") as ben:
        await call(ada, "submit_invoice")
        answer = (await call(ben, "approve_invoice"))[-1]["result"]

    assert answer["structuredContent"]["error"]["facts"]["state"] == "draft"


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("who", ["?", "acme/nobody", "globex/ben"])
async def test_nobody_is_answered_401_on_every_request(version: str, who: str) -> None:
    async with office_served(Office()) as address, httpx2.AsyncClient(base_url=address) as http:
        http.headers["authorization"] = f"Bearer {who}"
        wire = HttpWire(http, version)
        for method in ("initialize", "tools/list", "server/discover"):
            answer = await wire.post(wire.request(method), method)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert (await http.get("")).status_code == 401
        assert (await http.delete("")).status_code == 401


async def test_what_breaks_while_somebody_is_identified_identifies_nobody() -> None:
    async def breaks(request: object) -> Caller | None:
        raise RuntimeError("hunter2")

    async with opened(Office()) as host, asked(asgi(host, authenticate=breaks)) as http:
        answer = await post(http, NEW)

    assert answer.status_code == 401
    assert b"hunter2" not in answer.content


async def test_an_application_may_refuse_somebody_in_its_own_words() -> None:
    async def refuses(request: object) -> Caller | None:
        raise Refusal("denied", "This account is closed.")

    async with opened(Office()) as host, asked(asgi(host, authenticate=refuses)) as http:
        answer = await post(http, NEW)

    assert (answer.status_code, answer.json()["detail"]) == (403, "This account is closed.")


async def test_an_answer_that_is_no_caller_is_the_author_s_mistake_and_nobody_s_business() -> None:
    async def wrong(request: object) -> Any:
        return {"user": "hunter2"}

    async with opened(Office()) as host, asked(asgi(host, authenticate=wrong)) as http:
        answer = await post(http, NEW)

    assert answer.status_code == 500
    assert b"hunter2" not in answer.content
    assert "i_" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"host": "evil.example"}, 421, id="a name that was bound to this machine"),
        pytest.param({"origin": "https://evil.example"}, 403, id="a page of another origin"),
        pytest.param({"host": "assistant.shop.example"}, 200, id="a name it is known by"),
        pytest.param({"origin": "https://chat.shop.example"}, 200, id="a page that may call"),
        pytest.param({"host": "localhost:9999"}, 200, id="this machine"),
    ],
)
@pytest.mark.parametrize("version", [OLD, NEW])
async def test_only_names_and_origins_it_knows_are_answered(version: str, headers: dict[str, str], status: int) -> None:
    office = Office()
    hosts, origins = ["127.0.0.1:*", "localhost:*", "assistant.shop.example"], ["https://chat.shop.example"]
    async with opened(office) as host, asked(asgi(host, authenticate=office.authenticate, hosts=hosts, origins=origins)) as http:
        answer = await post(http, version, **headers)

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("mount", "path", "url"),
    [
        pytest.param("/", "/mcp", "/mcp", id="at the root"),
        pytest.param("/assistant", "/mcp", "/assistant/mcp", id="below a path"),
        pytest.param("/mcp", "/", "/mcp/", id="as its own path"),
        pytest.param("/mcp", "/mcp", "/mcp/", id="at a path of its name"),
    ],
)
async def test_it_serves_wherever_it_is_mounted_although_its_lifespan_never_runs(mount: str, path: str, url: str) -> None:
    office = Office()
    async with opened(office) as host:
        app = asgi(host, authenticate=office.authenticate, path=path)
        async with asked(Starlette(routes=[Mount(mount, app)])) as http:
            answers = [await post(http, version, url) for version in (OLD, NEW)]
            elsewhere = await post(http, NEW, url.rstrip("/") + "/other")
        await app.close()

    assert [answer.status_code for answer in answers] == [200, 200]
    assert elsewhere.status_code == 404


async def test_it_can_be_closed_and_serves_again() -> None:
    office = Office()
    async with opened(office) as host, asgi(host, authenticate=office.authenticate) as app, asked(app) as http:
        first = await post(http, OLD)
        await app.close()
        again = await http.post("/mcp", content=b"{}", headers={"mcp-session-id": first.headers["mcp-session-id"]})
        fresh = await post(http, OLD)

    assert (first.status_code, again.status_code, fresh.status_code) == (200, 404, 200)


async def test_sessions_begun_by_one_request_do_not_inherit_its_context() -> None:
    """B131: what a middleware has set for the request that opened a session is not what later requests see."""
    office, whose = Office(), contextvars.ContextVar("whose", default="nobody")
    seen: list[str] = []

    async def authenticate(request: Any) -> Caller | None:
        whose.set(request.headers["x-mark"])
        return office.people["acme", "ada"]

    async def callers(tenant: str, user: str) -> Caller | None:
        seen.append(whose.get())
        return office.people[tenant, user]

    host = Host(office.assistant(), store="memory://", callers=callers, model="scripted:office")
    async with host, asked(asgi(host, authenticate=authenticate)) as http:
        opening = await post(http, OLD, **{"x-mark": "first"})
        wire = HttpWire(http, OLD, opening.headers["mcp-session-id"])
        seen.clear()
        listing = await http.post("/mcp", content=json.dumps(wire.request("tools/list")), headers=wire.headers() | {"x-mark": "second"})

    assert listing.status_code == 200
    assert set(seen) == {"second"}


async def test_a_client_that_ends_its_session_is_answered_no_more() -> None:
    async with office_served(Office()) as address, wired(address, OLD) as wire:
        await tools(wire)
        ended = await wire.http.delete("", headers=wire.headers())
        after = await wire.post(wire.request("tools/list"))

    assert (ended.status_code, after.status_code) == (200, 404)


@pytest.mark.parametrize("version", [OLD, NEW])
async def test_ending_the_server_ends_its_streams(version: str) -> None:
    is_open, has_ended = anyio.Event(), anyio.Event()

    async def listen(address: str) -> None:
        with suppress(httpx2.RequestError):
            async with wired(address, version) as wire, wire.stream(*LISTEN) as stream:
                await tools(wire)
                is_open.set()
                with suppress(EOFError):
                    while True:
                        await stream.frame()
        has_ended.set()

    async with anyio.create_task_group() as tasks:
        async with office_served(Office()) as address:
            tasks.start_soon(listen, address)
            await is_open.wait()
        with anyio.fail_after(30):
            await has_ended.wait()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"authenticate": lambda request: None}, "no async function", id="a plain function"),
        pytest.param({"path": "mcp"}, "slash", id="a path without a slash"),
        pytest.param({"hosts": "shop.example"}, "give a list", id="one host"),
        pytest.param({"origins": "https://shop.example"}, "give a list", id="one origin"),
    ],
)
async def test_wrong_options_are_told_while_it_is_built(options: dict[str, Any], told: str) -> None:
    office = Office()
    with pytest.raises(DefinitionError, match=told):
        asgi(office.host(), **{"authenticate": office.authenticate, **options})


async def test_an_assistant_without_a_host_is_told_so() -> None:
    office = Office()
    with pytest.raises(DefinitionError, match="join the assistant"):
        asgi(office.assistant(), authenticate=office.authenticate)  # type: ignore[arg-type]  # that is the mistake


@asynccontextmanager
async def asked(app: ASGIApp) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of *app* in this process, as Ada."""
    transport = httpx2.ASGITransport(app=app)
    headers = {"authorization": "Bearer acme/ada", "host": "127.0.0.1:80"}
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:80", headers=headers) as http:
        yield http


async def post(http: httpx2.AsyncClient, version: str, url: str = "/mcp", **headers: str) -> httpx2.Response:
    """The first request of a client of this era."""
    wire = HttpWire(http, version)
    method, params = ("initialize", INITIALIZE) if version == OLD else ("tools/list", None)
    return await http.post(url, content=json.dumps(wire.request(method, params)), headers=wire.headers(method, params) | headers)
