"""Who listens, on the revisions without sessions: one bus for each principal, so that nobody hears of another's list.

Below is the SDK's listen handler, which acknowledges, filters and stamps; above, the watch publishes. It bounds what one principal and all
together may hold open, because the SDK's bound is for one bus.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from handgriff.mcp.asking import Principal
from handgriff.mcp.shown import NOTHING, Last, Withheld

STREAMS: Final = 1024
"""Streams that all principals together may hold open."""
STREAMS_EACH: Final = 32


@dataclass(slots=True, eq=False)
class Ear:
    """One principal who listens."""

    principal: Principal
    withheld: Withheld = NOTHING
    last: Last = field(default_factory=Last)
    streams: int = 0
    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    stream: ListenHandler = field(init=False)

    def __post_init__(self) -> None:
        self.stream = ListenHandler(self.bus, max_subscriptions=STREAMS_EACH)

    async def tell(self) -> None:
        """Say on every stream that the list has changed."""
        await self.bus.publish(ToolsListChanged())


class Ears:
    """All who listen."""

    def __init__(self) -> None:
        self._ears: dict[Principal, Ear] = {}

    def of(self, principal: Principal) -> Ear | None:
        """This principal's, if they listen."""
        return self._ears.get(principal)

    def within_reach(self, tenant: str | None) -> tuple[Ear, ...]:
        """Those of *tenant*, or of all."""
        return tuple(ear for ear in self._ears.values() if tenant in (None, ear.principal[0]))

    @contextmanager
    def lent(self, principal: Principal) -> Iterator[Ear]:
        """The ear of this principal, for one stream.

        Raises:
            MCPError: there are too many.
        """
        if sum(ear.streams for ear in self._ears.values()) >= STREAMS:
            raise MCPError(INTERNAL_ERROR, "Subscription limit reached")
        ear = self._ears.setdefault(principal, Ear(principal))
        ear.streams += 1
        try:
            yield ear
        finally:
            ear.streams -= 1
            if not ear.streams:
                del self._ears[principal]

    def close(self) -> None:
        """End every stream in order."""
        for ear in self._ears.values():
            ear.stream.close()
