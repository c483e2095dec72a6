"""A bank whose transfers a person confirms: what proposals are tried on. What it does can be changed while a proposal waits."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import AfterValidator

from handgriff import Assistant, Call, Caller, Change, Plan, Refusal, Result, Toolbox
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import Script, ToolUse
from handgriff.tool import Module
from tests.interaction.desk import ADA, PEOPLE, WORDS, assistant

Amount = Annotated[int, AfterValidator(lambda amount: min(amount, 5000))]
"""At most 5000: what is more is cut, before anybody is asked."""


async def nothing() -> None:
    """What happens between checking and claiming: by default nothing."""


@dataclass(slots=True)
class Bank:
    """The world: accounts, what was paid, and who may do what today."""

    balances: dict[str, int] = field(default_factory=lambda: {"acc-1": 100, "acc-2": 0})
    paid: list[tuple[int, str]] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    before_seen: list[Any] = field(default_factory=list)
    permissions: set[str] = field(default_factory=lambda: {"refund", "note"})
    modules: set[str] = field(default_factory=lambda: {"shop"})
    exists: bool = True
    owns: bool = True
    meanwhile: Callable[[], Awaitable[None]] = nothing
    carrying_out: Callable[[], Awaitable[None]] = nothing
    words: str = WORDS
    without: set[str] = field(default_factory=set)
    """Tools that are not there, and "plan" where nobody is asked any more."""

    async def callers(self, tenant: str, user: str) -> Caller | None:
        """Ada with today's rights; the others as they are."""
        if (tenant, user) != (ADA.tenant, ADA.user):
            return PEOPLE.get((tenant, user))
        return replace(ADA, permissions=frozenset(self.permissions), modules=frozenset(self.modules)) if self.exists else None

    def assistant(self, **limits: Any) -> Assistant:
        """The bank's assistant, without the tools that are `without`."""
        box = Toolbox("bank")

        async def transfer(amount: Amount, call: Call, to: str = "acc-2") -> Result[None]:
            await self.carrying_out()
            assert call.proposal is not None
            self.before_seen.append(dict(call.proposal.before))
            self.paid.append((amount, to))
            self.balances["acc-1"] -= amount
            return Result(f"Paid {amount} to {to}.")

        async def preview(amount: int, to: str) -> Plan:
            balance = self.balances["acc-1"]
            if balance < 0:
                raise Refusal("conflict", "The account is overdrawn.")
            return Plan(
                f"Pay {amount} to {to}?", [Change("Balance", f"{balance} €", f"{balance - amount} €", raw=(balance, balance - amount))]
            )

        async def may(args: Any, call: Call) -> bool:
            await self.meanwhile()
            return self.owns

        if "transfer" not in self.without:
            box.tool(
                effect="write" if "plan" in self.without else "irreversible",
                name="transfer",
                requires=["refund", Module("shop")],
                authorize=may,
                plan=None if "plan" in self.without else preview,
                description=self.words,
            )(transfer)

        @box.tool(effect="write", description=WORDS)
        async def note(text: str) -> Result[None]:
            self.noted.append(text)
            return Result(f"Noted {text}.")

        @box.tool(effect="read", description=WORDS)
        async def balance() -> Result[int]:
            return Result("Your balance.", self.balances["acc-1"])

        return assistant(box, **limits)


def transfer(amount: float = 10, **more: Any) -> ToolUse:
    """The model asks for a transfer."""
    return ToolUse("transfer", {"amount": amount, **more})


@asynccontextmanager
async def banking(bank: Bank, script: Script, **options: Any) -> AsyncIterator[Harness]:
    """A conversation with the bank."""
    async with harness(bank.assistant(), ADA, script=script, callers=bank.callers, **options) as chat:
        yield chat


async def pending(chat: Harness) -> list[str]:
    """The ids of what waits, oldest first."""
    return [proposal.id for proposal in await chat.host.proposals.list(ADA)]
