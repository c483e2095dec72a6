"""Somebody at the page of development: a tab of a real browser, a line to a real server, and the shop behind it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from handgriff.http import dev_caller
from tests.interaction.browser import Browser, Tab
from tests.interaction.http_server import served
from tests.interaction.http_wire import PEOPLE, Wire, wired
from tests.interaction.relay import Relay, relayed

ADA: Final = PEOPLE["acme", "ada"]
CANCEL: Final = "/cancel_order order=o_17"
FAILED: Final = "Failed to load resource"
"""How the browser begins to tell of an answer that is no success; any other complaint is one too many."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A tab, the shop, and the line between them."""

    tab: Tab
    wire: Wire
    relay: Relay
    address: str

    async def second(self) -> Tab:
        """Another tab at the same conversation."""
        other = self.tab.browser.tab("second")
        await other.go(await self.tab.do(["url"]))
        return other

    async def park(self) -> None:
        """A turn that waits for a decision."""
        await self.tab.say(CANCEL)
        await self.tab.sees(".card", "Cancel o_17?")


@asynccontextmanager
async def scene(browser: Browser, *, piece: int = 2**16, viewport: dict[str, int] | None = None, **options: Any) -> AsyncIterator[Scene]:
    """Somebody at the page of the shop."""
    authenticate = options.pop("authenticate", dev_caller(ADA))
    async with (
        wired(**options) as wire,
        served(wire.host, dev=True, authenticate=authenticate) as server,
        relayed(server, piece=piece) as (relay, address),
        seated(browser, address, viewport=viewport) as tab,
    ):
        yield Scene(tab, wire, relay, address)


@asynccontextmanager
async def seated(browser: Browser, address: str, *, viewport: dict[str, int] | None = None) -> AsyncIterator[Tab]:
    """Somebody at the page. Whatever happens there, it asks nobody else for anything and breaks nothing (B147)."""
    await browser.sit_down(**({"viewport": viewport} if viewport else {}))
    tab = browser.tab("first")
    await tab.go(f"{address}/")
    yield tab

    seen = await browser.seen()
    assert [url for url in seen.requests if not url.startswith(f"{address}/")] == []
    assert [text for text in seen.console if not text.startswith(FAILED)] == []
    assert (seen.errors, seen.dialogs) == ([], [])
    # Nobody listens any more when the server ends.
    await browser.sit_down()
