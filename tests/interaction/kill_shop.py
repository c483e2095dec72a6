"""A shop for the kill matrix: a refund through a payment provider, and store credit in the application's own tables.

Whoever runs a conversation with it may have the process killed at one moment: at a named place of the application's code, before or after
the commit of a number, or not at all.
"""

import os
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import httpx2

from handgriff import Assistant, Call, Caller, Change, Host, Limits, Plan, Refusal, Result, Toolbox
from handgriff.core.batch import Batch
from handgriff.host.adapters import open_store
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.clock import Clock
from handgriff.ports.store import Committed, Store
from handgriff.ports.transaction import Transaction
from handgriff.testing.harness import MODEL, PRICES
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.script import Entry, ToolUse
from tests.interaction.desk import WORDS

Wish = Literal["refund", "credit"]
PLACES: Final[dict[Wish, tuple[str, ...]]] = {
    "refund": ("plan", "plan again", "handler", "charged"),
    "credit": ("handler", "written", "left"),
}
"""Where the application's own code runs, in order."""
TEXTS: Final[dict[Wish, str]] = {"refund": "Refund 50.00 of p-1.", "credit": "Give ada 5.00 of credit."}
SESSION: Final = "c1"


def caller(tenant: str) -> Caller:
    """The shop's clerk. Each run has a tenant of its own, so that runs share a store and nothing else."""
    return Caller(tenant, "ada", permissions={"refund"})


@dataclass(slots=True)
class Fate:
    """When the process dies: a place, or "before 3" or "after 3" of its commits; empty is never. It counts both."""

    at: str = ""
    commits: int = 0
    places: list[str] = field(default_factory=list)

    def pass_by(self, place: str) -> None:
        """The process comes to *place*."""
        self.places.append(place)
        if place == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def commit(self, write: Callable[[], Awaitable[Committed]]) -> Committed:
        """One commit."""
        self.commits += 1
        number = self.commits
        self.pass_by(f"before {number}")
        committed = await write()
        self.pass_by(f"after {number}")
        return committed


@dataclass(slots=True)
class MortalStore:
    """A store whose process may die at a commit."""

    inner: Any
    fate: Fate

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write, or die."""
        return await self.fate.commit(lambda: self.inner.commit(batch, durable=durable))

    async def begin(self) -> Transaction:
        """A transaction whose commit counts too."""
        return MortalTransaction(await self.inner.begin(), self.fate)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@dataclass(slots=True)
class MortalTransaction:
    """A transaction whose process may die at its commit."""

    inner: Transaction
    fate: Fate

    @property
    def connection(self) -> Any:
        """The driver's own."""
        return self.inner.connection

    async def commit(self, batch: Batch) -> Committed:
        """Commit, or die."""
        return await self.fate.commit(lambda: self.inner.commit(batch))

    async def roll_back(self) -> bool:
        """Undo."""
        return await self.inner.roll_back()


def assistant(payments: str, fate: Fate) -> Assistant:
    """The shop's assistant; *payments* is the address of the payment provider."""
    box = Toolbox("shop")

    @box.tool(effect="irreversible", requires="refund", description=WORDS)
    async def refund(payment: str, cents: int, call: Call) -> Result[None]:
        fate.pass_by("handler")
        headers = {"Idempotency-Key": call.idempotency_key}
        async with httpx2.AsyncClient(base_url=payments, headers=headers, timeout=5) as provider:
            # What is not answered well is left as it is: nobody knows.
            (await provider.post("/refunds", json={"payment": payment, "cents": cents})).raise_for_status()
        fate.pass_by("charged")
        return Result(f"Refunded {cents}.")

    @refund.plan
    async def preview(payment: str, cents: int, call: Call) -> Plan:
        fate.pass_by("plan" if call.proposal is None else "plan again")
        return Plan(f"Refund {cents} of {payment}?", [Change("Paid", "90.00", "40.00", raw=(9000, 4000))])

    @refund.reconcile
    async def look(args: Any, call: Call) -> Result[None] | Refusal | None:
        async with httpx2.AsyncClient(base_url=payments, timeout=5) as provider:
            answer = await provider.get("/refunds", params={"key": call.idempotency_key})
        if answer.status_code == httpx2.codes.NOT_FOUND:
            return Refusal("transient", "The provider has not booked it. Nothing was refunded.")
        is_booked = answer.status_code == httpx2.codes.OK and answer.json().get("state") != "in_flight"
        return Result(f"Refunded {args.cents}.") if is_booked else None

    @box.tool(effect="write", transaction=True, description=WORDS)
    async def credit(customer: str, cents: int, call: Call) -> Result[None]:
        fate.pass_by("handler")
        async with call.transaction() as connection:
            await book(connection, call.caller.tenant, call.idempotency_key, cents)
            fate.pass_by("written")
        fate.pass_by("left")
        await call.state.set("credited", cents)
        return Result(f"{customer} has {cents} more.")

    return Assistant("shop", instructions="You refund.", toolboxes=[box], limits=Limits(attempts=1))


TABLE: Final = "CREATE TABLE IF NOT EXISTS shop_credit (tenant text NOT NULL, key text NOT NULL, cents integer NOT NULL)"


async def book(connection: Any, tenant: str, key: str, cents: int) -> None:
    """A row of the application's own, on whichever driver's connection."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("INSERT INTO shop_credit VALUES (?, ?, ?)", (tenant, key, cents))
    else:
        await connection.execute("INSERT INTO shop_credit VALUES ($1, $2, $3)", tenant, key, cents)


def answer(request: Request) -> Entry:
    """What the model says, decided by what its history holds."""
    last = request.body["messages"][-1]["content"][-1]
    if last["type"] == "tool_result":
        return "So it is."
    if "credit" in last["text"]:
        return ToolUse("credit", {"customer": "ada", "cents": 500})
    return ToolUse("refund", {"payment": "p-1", "cents": 5000}) if "Refund" in last["text"] else "All is well."


def host(store: Store, model: AnthropicModel, payments: str, clock: Clock, fate: Fate) -> Host:
    """A host of the shop."""
    return Host(assistant(payments, fate), store=store, callers=_callers, model=MODEL, models=[model], prices=PRICES, clock=clock)


async def converse(store_name: str, model_url: str, payments: str, tenant: str, wish: Wish, clock: Clock, at: str = "") -> Fate:
    """The whole conversation: the wish, its confirmation, and what the assistant says then. It may end before."""
    fate, ada = Fate(at), caller(tenant)
    inner = await open_store(store_name)
    model = AnthropicModel(api_key="loopback-key", base_url=model_url)
    async with host(MortalStore(inner, fate), model, payments, clock, fate) as shop:
        session = await shop.sessions.open(ada, SESSION)
        async for _ in shop.turn(ada, session.id, TEXTS[wish]):
            pass
        for proposal in await shop.proposals.list(ada):
            await shop.proposals.decide(ada, proposal.id, approved=True)
        async for _ in shop.follow(ada, session.id):
            pass
    await model.close()
    await inner.close()
    return fate


async def _callers(tenant: str, user: str) -> Caller | None:
    return caller(tenant) if user == "ada" else None
