"""A notepad to try the operator's commands on: copied into a test's folder as `pad.py` and named as TARGET.

`inhabited` gives a test the same notepad in its own process, to fill the file that the commands then open.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from handgriff import Assistant, Call, Caller, Host, Lane, Plan, Result, Toolbox
from handgriff.ports.clock import Clock
from handgriff.stores.memory import MemoryStore

STORE = "sqlite:///pad.db"
HOSTILE = "\x1b[2J\x1b]0;owned\x07Fine\x9b31m\u202e [bold]really[/bold]"
pad = Toolbox("pad")


@pad.tool(effect="write", writes="app")
async def write(key: str, value: Any, call: Call[None]) -> Result[None]:
    """Use when: a test writes. Not for: people. Needs: nothing. Effect: a key of state."""
    await call.state.set(key, value)
    return Result("Written.")


@pad.tool(effect="write")
async def note(text: str, call: Call[None]) -> Result[None]:
    """Use when: a test notes. Not for: people. Needs: nothing. Effect: a scratch record."""
    await call.scratch("notes").append("texts", text)
    return Result("Noted.")


@pad.tool(effect="irreversible")
async def burn(text: str, call: Call[None]) -> Result[None]:
    """Use when: a test burns. Not for: people. Needs: nothing. Effect: gone."""
    return Result("Burnt.")


@burn.plan
async def preview(text: str, call: Call[None]) -> Plan:
    return Plan(f"Burn {text}?")


async def load_caller(tenant: str, user: str) -> Caller | None:
    return None if tenant == "nobody" else Caller(tenant, user)


assistant = Assistant("pad", instructions="You note.", toolboxes=[pad])
laned = Assistant("pad", instructions="You note.", toolboxes=[pad], lanes={"standard": Lane("anthropic:some-model")})
host = Host(assistant, store=STORE, callers=load_caller, model="scripted:pad")
keyless = Host(laned, store=STORE, callers=load_caller)
given = Host(assistant, store=MemoryStore(), callers=load_caller, model="scripted:pad")


@asynccontextmanager
async def inhabited(folder: Path, clock: Clock | None = None) -> AsyncIterator[Host]:
    """The host of this notepad in *folder*."""
    async with Host(assistant, store=f"sqlite:///{folder}/pad.db", callers=load_caller, model="scripted:pad", clock=clock) as opened:
        yield opened
