"""Driving the HTTP face in process: a shop, its people, and a client that speaks ASGI itself, so that paths and disconnects are its own."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import unquote

import anyio
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.types import ASGIApp, Message

from handgriff import Assistant, Call, Caller, Change, Host, Limits, Plan, Refusal, Result, Toolbox
from handgriff.http import asgi
from handgriff.models.scripted import ScriptedModel, Step
from handgriff.ports.callers import Callers
from handgriff.ports.clock import Clock
from handgriff.ports.codes import CodeSender
from handgriff.ports.model import Model
from handgriff.ports.store import Store

OrderId = Annotated[str, Field(description="Order id, e.g. 'o_17'.")]
CANARY = "canary-data-for-the-model-only"
LOCALES = {"dora": "de-AT", "fleur": "fr"}
PEOPLE = {
    (tenant, user): Caller(tenant, user, permissions=set() if user == "bob" else {"orders.cancel"}, locale=LOCALES.get(user, "en"))
    for tenant, users in (("acme", ("ada", "bob", "eve", "dora", "fleur")), ("globex", ("ada", "eve")))
    for user in users
}
ADA, BOB, FOREIGN = "acme/ada", "acme/bob", "globex/ada"
EVE, DORA, FLEUR = "acme/eve", "acme/dora", "acme/fleur"


class Order(BaseModel):
    id: OrderId
    status: str
    secret: str = CANARY


@dataclass(slots=True)
class Shop:
    """The world behind the tools: its orders, what was done to it, and a door that holds slow tools up."""

    orders: dict[str, str] = field(default_factory=lambda: {"o_17": "pending", "o_18": "shipped", "o_19": "pending"})
    done: list[str] = field(default_factory=list)
    door: anyio.Event = field(default_factory=anyio.Event)
    limits: Limits = field(default_factory=Limits)

    def assistant(self) -> Assistant:
        shop = Toolbox("shop")

        @shop.tool(effect="read", title={"en": "Orders", "de": "Bestellungen"})
        async def list_orders(call: Call) -> Result[list[Order]]:
            """Use when: the user asks about orders. Not for: products. Needs: nothing. Effect: none."""
            found = [Order(id=order, status=status) for order, status in self.orders.items()]
            return Result(f"{len(found)} orders.", found, link="/orders")

        @shop.tool(effect="read")
        async def slow_read(call: Call) -> Result[None]:
            """Use when: something takes long. Not for: orders. Needs: nothing. Effect: none."""
            await call.progress(1, 2, "half of it")
            await self.door.wait()
            return Result("It took long.")

        @shop.tool(effect="read")
        async def whoami(call: Call) -> Result[None]:
            """Use when: the token must be read. Not for: orders. Needs: nothing. Effect: none."""
            self.done.append(str(await call.state.get("temp:bearer")))
            return Result("Read.")

        @shop.tool(effect="write")
        async def write_note(text: str, call: Call) -> Result[None]:
            """Use when: something must be noted. Not for: orders. Needs: nothing. Effect: notes it."""
            self.done.append(f"began {text}")
            await self.door.wait()
            self.done.append(f"note {text}")
            return Result("Noted.")

        @shop.tool(effect="irreversible", requires="orders.cancel")
        async def cancel_order(order: OrderId, call: Call) -> Result[None]:
            """Use when: one pending order must go. Not for: returns. Needs: order. Effect: cancels for good."""
            self.orders[order] = "cancelled"
            self.done.append(f"cancel {order}")
            return Result("Order cancelled.", diff=[Change("Status", "pending", "cancelled")])

        @cancel_order.plan
        async def preview(order: OrderId, call: Call) -> Plan:
            if self.orders.get(order) != "pending":
                raise Refusal("conflict", f"{order} cannot be cancelled.")
            return Plan(f"Cancel {order}?", diff=[Change("Status", "pending", "cancelled")])

        @shop.tool(effect="irreversible")
        async def send_letter(to: str, call: Call) -> Result[None]:
            """Use when: a letter must go out. Not for: notes. Needs: nothing. Effect: sends it."""
            await self.door.wait()
            self.done.append(f"letter {to}")
            return Result("Sent.")

        @send_letter.plan
        async def draft(to: str, call: Call) -> Plan:
            return Plan(f"Send a letter to {to}?")

        return Assistant("shop", limits=self.limits, instructions="You help a shop's customers.", toolboxes=[shop])


async def load_caller(tenant: str, user: str) -> Caller | None:
    return PEOPLE.get((tenant, user))


async def authenticate(request: Request) -> Caller | None:
    tenant, _, user = request.headers.get("x-user", "").partition("/")
    return PEOPLE.get((tenant, user))


class Pace:
    """How fast a scripted model speaks: a word for each that is allowed."""

    def __init__(self) -> None:
        self._words = anyio.Semaphore(0)

    async def sleep(self, seconds: float) -> None:
        await self._words.acquire()

    def allow(self, words: int = 1) -> None:
        for _ in range(words):
            self._words.release()


def paced(*script: Step) -> tuple[Pace, ScriptedModel]:
    """A model that waits for each word."""
    pace = Pace()
    return pace, ScriptedModel(script, pace=1, sleep=pace.sleep)


@dataclass(slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [event for _, event in frames_of(self.body.decode())]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]

    @property
    def text(self) -> str:
        return "".join(event.get("delta", "") for event in self.events if event["type"] == "TEXT_MESSAGE_CONTENT")


def frames_of(text: str) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Id and event of each frame, as a client of AG-UI splits them."""
    for frame in text.split("\n\n"):
        lines = frame.split("\n")
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        if data:
            yield next((line.removeprefix("id: ") for line in lines if line.startswith("id: ")), None), json.loads(data[0])


@dataclass(slots=True)
class Stream:
    """A response while it comes."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    is_over: bool = False
    last_id: str | None = None
    _changed: anyio.Event = field(default_factory=anyio.Event)
    _left: anyio.Event = field(default_factory=anyio.Event)
    _read: int = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
            self.is_over = not message.get("more_body", False)
        self._changed.set()
        self._changed = anyio.Event()

    async def event(self) -> dict[str, Any]:
        """The next event."""
        while (end := self.body.find(b"\n\n", self._read)) < 0:
            if self.is_over:
                raise EOFError
            await self.more()
        frame, self._read = self.body[self._read : end + 2].decode(), end + 2
        for event_id, event in frames_of(frame):
            self.last_id = event_id or self.last_id
            return event
        return await self.event()

    async def more(self) -> None:
        """Wait for the next bytes."""
        with anyio.fail_after(20):
            await self._changed.wait()

    async def until(self, kind: str) -> dict[str, Any]:
        """The next event of this type."""
        while (event := await self.event())["type"] != kind:
            pass
        return event

    def leave(self) -> None:
        """The client goes away."""
        self._left.set()

    async def left(self) -> None:
        await self._left.wait()


@dataclass(slots=True)
class Wire:
    """A client of one app."""

    app: ASGIApp
    host: Host
    shop: Shop
    user: str | None = ADA

    async def get(self, path: str, **options: Any) -> Answer:
        return await self.ask("GET", path, **options)

    async def post(self, path: str, body: object = None, **options: Any) -> Answer:
        return await self.ask("POST", path, body, **options)

    async def ask(self, method: str, path: str, body: object = None, **options: Any) -> Answer:
        """A request, read to its end."""
        async with self.open(method, path, body, **options) as stream:
            while not stream.is_over:
                await stream.more()
        return Answer(stream.status, stream.headers, bytes(stream.body))

    @asynccontextmanager
    async def open(
        self, method: str, path: str, body: object = None, *, user: str | None = "", headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Stream]:
        """A request that is read as it comes; leaving the block leaves the connection."""
        stream, scope, raw = Stream(), self._scope(method, path, user, headers), _raw(body)
        if raw:
            scope["headers"].append((b"content-type", b"application/json"))
        asked = [{"type": "http.request", "body": raw, "more_body": False}]

        async def receive() -> Message:
            if asked:
                return asked.pop()
            await stream.left()
            return {"type": "http.disconnect"}

        async def answer() -> None:
            await self.app(scope, receive, stream.send)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            while not stream.status:
                await stream.more()
            try:
                yield stream
            finally:
                stream.leave()

    def _scope(self, method: str, target: str, user: str | None, headers: Mapping[str, str] | None) -> dict[str, Any]:
        path, _, query = target.partition("?")
        who = self.user if user == "" else user
        given = {"host": "127.0.0.1", **({"x-user": who} if who else {}), **(headers or {})}
        return {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
        }

    async def run(self, text: str, *, thread: str = "t1", user: str | None = "", **members: Any) -> Answer:
        """One turn."""
        return await self.post("/agui", say(text, thread=thread, **members), user=user)

    async def park(self, order: str = "o_17", *, thread: str = "t1") -> dict[str, Any]:
        """A turn that ends with a proposal; the interrupt."""
        answer = await self.run(f"/cancel_order order={order}", thread=thread)
        interrupt: dict[str, Any] = answer.events[-1]["outcome"]["interrupts"][0]
        return interrupt

    async def resume(self, proposal: str, *, approved: object = True, thread: str = "t1", **members: Any) -> Answer:
        """Decide through a run."""
        entry = {"interruptId": proposal, "status": "resolved", "payload": {"approved": approved}}
        return await self.post("/agui", {"threadId": thread, "runId": "r", "messages": [], "resume": [entry], **members})

    async def session(self, thread: str = "t1") -> dict[str, Any]:
        """The session of a thread, by its alias."""
        listed = (await self.get("/sessions")).json()["sessions"]
        return next(session for session in listed if session["alias"] == thread)


def say(text: str, *, thread: str = "t1", **members: Any) -> dict[str, Any]:
    """The body of a run."""
    return {"threadId": thread, "runId": "r", "messages": [{"id": "u", "role": "user", "content": text}], **members}


def _raw(body: object) -> bytes:
    if body is None:
        return b""
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@asynccontextmanager
async def wired(
    *,
    script: Sequence[Step] | None = None,
    model: Model | None = None,
    store: str | Store = "memory://",
    grace: float = 30,
    clock: Clock | None = None,
    limits: Limits | None = None,
    shop: Shop | None = None,
    codes: CodeSender | None = None,
    callers: Callers | None = None,
    **options: Any,
) -> AsyncIterator[Wire]:
    """A shop behind the HTTP face."""
    shop = shop or Shop(limits=limits or Limits())
    models: list[Model] = [model or ScriptedModel(script)]
    async with Host(
        shop.assistant(),
        store=store,
        callers=callers or load_caller,
        model="scripted:demo",
        models=models,
        grace=grace,
        clock=clock,
        codes=codes,
    ) as host:
        yield Wire(asgi(host, authenticate=authenticate, **options), host, shop)
