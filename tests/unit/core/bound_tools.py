"""What the tests of bindings share: tools bound to machines, without anything they do."""

from collections.abc import Callable
from typing import Any

from handgriff import Machine, Result, Toolbox
from handgriff.core.contract import Contract
from handgriff.machine import At

WORDS = "Use when: a. Not for: b. Needs: c. Effect: d."


def bound(name: str, at: At | list[At] | None = None, fires: Any = None, *, starts: Machine | None = None) -> Contract:
    """A tool with these bindings."""
    box = Toolbox("box")
    effect: Any = "read" if fires is None and starts is None else "write"

    async def handler() -> Result[None]:
        return Result("Done.")

    bind: Callable[..., Any] = box.tool(effect=effect, name=name, description=WORDS, at=at, fires=fires, starts=starts)
    bind(handler)
    [contract] = box.contracts()
    return contract
