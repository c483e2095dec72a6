"""Books in the very database of the store: what handlers write there is committed with their calls' outcomes."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any, Final

from handgriff import Assistant, Call, Change, Plan, Result, Toolbox
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.stores.postgres.driver import connect
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant, everybody

SQLITE: Final = "sqlite:///"
_TABLE: Final = "CREATE TABLE IF NOT EXISTS booking (wish text NOT NULL)"


async def nothing(call: Call) -> None:
    """Nothing happens there."""


async def nothing_within(connection: Any, call: Call) -> None:
    """As above."""


@dataclass(slots=True)
class Books:
    """The application's table in the store named `store`; what else a booking does, and where."""

    store: str
    before: Callable[[Call], Awaitable[None]] = nothing
    within: Callable[[Any, Call], Awaitable[None]] = nothing_within
    """Inside the block, when the row is written."""
    after: Callable[[Call], Awaitable[None]] = nothing
    began: int = 0
    told: list[str] = field(default_factory=list)
    seconds: float = 30
    is_planned: bool = False
    confirm: Any = None
    has_key: bool = True

    def assistant(self) -> Assistant:
        """The bookkeeper."""
        box = Toolbox("books")

        async def book(wish: str, call: Call) -> Result[None]:
            self.began += 1
            await self.before(call)
            async with call.transaction() as connection:
                await write(connection, wish)
                await self.within(connection, call)
            await self.after(call)
            await call.state.increment("booked")
            return Result(f"Booked {wish}.")

        async def plan(wish: str) -> Plan:
            return Plan(f"Book {wish}?", [Change("Bookings", str(count := len(await self.rows())), str(count + 1))])

        async def tell(told: AfterCall) -> None:
            self.told.append(told.shown.summary)

        tool = box.tool(
            effect="write",
            name="book",
            transaction=True,
            idempotency_key=(lambda args, call: str(args.wish)) if self.has_key else None,
            plan=plan if self.is_planned else None,
            confirm=self.confirm,
            limits=CallLimits(seconds=self.seconds),
            description=WORDS,
        )(book)
        tool.after_call(tell)

        @box.tool(effect="write", description=WORDS)
        async def note(text: str) -> Result[None]:
            return Result(f"Noted {text}.")

        return assistant(box)

    async def prepare(self) -> None:
        """The table, empty."""
        if self.store.startswith(SQLITE):
            with closing(sqlite3.connect(self.store.removeprefix(SQLITE))) as connection:
                connection.execute(_TABLE)
                connection.commit()
            return
        database = await connect(self.store)
        try:
            await database.execute(_TABLE)
            await database.execute("DELETE FROM booking")
        finally:
            await database.close()

    async def rows(self) -> list[str]:
        """What anybody else sees, asked on a connection that has nothing to do with the store."""
        if self.store.startswith(SQLITE):
            with closing(sqlite3.connect(self.store.removeprefix(SQLITE))) as connection:
                return sorted(wish for (wish,) in connection.execute("SELECT wish FROM booking"))
        database = await connect(self.store)
        try:
            return sorted(row["wish"] for row in await database.fetch("SELECT wish FROM booking"))
        finally:
            await database.close()


async def write(connection: Any, wish: str) -> None:
    """A row, on whichever driver's connection."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("INSERT INTO booking VALUES (?)", (wish,))
    else:
        await connection.execute("INSERT INTO booking VALUES ($1)", wish)


def booking(wish: str = "Rome") -> ToolUse:
    """The model asks for a booking."""
    return ToolUse("book", {"wish": wish})


@asynccontextmanager
async def keeping(books: Books, script: Any = (), **options: Any) -> AsyncIterator[Harness]:
    """A conversation with the bookkeeper."""
    await books.prepare()
    async with harness(books.assistant(), ADA, script=script, callers=everybody, **{"store": books.store, **options}) as chat:
        yield chat
