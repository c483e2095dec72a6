"""Sessions, proposals, menu and health over HTTP, and what every request is held to before it is read."""

import json
from typing import Any

import pytest
from starlette.requests import Request

from handgriff import BackendError, Caller, DefinitionError, Host
from handgriff.core.events import Decision
from handgriff.core.rows import Session
from handgriff.http import asgi
from handgriff.stores.memory.store import MemoryStore
from tests.interaction.http_wire import BOB, Shop, load_caller, paced, say, wired

pytestmark = pytest.mark.anyio


async def test_a_session_is_created_read_listed_and_deleted() -> None:
    async with wired() as wire:
        created = await wire.post("/sessions", {"alias": "orders", "title": "My orders"})
        session = created.json()

        assert created.status == 201
        assert created.headers["location"] == f"/sessions/{session['id']}"
        assert (session["alias"], session["title"], session["is_running"]) == ("orders", "My orders", False)
        assert (await wire.get(f"/sessions/{session['id']}")).json()["events"][0]["kind"] == "session_created"
        assert [listed["id"] for listed in (await wire.get("/sessions")).json()["sessions"]] == [session["id"]]

        deleted = await wire.ask("DELETE", f"/sessions/{session['id']}")

        assert (deleted.status, deleted.body) == (204, b"")
        assert (await wire.get(f"/sessions/{session['id']}")).status == 404
        assert (await wire.get("/sessions")).json() == {"sessions": [], "next": None}


async def test_an_alias_is_taken_once() -> None:
    async with wired() as wire:
        await wire.post("/sessions", {"alias": "orders"})

        again = await wire.post("/sessions", {"alias": "orders"})

        assert (again.status, again.json()["code"]) == (409, "conflict")
        assert (await wire.post("/sessions", {"alias": "orders"}, user=BOB)).status == 201


async def test_sessions_and_events_come_in_pages() -> None:
    async with wired() as wire:
        made = [(await wire.post("/sessions")).json()["id"] for _ in range(3)]
        await wire.post("/agui", say("/list_orders", thread=made[0]))

        first = (await wire.get("/sessions?limit=2")).json()
        second = (await wire.get(f"/sessions?limit=2&before={first['next']}")).json()
        window = (await wire.get(f"/sessions/{made[0]}?after=1&limit=2")).json()
        rest = (await wire.get(f"/sessions/{made[0]}?after={window['next']}")).json()

        assert {session["id"] for page in (first, second) for session in page["sessions"]} == set(made)
        assert second["next"] is None
        assert [event["seq"] for event in window["events"]] == [2, 3]
        assert [event["seq"] for event in rest["events"]] == [4, 5, 6]
        assert rest["next"] is None


async def test_events_show_what_people_may_see() -> None:
    async with wired() as wire:
        interrupt = await wire.park()
        await wire.resume(interrupt["id"])
        session = (await wire.session())["id"]

        events = (await wire.get(f"/sessions/{session}")).json()["events"]

        assert [event["kind"] for event in events] == [
            "session_created",
            "user_message",
            "assistant_message",
            "turn_ended",
            "decision",
            "call_outcome",
            "decision",
            "assistant_message",
            "turn_ended",
        ]
        assert events[1]["text"] == "/cancel_order order=o_17"
        assert events[2]["calls"][0]["tool"] == "cancel_order"
        assert events[3]["parked"][0]["proposal"] == interrupt["id"]
        assert events[5]["summary"] == "Order cancelled."
        assert not any(hidden in event for event in events for hidden in ("wire", "digest", "input_tokens", "cost_pico"))


async def test_a_session_with_a_running_turn_is_not_deleted() -> None:
    pace, model = paced()
    async with wired(model=model) as wire, wire.open("POST", "/agui", say("hello")) as stream:
        await stream.until("STATE_SNAPSHOT")
        session = await wire.session()

        answer = await wire.ask("DELETE", f"/sessions/{session['id']}")
        pace.allow(99)

        assert session["is_running"] is True
        assert (answer.status, answer.json()["code"]) == (409, "conversation_busy")


async def test_stopping_what_does_not_run_says_so() -> None:
    async with wired() as wire:
        session = (await wire.post("/sessions")).json()["id"]

        assert (await wire.post(f"/sessions/{session}/stop")).json() == {"stopped": False}


async def test_a_proposal_is_listed_shown_and_decided_once() -> None:
    async with wired() as wire:
        interrupt = await wire.park()
        session = (await wire.session())["id"]
        listed = (await wire.get(f"/proposals?session={session}")).json()["proposals"]
        shown = (await wire.get(f"/proposals/{interrupt['id']}")).json()

        decided = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True})
        again = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True})
        against = await wire.post(f"/proposals/{interrupt['id']}", {"approved": False})

        assert listed == [shown]
        assert shown["arguments"] == {"order": "o_17"}
        assert (shown["summary"], shown["state"]) == ("Cancel o_17?", "pending")
        assert not any(hidden in shown for hidden in ("grant", "digest", "fingerprint", "wire_id", "before"))
        assert decided.json()["outcome"]["summary"] == "Order cancelled."
        assert decided.json()["proposal"]["state"] == "done"
        assert (again.status, against.status) == (409, 409)
        assert again.json()["facts"] == {"state": "done"}
        assert wire.shop.done == ["cancel o_17"]


async def test_a_declined_proposal_says_so_when_it_is_approved_later() -> None:
    async with wired() as wire:
        interrupt = await wire.park()

        declined = await wire.post(f"/proposals/{interrupt['id']}", {"approved": False})
        late = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True})

        assert declined.json()["outcome"]["error"]["code"] == "declined"
        assert (late.status, late.json()["code"]) == (409, "declined")
        assert wire.shop.done == []


async def test_the_menu_is_the_callers_own() -> None:
    async with wired() as wire:
        ada, bob = (await wire.get("/menu")).json()["tools"], (await wire.get("/menu", user=BOB)).json()["tools"]

        assert "cancel_order" in [tool["name"] for tool in ada]
        assert "cancel_order" not in [tool["name"] for tool in bob]
        assert ada[0]["confirm"] == "person"
        assert ada[0]["arguments"]["properties"].keys() == {"order"}
        assert next(tool["title"] for tool in ada if tool["name"] == "list_orders") == "Orders"


async def test_health_asks_nobody_who_they_are() -> None:
    async with wired() as wire:
        for path in ("/healthz", "/readyz"):
            assert (await wire.get(path, user=None)).json() == {"status": "ok"}
            assert (await wire.ask("HEAD", path, user=None)).status == 200


class Down(MemoryStore):
    async def session(self, tenant: str, session: str) -> Session | None:
        raise BackendError("memory", "reading", hint="at 10.0.0.5") from OSError("gone")


async def test_without_its_store_the_process_lives_and_is_not_ready() -> None:
    async with wired(store=Down()) as wire:
        assert (await wire.get("/healthz")).status == 200

        ready = await wire.get("/readyz")

        assert ready.status == 503
        assert ready.json()["code"] == "transient"
        assert ready.json()["facts"]["incident"].startswith("i_")
        assert b"10.0.0.5" not in ready.body


PATHS = [
    ("GET", "/sessions"),
    ("POST", "/sessions"),
    ("GET", "/sessions/x"),
    ("DELETE", "/sessions/x"),
    ("GET", "/sessions/x/stream"),
    ("POST", "/sessions/x/stop"),
    ("POST", "/agui"),
    ("GET", "/proposals"),
    ("GET", "/proposals/x"),
    ("POST", "/proposals/x"),
    ("POST", "/proposals/x/code"),
    ("GET", "/confirm/x"),
    ("GET", "/menu"),
]


@pytest.mark.parametrize(("method", "path"), PATHS, ids=lambda part: part.strip("/"))
async def test_nobody_gets_anywhere(method: str, path: str) -> None:
    async with wired() as wire:
        body, headers = say("/list_orders") if method == "POST" else None, {"accept": "application/json"}
        answer = await wire.ask(method, path, body, user=None, headers=headers)

        assert answer.status == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["code"] == "unauthenticated"


async def test_an_authenticate_that_breaks_lets_nobody_in_B135() -> None:
    async def broken(request: Request) -> Caller | None:
        raise KeyError(request.headers["x-user"])

    async with wired() as wire:
        wire.app = asgi(wire.host, authenticate=broken)

        answer = await wire.get("/sessions")

        assert answer.status == 401
        assert b"acme" not in answer.body


async def test_an_authenticate_that_answers_something_else_is_the_operators_error() -> None:
    async def wrong(request: Request) -> Any:
        return "ada"

    async with wired() as wire:
        wire.app = asgi(wire.host, authenticate=wrong)

        answer = await wire.get("/sessions")

        assert (answer.status, answer.json()["code"]) == (500, "permanent")


async def test_without_authenticate_there_is_no_app() -> None:
    host = Host(Shop().assistant(), store="memory://", callers=load_caller, model="scripted:demo")

    with pytest.raises(DefinitionError, match="authenticate"):
        asgi(host, authenticate=None)  # type: ignore[arg-type]  # what is tried


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param(b"", 415, id="nothing"),
        pytest.param(b"{", 400, id="cut"),
        pytest.param(b'{"threadId": "a", "threadId": "b"}', 400, id="a key twice"),
        pytest.param(b'{"threadId": NaN}', 400, id="NaN"),
        pytest.param(b'{"threadId": "\\ud800"}', 400, id="half a character"),
        pytest.param(b'{"threadId": "\xff"}', 400, id="no UTF-8"),
        pytest.param(b"[" * 1000 + b"]" * 1000, 400, id="deep"),
        pytest.param(b"[]", 422, id="a list"),
        pytest.param(b"{}", 422, id="no thread"),
        pytest.param(b'{"threadId": 7}', 422, id="a number for a thread"),
        pytest.param(b'{"threadId": "\\u0000"}', 422, id="NUL"),
        pytest.param(b'{"threadId": ""}', 422, id="an empty thread"),
    ],
)
async def test_a_body_is_read_strictly(body: bytes, status: int) -> None:
    async with wired() as wire:
        answer = await wire.post("/agui", body or None)

        assert answer.status == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == status


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "multipart/form-data"]
)
async def test_only_json_is_taken(kind: str) -> None:
    async with wired() as wire:
        answer = await wire.post("/agui", say("/list_orders"), headers={"content-type": kind})

        assert answer.status == 415
        assert (await wire.get("/sessions")).json()["sessions"] == []


async def test_a_body_has_a_bound_declared_or_not() -> None:
    async with wired(body_bytes=200) as wire:
        declared = await wire.post("/agui", say("x"), headers={"content-length": "201"})
        sent = await wire.post("/agui", say("x" * 300))

        assert (declared.status, sent.status) == (413, 413)
        assert sent.json()["code"] == "too_large"


async def test_a_message_has_a_bound_too() -> None:
    async with wired() as wire:
        answer = await wire.run("x" * 70_000)

        assert (answer.status, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1", 200),
        ("https://127.0.0.1", 200),
        ("https://app.example", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1:81", 403),
        ("http://[", 403),
    ],
)
async def test_a_page_of_another_origin_cannot_ask(origin: str, status: int) -> None:
    async with wired(origins=["https://app.example"]) as wire:
        answer = await wire.post("/agui", say("/list_orders"), headers={"origin": origin})

        assert answer.status == status


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "limit=1.5", "limit=", "after=-1", "limit=٣", "after=" + "9" * 30])
async def test_a_wrong_query_is_named(query: str) -> None:
    async with wired() as wire:
        session = (await wire.post("/sessions")).json()["id"]

        answer = await wire.get(
            f"/sessions/{session}?{query.encode().decode('latin-1')}" if query.isascii() else f"/sessions/{session}?limit=%D9%A3"
        )

        assert (answer.status, answer.json()["code"]) == (422, "invalid")


async def test_a_cursor_of_nobody_is_invalid_B113() -> None:
    async with wired() as wire:
        theirs = (await wire.post("/sessions", user=BOB)).json()["id"]

        answers = [await wire.get(f"/sessions?before={before}") for before in (theirs, "s_0", "..", "%00")]

        assert {answer.status for answer in answers} == {422}
        assert len({answer.body for answer in answers}) == 1


async def test_unknown_routes_and_methods_are_problems_too() -> None:
    async with wired() as wire:
        nowhere, method = await wire.get("/nowhere"), await wire.ask("PUT", "/sessions", {})

        assert (nowhere.status, nowhere.json()["code"]) == (404, "not_found")
        assert (method.status, method.headers["allow"]) == (405, "GET, POST")
        for answer in (nowhere, method):
            assert answer.headers["content-type"] == "application/problem+json"


async def test_nothing_is_kept_by_caches() -> None:
    async with wired() as wire:
        for answer in (await wire.get("/sessions"), await wire.get("/nowhere")):
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_caller_who_left_the_company_has_no_menu_and_no_turn() -> None:
    async with wired() as wire:
        gone = Caller("acme", "gone")

        async def still_signed_in(request: Request) -> Caller:
            return gone

        wire.app = asgi(wire.host, authenticate=still_signed_in)

        assert (await wire.get("/menu")).status == 404
        assert (await wire.run("/list_orders")).status == 404


async def test_a_decision_is_stored_under_the_deciders_name() -> None:
    async with wired() as wire:
        interrupt = await wire.park()
        await wire.post(f"/proposals/{interrupt['id']}", {"approved": True})

        events = await wire.host.sessions.events(Caller("acme", "ada"), (await wire.session())["id"])

        assert [event.body.by for event in events if isinstance(event.body, Decision)] == ["ada", "ada"]


async def test_mounted_below_a_path_it_finds_its_routes() -> None:
    async with wired() as wire:
        inner = wire.app

        async def mounted(scope: Any, receive: Any, send: Any) -> None:
            await inner({**scope, "root_path": "/assistant"}, receive, send)

        wire.app = mounted
        created = await wire.post("/assistant/sessions", {})

        assert created.status == 201
        assert created.headers["location"] == f"/assistant/sessions/{created.json()['id']}"
        assert (await wire.get("/assistant/sessions/a%2Fb")).json()["detail"] == "There is no such session."


async def test_a_websocket_is_turned_away() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async with wired() as wire:
        await wire.app({"type": "websocket"}, receive, send)

    assert sent == [{"type": "websocket.close", "code": 1003}]


async def test_problems_are_json_and_say_what_next() -> None:
    async with wired() as wire:
        problem = json.loads((await wire.run("")).body)

        assert problem["type"] == "urn:handgriff:invalid"
        assert problem["title"] == "Invalid"
        assert problem["next"] == "Write something."
