"""The shop of `examples.refunds` for tests: its database of either kind, its payment provider in a thread, and short ways to use both."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from examples.refunds.assistant import PEOPLE, make_host
from examples.refunds.books import Book, open_book
from examples.refunds.data import seed
from examples.refunds.desk import desks
from examples.refunds.provider import Server
from handgriff import Caller, Host
from handgriff.core import jsontext
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Effect
from handgriff.models.scripted import Step
from handgriff.runtime.decide import Decided
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.contract.postgres import new_database

KINDS: Final = ("sqlite", "postgres")
ADA, BEN, CLEO, DAN, EVE = (PEOPLE[user] for user in ("ada", "ben", "cleo", "dan", "eve"))
LEASE: Final = 60.0
"""Seconds after which no refund is in anybody's hand any more."""
PATIENCE: Final = 0.5
"""Seconds that these shops wait for a provider that hangs."""


@dataclass(frozen=True, slots=True)
class Shop:
    """An open shop."""

    host: Host
    book: Book
    url: str
    provider: Server
    mailbox: Mailbox = field(default_factory=Mailbox)
    clock: StillClock = field(default_factory=StillClock)

    async def call(self, tool: str, arguments: Mapping[str, Any], who: Caller = ADA) -> Outcome:
        """One call by a program."""
        return await self.host.call(who, tool, arguments)

    async def proposed(self, payment: str, cents: int, who: Caller = ADA) -> str:
        """A refund that waits; its proposal."""
        outcome = await self.call("refund_payment", {"payment": payment, "cents": cents}, who)
        assert outcome.code == "unconfirmed", outcome
        told: Any = jsontext.loads(outcome.text)
        return str(told["proposal"])

    async def decide(self, proposal: str, who: Caller = ADA, *, code: str | None = None) -> Decided:
        """Confirm what waits."""
        return await self.host.proposals.decide(who, proposal, True, code)  # the decision itself

    async def refunded(self, payment: str, cents: int, who: Caller = ADA) -> Decided:
        """A small refund, asked for and confirmed."""
        return await self.decide(await self.proposed(payment, cents, who), who)

    async def refunds(self) -> list[tuple[Any, ...]]:
        """Every refund in the shop's book."""
        return await self.book.rows("SELECT number, cents, state FROM refund ORDER BY number")

    def charges(self) -> list[tuple[str, int]]:
        """Everything the provider has booked."""
        return [(each["key"], each["cents"]) for each in self.provider.bookings.charges()]

    async def found_out(self) -> list[Effect]:
        """What has become of every effect, once nobody has it in hand any more."""
        self.clock.move(LEASE)
        return list(await self.host.effects.list(ADA.tenant))


def read(outcome: Outcome) -> Any:
    """What a call answered to a program."""
    return jsontext.loads(outcome.data or "null")


@asynccontextmanager
async def database(kind: str, request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[str]:
    """The address of an empty database of this kind."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'shop.db'}"
        return
    async with new_database(str(request.getfixturevalue("postgres_url"))) as url:
        yield url


@asynccontextmanager
async def opened(url: str, folder: Path, *, steps: tuple[Step, ...] = (), **options: Any) -> AsyncIterator[Shop]:
    """A fresh shop at *url*."""
    with Server(folder / "provider", 0) as provider:
        thread = Thread(target=provider.serve_forever, args=(0.02,))
        thread.start()
        try:
            async with AsyncExitStack() as stack:
                book = await stack.enter_async_context(open_book(url))
                await seed(book)
                mailbox, clock = Mailbox(), StillClock()
                given: dict[str, Any] = {"deps": desks(url, provider.url, patience=PATIENCE), "codes": mailbox, "clock": clock}
                host = await stack.enter_async_context(make_host(url, provider.url, steps=steps, **(given | options)))
                yield Shop(host, book, url, provider, mailbox, clock)
        finally:
            provider.shutdown()
            thread.join()


def beside(shop: Shop, host: Host, clock: StillClock | None = None) -> Shop:
    """The same shop, served by another host, which may have a *clock* of its own."""
    return replace(shop, host=host, clock=clock or shop.clock)
