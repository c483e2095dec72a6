"""A till that pays each wish once: what effect records are tried on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from handgriff import Assistant, Call, Result, Toolbox
from tests.interaction.desk import WORDS, assistant


async def at_once() -> None:
    """Nothing is waited for."""


@dataclass(slots=True)
class Till:
    """A till that pays each wish once; `going_wrong` is raised after or before the money has gone."""

    paid: list[int] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    going_wrong: list[Exception] = field(default_factory=list)
    paying: Callable[[], Awaitable[None]] = at_once

    def assistant(self) -> Assistant:
        box = Toolbox("till")

        @box.tool(effect="write", description=WORDS)
        async def pay(wish: str, amount: int, call: Call) -> Result[int]:
            self.keys.append(call.idempotency_key)
            await call.step("reserve", self.reserve)
            await self.paying()
            if self.going_wrong:
                raise self.going_wrong.pop(0)
            self.paid.append(amount)
            return Result(f"Paid {amount}.", amount)

        @pay.idempotency_key
        async def key(args: Any, call: Call) -> str:
            return str(args.wish)

        @box.tool(effect="write", description=WORDS)
        async def pay_twice(wish: str, call: Call) -> Result[None]:
            await call.tool("pay", {"wish": f"{wish}-1", "amount": 1})
            await call.tool("pay", {"wish": f"{wish}-2", "amount": 2})
            return Result("Paid twice.")

        return assistant(box)

    async def reserve(self) -> dict[str, int]:
        self.steps.append("reserve")
        return {"reserved": 1}


def pay(wish: str, amount: int) -> dict[str, Any]:
    return {"wish": wish, "amount": amount}
