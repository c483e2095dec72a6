"""The real SDK against the provider, as a model adapter drives it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import anyio

from handgriff.testing.loopback.provider import LoopbackProvider
from handgriff.testing.loopback.script import Answer, Hold, Script, Text
from tests.unit.testing.loopback.requests import Json, request, user

QUESTION = request(user("q"))


class Client:
    """The SDK as a model adapter drives it: a dict goes in, raw events come out, nothing is retried."""

    def __init__(self, provider: LoopbackProvider, *, api_key: str | None = None) -> None:
        self.sdk = anthropic.AsyncAnthropic(base_url=provider.url, api_key=api_key or provider.api_key, max_retries=0)
        self.events: list[tuple[str | None, Any]] = []

    async def stream(self, body: Json) -> list[tuple[str | None, Any]]:
        """The events of the answer; those that came before an exception stay in `events`."""
        self.events = []
        async with self.sdk.messages.with_streaming_response.create(stream=True, **body) as response:
            async for event in anthropic.AsyncStream.raw_events(response.http_response):
                self.events.append((event.event, json.loads(event.data)))
        return self.events


@asynccontextmanager
async def serving(script: Script, **options: Any) -> AsyncIterator[tuple[LoopbackProvider, Client]]:
    with anyio.fail_after(30):
        async with LoopbackProvider(script, **options) as provider:
            client = Client(provider)
            async with client.sdk:
                yield provider, client


def said(events: list[tuple[str | None, Any]]) -> list[Json]:
    """The blocks of a message, put together from its events without a parser's leniency."""
    blocks: list[Json] = []
    for name, data in events:
        if name == "content_block_start":
            blocks.append(dict(data["content_block"]))
            arguments = ""
        elif name == "content_block_delta":
            match data["delta"]:
                case {"type": "text_delta", "text": piece}:
                    blocks[-1]["text"] += piece
                case {"type": "thinking_delta", "thinking": piece}:
                    blocks[-1]["thinking"] += piece
                case {"type": "signature_delta", "signature": signature}:
                    blocks[-1]["signature"] = signature
                case {"partial_json": piece}:
                    arguments += piece
                case other:
                    raise AssertionError(other)
        elif name == "content_block_stop" and blocks[-1]["type"] == "tool_use":
            blocks[-1]["input"] = json.loads(arguments)
    return blocks


def pausing(*, before: int) -> tuple[Answer, anyio.Event, anyio.Event]:
    """An answer that stops before an event: what says that it has come there, and what lets it go on."""
    reached, released = anyio.Event(), anyio.Event()

    async def pause() -> None:
        reached.set()
        await released.wait()

    return Answer((Text("x"),), inserts=(), holds=(Hold(before, pause),)), reached, released
