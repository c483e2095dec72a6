"""A payment that waits behind a gate, so that a test can do something else while it runs; a hook says what was paid."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from handgriff import Assistant, Call, Change, Plan, Result, Toolbox
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import Script
from tests.interaction.desk import ADA, WORDS, assistant


@dataclass(slots=True)
class Gated:
    """`pay` at once, `order` when a person has confirmed it; both under the key "once"."""

    paid: list[int] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    is_lost: bool = False
    """Its connection breaks behind the gate."""
    began: anyio.Event = field(default_factory=anyio.Event)
    gate: anyio.Event = field(default_factory=anyio.Event)

    def assistant(self) -> Assistant:
        """Whoever pays."""
        box = Toolbox("gated")

        async def handler(amount: int, call: Call) -> Result[None]:
            self.began.set()
            with anyio.CancelScope(shield=True):
                await self.gate.wait()
            if self.is_lost:
                raise ConnectionError("lost")
            self.paid.append(amount)
            return Result(f"Paid {amount}.")

        async def key(args: Any, call: Call) -> str:
            return "once"

        async def audit(told: AfterCall) -> None:
            self.told.append(told.shown.summary)

        async def preview(amount: int) -> Plan:
            return Plan(f"Pay {amount}?", [Change("Paid", "0", str(amount))])

        pay = box.tool(effect="write", name="pay", description=WORDS)(handler)
        order = box.tool(effect="irreversible", name="order", plan=preview, description=WORDS)(handler)
        for tool in (pay, order):
            tool.idempotency_key(key)
            tool.after_call(audit)
        return assistant(box)


@asynccontextmanager
async def gated(world: Gated, script: Script = (), **options: Any) -> AsyncIterator[Harness]:
    """A conversation of Ada's about it."""
    async with harness(world.assistant(), ADA, script=script, **options) as chat:
        yield chat
