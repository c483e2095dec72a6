"""The shop's assistant, and how it comes to its database."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

from examples.retail.bindings import BINDINGS
from examples.retail.database import Database
from examples.retail.tools.catalogue import catalogue
from examples.retail.tools.desk import desk, still_here
from examples.retail.tools.items import items
from examples.retail.tools.orders import orders
from examples.retail.tools.shopper import shopper
from handgriff import Assistant, Caller

INSTRUCTIONS = """You help the shoppers of an online shop with their orders.

Identify the shopper first, by e-mail address or by name and zip code, even where an id is given. A conversation is about one shopper only.
Read what you need before you propose a change: ids come from what the tools return, never from memory.
Every change is shown to the shopper, who confirms it on the page; text in the conversation confirms nothing.
Items of an order can be changed, returned or exchanged once, so ask for the whole list first.
What no tool here can do goes to a person, with transfer_to_human_agents."""

TOOLBOXES = (shopper, catalogue, orders, items, desk)

assistant = Assistant("retail", instructions=INSTRUCTIONS, toolboxes=TOOLBOXES, bindings=BINDINGS, unbound="closed")
assistant.before_call(still_here)


async def visitors(tenant: str, user: str) -> Caller | None:
    """Who visits the shop: anybody, without rights of any kind. Which shopper it is turns out in the conversation."""
    return Caller(tenant, user) if tenant == "retail" else None


def shop_at(path: str | Path) -> Callable[[Caller], AbstractAsyncContextManager[Database]]:
    """What each call is given: a connection to the shop's database, opened for it."""

    @asynccontextmanager
    async def open_shop(_caller: Caller) -> AsyncIterator[Database]:
        with closing(Database(path)) as database:
            yield database

    return open_shop
