"""The entries into a random world: each tries one call and answers what became of it, whatever it looks like there."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from starlette.requests import Request

from handgriff import Caller
from handgriff.core.events import CallOutcome, Event
from handgriff.http import asgi as agui
from handgriff.mcp import App
from handgriff.mcp import asgi as mcp
from handgriff.testing.harness import harness
from handgriff.testing.loopback.journal import Request as Received
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.gate_build import RELAY, World
from tests.interaction.gate_run import Arguments, Run, Seat, facts
from tests.interaction.http_wire import frames_of, say
from tests.interaction.mcp_wire import NEW, OLD, Frame, HttpWire, call, tools

ROOT = "http://127.0.0.1"
ENDPOINT = f"{ROOT}/mcp"


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a call."""

    code: str | None
    facts: Mapping[str, Any] | None = None
    """None where this entry doesn't tell any."""
    proposal: str | None = None


Wish = tuple[str, Arguments]
Entry = Callable[[Run, Seat, Sequence[Wish]], Awaitable[list[Became]]]
"""Tries calls of different tools, in this order or all at once."""


async def in_python(run: Run, seat: Seat, wishes: Sequence[Wish]) -> list[Became]:
    """`host.call`."""
    told = [(outcome.code, facts(outcome.text)) for wish in wishes for outcome in [await run.call(seat, *wish)]]
    return [Became(code, text, text.get("proposal")) for code, text in told]


async def from_inside(run: Run, seat: Seat, wishes: Sequence[Wish]) -> list[Became]:
    """`call.tool` in another tool, which is bound to nothing itself."""
    found: list[Became] = []
    for tool, arguments in wishes:
        assert (await run.call(seat, RELAY, {"tool": tool, "arguments": arguments})).is_ok
        found.append(Became(None if run.world.inside is None else run.world.inside.code))
    return found


@dataclass(slots=True)
class Said:
    """What the scripted model says: the calls that are wished for, then something."""

    wishes: tuple[ToolUse, ...] = ()
    menus: dict[str, set[bytes]] = field(default_factory=dict)
    """The tools that it was sent, by the session's own instructions."""

    def __call__(self, request: Received) -> object:
        """The next answer."""
        self.menus.setdefault(json.dumps(request.body["system"]), set()).add(json.dumps(request.body["tools"]).encode())
        wishes, self.wishes = self.wishes, ()
        return wishes or "Well."

    def wish(self, wishes: Sequence[Wish]) -> None:
        """Let it ask for these."""
        self.wishes = tuple(ToolUse(tool, arguments) for tool, arguments in wishes)


@dataclass(frozen=True, slots=True)
class Faces:
    """All that isn't Python: a chat, AG-UI, and MCP in both eras, of one world."""

    web: httpx2.AsyncClient
    old: HttpWire
    new: HttpWire
    said: Said
    lists: dict[str, set[bytes]] = field(default_factory=dict)
    """The constant lists that were seen, by whose they are."""

    @property
    def constant(self) -> list[set[bytes]]:
        """Each constant list, in all the forms that it was seen in."""
        return [*self.lists.values(), *self.said.menus.values()]

    def entries(self, talking: Seat, run: Run) -> Mapping[str, tuple[Seat, Entry]]:
        """All of them, and where each leads. One seat is *talking*; each kind of MCP has a seat of its own."""
        old, new = run.seats
        chats = {"chat": (talking, self.in_chat), "agui": (talking, self.in_agui)}
        return {**chats, "mcp 2025": (old, self.in_old_mcp), "mcp 2026": (new, self.in_new_mcp)}

    async def in_chat(self, run: Run, seat: Seat, wishes: Sequence[Wish]) -> list[Became]:
        """A turn."""
        self.said.wish(wishes)
        bodies = [item.body async for item in run.host.turn(seat.caller, seat.session, "Go on.") if isinstance(item, Event)]
        found = {body.tool: Became(body.code, enclosed(body.wire)) for body in bodies if isinstance(body, CallOutcome)}
        return await self._with_proposals(run, seat, wishes, found)

    async def in_agui(self, run: Run, seat: Seat, wishes: Sequence[Wish]) -> list[Became]:
        """A run over HTTP. People are told less of a refusal than the model."""
        self.said.wish(wishes)
        answer = await self.web.post("/agui", json=say("Go on.", thread=seat.session), headers=_says(seat.caller))
        events = [event for _, event in frames_of(answer.text)]
        tools = {event["toolCallId"]: event["toolCallName"] for event in events if event["type"] == "TOOL_CALL_START"}
        results = {tools[event["toolCallId"]]: facts(event["content"]) for event in events if event["type"] == "TOOL_CALL_RESULT"}
        found = {tool: Became(result.get("error", {}).get("code")) for tool, result in results.items()}
        return await self._with_proposals(run, seat, wishes, found)

    async def in_old_mcp(self, run: Run, seat: Seat, wishes: Sequence[Wish]) -> list[Became]:
        """`tools/call` in a session of the revisions with sessions."""
        return [_of_result(await call(self.old, tool, **arguments)) for tool, arguments in wishes]

    async def in_new_mcp(self, run: Run, seat: Seat, wishes: Sequence[Wish]) -> list[Became]:
        """`tools/call` on the revision without sessions."""
        return [_of_result(await call(self.new, tool, **arguments)) for tool, arguments in wishes]

    async def varying(self, run: Run) -> list[tuple[Seat, list[str]]]:
        """The varying lists, and whose they are."""
        menus = [await self.web.get(f"/menu?session={seat.session}", headers=_says(seat.caller)) for seat in run.seats]
        found = [(seat, [tool["name"] for tool in menu.json()["tools"]]) for seat, menu in zip(run.seats, menus, strict=True)]
        return [*found, (run.seats[0], await tools(self.old))]

    async def look_at_constant(self, run: Run) -> None:
        """Look at every constant list once more."""
        await self.new.ask("tools/list", number=0)
        self.lists.setdefault("mcp 2026", set()).add(self.new.raw)
        for seat in run.seats:
            menu = await self.web.get("/menu", headers=_says(seat.caller))
            self.lists.setdefault(seat.caller.user, set()).add(menu.content)

    async def _with_proposals(self, run: Run, seat: Seat, wishes: Sequence[Wish], found: Mapping[str, Became]) -> list[Became]:
        waiting = await run.host.proposals.list(seat.caller, session=seat.session)
        parked = {each.tool: Became("unconfirmed", proposal=each.id) for each in waiting}
        return [found[tool] if tool in found else parked[tool] for tool, _ in wishes]


@asynccontextmanager
async def with_faces(world: World) -> AsyncIterator[tuple[Run, Faces]]:
    """The world with all its faces: Ada sits in a session of the older MCP, Ben in that of a client of the newer one."""

    async def who(request: Request) -> Caller | None:
        tenant, _, user = request.headers["authorization"].removeprefix("Bearer ").partition("/")
        return await world.callers(tenant, user)

    ada, ben = world.caller(0), world.caller(1)
    said = Said()
    async with (
        harness(world.assistant, ada, callers=world.callers, script=said) as chat,
        mcp(chat.host, authenticate=who) as app,
        _client(app, _says(ada)) as old,
        _client(app, _says(ben)) as new,
        _client(agui(chat.host, authenticate=who)) as web,
    ):
        faces = Faces(web, HttpWire(old, OLD), HttpWire(new, NEW), said)
        await faces.old.begin()
        aliases = (f"mcp:session:{faces.old.session}", "mcp:client:raw")
        sessions = [await chat.host.sessions.open(caller, alias) for caller, alias in zip((ada, ben), aliases, strict=True)]
        yield Run(world, chat.host, [Seat(ada, sessions[0].id), Seat(ben, sessions[1].id)]), faces


def enclosed(wire: str) -> Mapping[str, Any]:
    """What the model read of an outcome."""
    return facts(str(json.loads(wire)["content"]).partition("\n")[2].rpartition("\n")[0])


def _client(app: Any, headers: Mapping[str, str] | None = None) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ENDPOINT if isinstance(app, App) else ROOT, headers=headers)


def _says(caller: Caller) -> dict[str, str]:
    return {"authorization": f"Bearer {caller.tenant}/{caller.user}"}


def _of_result(frames: Sequence[Frame]) -> Became:
    told = frames[-1]["result"]["structuredContent"].get("error", {})
    return Became(told.get("code"), told.get("facts", {}), told.get("facts", {}).get("proposal"))
