"""What every tool of the shop is given: its book, open, and the way to the payment provider. A new desk is opened for each call."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from examples.refunds.books import Book, open_book
from examples.refunds.payments import SECONDS, PaymentProvider
from handgriff import Caller


@dataclass(frozen=True, slots=True)
class Desk:
    """The shop's book, and its payment provider."""

    book: Book
    payments: PaymentProvider


def desks(store_url: str, provider_url: str, *, patience: float = SECONDS) -> Callable[[Caller], AbstractAsyncContextManager[Desk]]:
    """The factory a host asks for a desk. At the provider each shop is a merchant of its own."""

    @asynccontextmanager
    async def open_desk(caller: Caller) -> AsyncIterator[Desk]:
        async with open_book(store_url) as book:
            yield Desk(book, PaymentProvider(provider_url, caller.tenant, patience))

    return open_desk
