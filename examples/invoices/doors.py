"""How people come in: by the chat over HTTP, or with a tool of their own over MCP. Both end at the same gate."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one call."""

    text: str
    code: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    """What the model reads beside the sentence: over MCP all of it, in the chat only what a browser is shown."""


class Door(Protocol):
    """One person's way in."""

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Use a tool."""
        ...

    async def confirm(self, proposal: str) -> Answer:
        """Confirm what waits, as the person."""
        ...


@asynccontextmanager
async def by_mcp(url: str, name: str, *, mode: str = "auto") -> AsyncIterator[Door]:
    """*name*'s own MCP client. A call that a person must confirm is confirmed over HTTP, where the person is."""
    headers = {"authorization": f"Bearer {name}"}
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=30))
        client = await stack.enter_async_context(Client(streamable_http_client(f"{url}/tools/mcp", http_client=http), mode=mode))
        yield _Mcp(client, _Http(http, url, name))


@asynccontextmanager
async def by_chat(url: str, name: str) -> AsyncIterator[Door]:
    """*name*'s chat."""
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {name}"}, timeout=30) as http:
        yield _Http(http, url, name)


@dataclass(slots=True)
class _Mcp:
    client: Client
    person: "_Http"

    async def call(self, tool: str, **arguments: Any) -> Answer:
        result = await self.client.call_tool(tool, arguments)
        facts = json.loads(result.content[0].text)  # type: ignore[union-attr]  # the face answers one text
        code = facts.get("refused")
        return Answer(facts.get("message") if code else facts["summary"], code, facts)

    async def confirm(self, proposal: str) -> Answer:
        reply = await self.person.http.post(f"{self.person.url}/proposals/{proposal}", json={"approved": True})
        told = reply.json()
        return (
            Answer(told["outcome"]["summary"], told["outcome"].get("error", {}).get("code"))
            if reply.is_success
            else Answer(told["detail"], told["code"])
        )


@dataclass(slots=True)
class _Http:
    http: httpx2.AsyncClient
    url: str
    name: str

    async def call(self, tool: str, **arguments: Any) -> Answer:
        words = " ".join([f"/{tool}", *(f"{key}={json.dumps(value)}" for key, value in arguments.items())])
        return await self._run({"messages": [{"id": "m", "role": "user", "content": words}]})

    async def confirm(self, proposal: str) -> Answer:
        decision = {"interruptId": proposal, "status": "resolved", "payload": {"approved": True}}
        return await self._run({"messages": [], "resume": [decision]})

    async def _run(self, said: dict[str, Any]) -> Answer:
        reply = await self.http.post(f"{self.url}/agui", json={"threadId": f"{self.name}s chat", "runId": "r", **said})
        reply.raise_for_status()
        events = [json.loads(line.removeprefix("data:")) for line in reply.text.splitlines() if line.startswith("data:")]
        outcome = next(event for event in reversed(events) if event["type"] == "RUN_FINISHED")["outcome"]
        if outcome["type"] == "interrupt":
            [held] = outcome["interrupts"]
            return Answer(held["message"], "unconfirmed", {"proposal": held["id"]})
        told = [json.loads(event["content"]) for event in events if event["type"] == "TOOL_CALL_RESULT"][-1]
        moved = [change for event in events if event["type"] == "STATE_DELTA" for change in event["delta"]]
        return Answer(told["summary"], told.get("error", {}).get("code"), {"moved": moved})
