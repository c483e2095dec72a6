"""Where races are run: one store, hosts on it, and a tenant for each race."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from handgriff.core.caller import Caller
from handgriff.errors import Refusal
from handgriff.host.adapters import MEMORY, open_store
from handgriff.host.host import Host
from handgriff.host.system import RandomIds
from handgriff.ports.clock import Clock
from handgriff.ports.store import Store
from handgriff.testing.harness import harness
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.script import Entry, ToolUse
from handgriff.testing.races.hosts import USER, anybody, host_on
from handgriff.testing.races.tools import racing_assistant

PARALLEL: Final = 8
"""Calls of one turn."""
Opener = Callable[[str], Awaitable[Store]]


@dataclass(frozen=True, slots=True)
class Arena:
    """A host on the store named `url`, and the means to open another one."""

    url: str
    host: Host
    run: str
    """What the tenants of this run begin with."""
    opener: Opener
    store: Store

    @property
    def is_shared(self) -> bool:
        """Whether another process can open the store."""
        return self.url != MEMORY

    @asynccontextmanager
    async def caller(self, race: str) -> AsyncIterator[Caller]:
        """The one who runs *race*, in a tenant that is erased when it is over."""
        caller = Caller(f"{self.run}-{race}", USER)
        try:
            yield caller
        finally:
            # A store that has failed may have left a write behind; its tenant is its own, and what was lost is still told.
            with suppress(Refusal):
                await self.host.erase(caller.tenant)

    @asynccontextmanager
    async def another_host(self, clock: Clock) -> AsyncIterator[Host]:
        """A host with a connection and a clock of its own."""
        async with AsyncExitStack() as stack:
            store = self.store
            if self.is_shared:
                store = await self.opener(self.url)
                stack.push_async_callback(store.close)
            yield await stack.enter_async_context(host_on(store, clock))


@asynccontextmanager
async def arena(url: str, opener: Opener = open_store) -> AsyncIterator[Arena]:
    """The store named *url*, opened.

    Raises:
        DefinitionError: no store has such a name.
        BackendError: it can't be opened.
    """
    store = await opener(url)
    # Nobody else's tenant may have that name: it is erased.
    run = f"races-{RandomIds().new('session')}"
    try:
        async with harness(racing_assistant(), Caller(run, USER), script=_answer, store=store, callers=anybody) as chat:
            await chat.host.erase(run)
            yield Arena(url, chat.host, run, opener, store)
    finally:
        await store.close()


def _answer(request: Request) -> Entry:
    """All calls at once, and when their results are there the last word."""
    newest = request.body["messages"][-1]["content"]
    if any(block["type"] == "tool_result" for block in newest):
        return "Done."
    return tuple(ToolUse("gather", {"item": item}) for item in range(PARALLEL))
