"""A safe from which money is paid out: what codes and second persons are tried on. Who must confirm may change meanwhile."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import AfterValidator

from handgriff import Assistant, Call, Caller, Change, Host, Plan, Refusal, Result, Toolbox
from handgriff.core.contract import Confirm
from handgriff.core.events import Decision
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.clock import Clock
from handgriff.ports.codes import CodeSender
from handgriff.ports.store import Store
from handgriff.testing.harness import MODEL, PRICES, Harness, harness
from handgriff.testing.loopback.script import Script, ToolUse
from tests.interaction.desk import WORDS, assistant

ADA = Caller("acme", "ada", permissions={"pay"}, locale="en")
BOB = Caller("acme", "bob", permissions={"pay"})
CLEO = Caller("acme", "cleo", permissions={"look"})
"""Without the tool's right."""
DAN = Caller("acme", "dan", permissions={"pay"})
"""With the right, and without these rows."""
EVE = Caller("globex", "eve", permissions={"pay"})
BOB_ELSEWHERE = Caller("globex", "bob", permissions={"pay"})
OTHERS = (CLEO, DAN, EVE, BOB_ELSEWHERE)
"""Everybody who may not confirm what Ada wants."""

Amount = Annotated[int, AfterValidator(lambda amount: min(amount, 5000))]
"""At most 5000: what is more is cut, before anybody is asked."""


async def at_once() -> None:
    """Nothing is waited for."""


@dataclass(slots=True)
class Safe:
    """The world: what is in the safe, what was paid for whom, and who may do what today."""

    confirm: Confirm | None = "person"
    effect: Any = "irreversible"
    balance: int = 9000
    paid: list[tuple[int, str, str]] = field(default_factory=list)
    """Amount, the caller it was done as, and who decided; empty where nobody was asked."""
    grants: list[frozenset[str]] = field(default_factory=list)
    lookers: list[Caller] = field(default_factory=list)
    """Who looked at the balance."""
    people: dict[tuple[str, str], Caller] = field(
        default_factory=lambda: {(caller.tenant, caller.user): caller for caller in (ADA, BOB, *OTHERS)}
    )
    trusted: set[str] = field(default_factory=lambda: {"ada", "bob"})
    asked: list[str] = field(default_factory=list)
    """Users whose right to these rows was asked for."""
    callers_down: list[Exception] = field(default_factory=list)
    going_wrong: list[Exception] = field(default_factory=list)
    """Raised by the plan."""
    failing: list[Exception] = field(default_factory=list)
    """Raised by the handler."""
    paying: Callable[[], Awaitable[None]] = at_once
    checking: Callable[[], Awaitable[None]] = at_once
    looking: Callable[[], Awaitable[None]] = at_once

    async def callers(self, tenant: str, user: str) -> Caller | None:
        """Everybody, with today's rights."""
        if self.callers_down:
            raise self.callers_down[0]
        return self.people.get((tenant, user))

    def without(self, caller: Caller, *permissions: str) -> None:
        """Take rights from *caller*."""
        now = self.people[caller.tenant, caller.user]
        self.people[caller.tenant, caller.user] = replace(now, permissions=now.permissions - set(permissions))

    def assistant(self) -> Assistant:
        """The safe's assistant."""
        box = Toolbox("safe")

        async def handler(amount: Amount, call: Call) -> Result[None]:
            await self.paying()
            if self.failing:
                raise self.failing.pop(0)
            self.paid.append((amount, call.caller.user, call.proposal.decided_by if call.proposal else ""))
            self.grants.append(frozenset(call.caller.permissions))
            self.balance -= amount
            return Result(f"Paid {amount}.")

        async def preview(amount: int) -> Plan:
            if self.going_wrong:
                raise self.going_wrong.pop(0)
            return Plan(f"Pay {amount}?", [Change("Balance", f"{self.balance} €", f"{self.balance - amount} €")])

        async def may(args: Any, call: Call) -> bool:
            self.asked.append(call.caller.user)
            await self.checking()
            return call.caller.user in self.trusted

        box.tool(effect=self.effect, name="pay", requires="pay", authorize=may, plan=preview, confirm=self.confirm, description=WORDS)(
            handler
        )

        @box.tool(effect="read", description=WORDS)
        async def balance(call: Call) -> Result[int]:
            self.lookers.append(call.caller)
            await self.looking()
            return Result("What there is.", self.balance)

        return assistant(box)


def pay(amount: int = 10) -> ToolUse:
    """The model asks for a payment."""
    return ToolUse("pay", {"amount": amount})


@asynccontextmanager
async def opened(safe: Safe, script: Script, **options: Any) -> AsyncIterator[Harness]:
    """A conversation of Ada's with the safe."""
    async with harness(safe.assistant(), ADA, script=script, callers=safe.callers, **options) as chat:
        yield chat


@asynccontextmanager
async def another(
    chat: Harness, made: Assistant, callers: Any, store: Store | str, *, codes: CodeSender | None = None, clock: Clock | None = None
) -> AsyncIterator[Host]:
    """A second server on the same store."""
    model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)
    try:
        async with Host(made, store=store, callers=callers, model=MODEL, models=[model], prices=PRICES, codes=codes, clock=clock) as host:
            yield host
    finally:
        await model.close()


async def waiting(host: Host, caller: Caller) -> list[str]:
    """The ids of what waits for *caller*, oldest first."""
    return [proposal.id for proposal in await host.proposals.list(caller)]


async def refused(attempt: Awaitable[object]) -> Refusal:
    """The refusal that *attempt* ends in."""
    try:
        await attempt
    except Refusal as refusal:
        return refusal
    raise AssertionError("it was not refused")


async def deciders(chat: Harness) -> list[tuple[str, str | None]]:
    """Every proposal's way, as stored: what it became, and by whom."""
    return [(event.body.state, event.body.by) for event in await chat.events() if isinstance(event.body, Decision)]
