"""A store in which something happens right before, or right after, one commit: races that always come out the same."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from handgriff.core.batch import Batch, ClaimEffect, SettleEffect
from handgriff.ports.store import Committed
from handgriff.stores.memory import MemoryStore

Picks = Callable[[Batch], bool]


@dataclass(slots=True)
class Meanwhile:
    """A store that does `then` once, around the first commit that `picks` picks. Until both are given it is as any other."""

    inner: Any = field(default_factory=MemoryStore)
    when: Literal["before", "after"] = "before"
    picks: Picks = lambda _: False
    then: Callable[[], Awaitable[object]] | None = None

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write, and let happen what happens around it."""
        then = self.then if self.picks(batch) else None
        if then is not None:
            self.then = None
        if then is not None and self.when == "before":
            await then()
        committed: Committed = await self.inner.commit(batch, durable=durable)
        if then is not None and self.when == "after":
            await then()
        return committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def claims(tool: str) -> Picks:
    """The commit that claims a call of *tool*."""
    return lambda batch: any(isinstance(each, ClaimEffect) and each.effect.tool == tool for each in batch)


def settles(tool: str) -> Picks:
    """The commit that says how a call of *tool* has ended."""
    return lambda batch: any(isinstance(each, SettleEffect) and each.tool == tool for each in batch)
