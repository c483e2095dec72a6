"""Tools that take their time, for turns that are stopped, left or taken over while they run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from handgriff import Assistant, Call, Host, Plan, Refusal, Result, Toolbox
from handgriff.core.events import Item
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.clock import Clock
from handgriff.ports.store import Store
from handgriff.testing.harness import MODEL, PRICES, Harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, everybody


@dataclass(slots=True)
class Slow:
    """Slow tools: each says that it began, waits at the door, and says whether it ended or was cut off."""

    log: list[str] = field(default_factory=list)
    began: anyio.Event = field(default_factory=anyio.Event)
    door: anyio.Event = field(default_factory=anyio.Event)
    at_authority: bool = False

    async def wait(self, name: str) -> None:
        self.log.append(f"{name} began")
        self.began.set()
        try:
            await self.door.wait()
        except anyio.get_cancelled_exc_class():
            self.log.append(f"{name} cut off")
            raise
        self.log.append(f"{name} ended")

    def assistant(self) -> Assistant:
        box = Toolbox("slow")

        @box.tool(effect="read", description=WORDS)
        async def look(name: str) -> Result[None]:
            await self.wait(name)
            return Result("Seen.")

        @box.tool(effect="write", description=WORDS)
        async def write(name: str) -> Result[None]:
            if not self.at_authority:
                await self.wait(name)
            return Result("Written.")

        @write.authorize
        async def may(args: Any, call: Call) -> bool:
            if self.at_authority:
                await self.wait(f"right of {args.name}")
            return True

        @box.tool(effect="irreversible", description=WORDS)
        async def pay() -> Result[None]:
            self.log.append("paid")
            return Result("Paid.")

        @pay.plan
        async def preview() -> Plan:
            return Plan("Pay?")

        return assistant(box)


def look(name: str) -> ToolUse:
    return ToolUse("look", {"name": name})


def write(name: str) -> ToolUse:
    return ToolUse("write", {"name": name})


@asynccontextmanager
async def second_host(chat: Harness, slow: Slow, store: str | Store, clock: Clock | None = None) -> AsyncIterator[Host]:
    """Another process on the same store, as far as the store can tell."""
    model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)
    try:
        async with Host(slow.assistant(), store=store, callers=everybody, model=MODEL, models=[model], prices=PRICES, clock=clock) as host:
            yield host
    finally:
        await model.close()


async def watched(host: Host, session: str, text: str, items: list[Item], failures: list[str]) -> None:
    """Send a message and note down what came, or the refusal."""
    try:
        items += [item async for item in host.turn(ADA, session, text)]
    except Refusal as refusal:
        failures.append(refusal.code)
