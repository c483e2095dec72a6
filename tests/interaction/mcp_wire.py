"""MCP as it stands on the wire: a client that speaks the frames itself, over HTTP and on the streams of a process, in both eras."""

import base64
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import anyio
import httpx2
from anyio.abc import ByteSendStream
from anyio.streams.buffered import BufferedByteReceiveStream

from tests.interaction.cli_process import SRC, environment
from tests.interaction.warm import program

OLD, NEW = "2025-11-25", "2026-07-28"
CHANGED = "notifications/tools/list_changed"
META = "io.modelcontextprotocol/"
LINE = 2**20
Frame = dict[str, Any]


class Wire(Protocol):
    """One client's connection."""

    version: str

    async def ask(self, method: str, params: Frame | None = None) -> list[Frame]:
        """What comes back, to the answer."""
        ...


async def tools(wire: Wire) -> list[str]:
    """The names of its list."""
    return [tool["name"] for tool in (await wire.ask("tools/list"))[-1]["result"]["tools"]]


async def call(wire: Wire, tool: str, **arguments: Any) -> list[Frame]:
    """What comes back of a call, to its result."""
    return await wire.ask("tools/call", {"name": tool, "arguments": arguments})


def methods(frames: Sequence[Frame]) -> list[str]:
    """What each frame is."""
    return [frame.get("method") or ("result" if "result" in frame else "error") for frame in frames]


def request(version: str, number: int, method: str, params: Frame | None) -> Frame:
    """One request, with the envelope that the era wants."""
    given = dict(params or {})
    if version == NEW:
        info = {"name": "raw", "version": "1"}
        given["_meta"] = {f"{META}protocolVersion": NEW, f"{META}clientCapabilities": {}, f"{META}clientInfo": info}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": given}


INITIALIZE = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@dataclass(slots=True)
class HttpWire:
    """Over HTTP, as somebody."""

    http: httpx2.AsyncClient
    version: str
    session: str | None = None
    number: int = 0
    raw: bytes = b""
    """The body of the last answer."""
    status: int = 0

    async def ask(self, method: str, params: Frame | None = None, *, number: int | None = None) -> list[Frame]:
        answer = await self.post(self.request(method, params, number), method, params)
        return list(frames_of(answer.text))

    def request(self, method: str, params: Frame | None = None, number: int | None = None) -> Frame:
        """The next request."""
        self.number += 1
        return request(self.version, self.number if number is None else number, method, params)

    async def post(self, body: object, method: str = "", params: Frame | None = None, **headers: str) -> httpx2.Response:
        """One POST, read to its end."""
        content = body if isinstance(body, (bytes, str)) else json.dumps(body)
        answer = await self.http.post("", content=content, headers=self.headers(method, params) | headers)
        self.raw, self.status = answer.content, answer.status_code
        return answer

    def headers(self, method: str = "", params: Frame | None = None) -> dict[str, str]:
        """What a request says beside its body."""
        made = {"accept": "application/json, text/event-stream", "content-type": "application/json", "mcp-protocol-version": self.version}
        if self.version == NEW:
            made |= {"mcp-method": method} | ({"mcp-name": encoded(params["name"])} if params and "name" in params else {})
        elif self.session is not None:
            made |= {"mcp-session-id": self.session}
        return made

    async def begin(self) -> None:
        """The handshake, where there is one."""
        if self.version == NEW:
            return
        answer = await self.post(self.request("initialize", INITIALIZE))
        self.session = answer.headers["mcp-session-id"]
        assert (await self.post(INITIALIZED)).status_code == 202

    @asynccontextmanager
    async def stream(self, method: str = "", params: Frame | None = None) -> AsyncIterator["Stream"]:
        """What comes unasked: on the GET stream, or on the stream of `subscriptions/listen`."""
        if self.version == NEW:
            wish = self.request(method, params)
            opening = self.http.stream("POST", "", content=json.dumps(wish), headers=self.headers(method, params))
        else:
            opening = self.http.stream("GET", "", headers=self.headers())
        async with opening as answer:
            assert answer.status_code == 200, await answer.aread()
            yield Stream(answer.aiter_lines())


@dataclass(slots=True)
class Stream:
    """Frames as they come."""

    lines: AsyncIterator[str]

    async def frame(self) -> Frame:
        """The next one."""
        with anyio.fail_after(30):
            async for line in self.lines:
                if line.startswith("data: "):
                    frame: Frame = json.loads(line.removeprefix("data: "))
                    return frame
        raise EOFError

    async def method(self) -> str:
        """What the next one is."""
        return methods([await self.frame()])[0]


def encoded(name: str) -> str:
    """A name as a header holds it."""
    plain = name.isascii() and name.isprintable() and name == name.strip() and name
    return name if plain else f"=?base64?{base64.b64encode(name.encode()).decode()}?="


def frames_of(text: str) -> Iterator[Frame]:
    """The frames of one answer, however it came."""
    if text.startswith("{"):
        yield json.loads(text)
    for line in text.splitlines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


@asynccontextmanager
async def wired(address: str, version: str, who: str = "acme/ada") -> AsyncIterator[HttpWire]:
    """A client of the server at *address*."""
    async with httpx2.AsyncClient(base_url=address, headers={"authorization": f"Bearer {who}"}, timeout=30) as http:
        wire = HttpWire(http, version)
        await wire.begin()
        yield wire


@dataclass(slots=True)
class StdioWire:
    """On the streams of a process."""

    writing: ByteSendStream
    reading: BufferedByteReceiveStream
    version: str
    number: int = 0
    seen: list[bytes] = field(default_factory=list)
    """Every line that came."""

    async def ask(self, method: str, params: Frame | None = None, *, number: int | None = None) -> list[Frame]:
        return await self.until(await self.begin_to_ask(method, params, number=number))

    async def begin_to_ask(self, method: str, params: Frame | None = None, *, number: int | None = None) -> int:
        """Ask, and wait for nothing; the number of the request."""
        self.number += 1
        wish = request(self.version, self.number if number is None else number, method, params)
        await self.send(wish)
        return int(wish["id"])

    async def send(self, frame: object) -> None:
        """Write one line."""
        await self.writing.send(f"{json.dumps(frame)}\n".encode())

    async def until(self, number: int) -> list[Frame]:
        """What comes, to the answer of this request."""
        frames = [await self.frame()]
        while frames[-1].get("id") != number:
            frames.append(await self.frame())
        return frames

    async def frame(self) -> Frame:
        """The next line."""
        with anyio.fail_after(60):
            line = await self.reading.receive_until(b"\n", LINE)
        self.seen.append(line)
        frame: Frame = json.loads(line)
        return frame


def with_office(folder: Path) -> Path:
    """*folder*, in which the office can be imported as `office`."""
    shutil.copy(Path(__file__).with_name("mcp_office.py"), folder / "office.py")
    return folder


def served_by(folder: Path, *words: str) -> tuple[list[str], dict[str, Any]]:
    """The command that serves the office of *folder* on its streams, and where it runs."""
    import_path = os.pathsep.join((environment()["PYTHONPATH"], str(folder)))
    return [sys.executable, "-W", "error", "-m", "handgriff.cli", "mcp", *words], {
        "cwd": str(folder),
        "env": environment({"PYTHONPATH": import_path}),
    }


def forked_by(folder: Path, *words: str) -> tuple[list[str], dict[str, Any]]:
    """The same, without the seconds that its imports take."""
    return [*program(str(SRC)), "mcp", *words], served_by(folder)[1]


@asynccontextmanager
async def piped(folder: Path, version: str, *words: str) -> AsyncIterator[StdioWire]:
    """A client that has started the server of *folder*."""
    command, place = forked_by(folder, *(words or ("office:host", "--as", "acme/ada")))
    async with await anyio.open_process(command, stderr=None, **place) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        wire = StdioWire(process.stdin, BufferedByteReceiveStream(process.stdout), version)
        if version == OLD:
            assert methods(await wire.ask("initialize", INITIALIZE)) == ["result"]
            await wire.send(INITIALIZED)
        yield wire
        await process.stdin.aclose()
        with anyio.fail_after(30):
            assert await process.wait() == 0
