"""A shop with a treasury: payments that need a code, and a closing that another person must confirm. What HTTP and pages are tried on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from handgriff import Assistant, Call, Caller, Change, Plan, Refusal, Result, Toolbox
from handgriff.testing.mailbox import Mailbox
from tests.interaction.http_wire import PEOPLE, Shop, Wire, wired

PAY, CLOSE, CANCEL = "/pay amount=10 to=acc-2", "/close_shop reason=holiday", "/cancel_order order=o_17"


@dataclass(slots=True)
class Treasury(Shop):
    """The shop, and what is in its till."""

    mailbox: Mailbox = field(default_factory=Mailbox)
    balance: int = 100
    is_away: bool = False
    """Whether rights can't be checked just now."""
    rights: set[str] = field(default_factory=lambda: {"orders.cancel"})
    """Ada's, today."""

    async def callers(self, tenant: str, user: str) -> Caller | None:
        found = PEOPLE.get((tenant, user))
        return replace(found, permissions=frozenset(self.rights)) if found and (tenant, user) == ("acme", "ada") else found

    def assistant(self) -> Assistant:
        box = Toolbox("treasury")

        @box.tool(effect="irreversible", requires="orders.cancel", confirm="code")
        async def pay(amount: int, to: str, call: Call) -> Result[None]:
            """Use when: money must go out. Not for: orders. Needs: both. Effect: pays for good."""
            self.balance -= amount
            self.done.append(f"pay {amount} to {to}")
            return Result("Paid.")

        @pay.authorize
        async def may(args: Any, call: Call) -> bool:
            if self.is_away:
                raise Refusal("transient", "The rights service is away.")
            return True

        @pay.plan
        async def draft(amount: int, to: str, call: Call) -> Plan:
            change = Change("Balance", f"{self.balance} €", f"{self.balance - amount} €", raw=(self.balance, self.balance - amount))
            return Plan(f"Pay {amount} to {to}?", [change], count=2, sample=["invoice 1", "invoice 2"])

        @box.tool(effect="irreversible", requires="orders.cancel", confirm="second_person", title={"en": "Close", "de": "Schließen"})
        async def close_shop(reason: str, call: Call) -> Result[None]:
            """Use when: the shop closes. Not for: orders. Needs: a reason. Effect: closes it for good."""
            assert call.proposal is not None
            self.done.append(f"close for {reason} as {call.caller.user}, confirmed by {call.proposal.decided_by}")
            return Result("Closed.")

        @close_shop.plan
        async def preview(reason: str, call: Call) -> Plan:
            return Plan(f"Close the shop for {reason}?")

        shop = Shop.assistant(self)
        return Assistant("shop", limits=self.limits, instructions="You help a shop.", toolboxes=[*shop.toolboxes, box])


@asynccontextmanager
async def treasury(shop: Treasury | None = None, **options: Any) -> AsyncIterator[tuple[Wire, Treasury]]:
    """The treasury behind the HTTP face."""
    shop = shop or Treasury()
    async with wired(shop=shop, codes=shop.mailbox, callers=shop.callers, **options) as wire:
        yield wire, shop


async def asked(wire: Wire, text: str, **members: Any) -> dict[str, Any]:
    """A turn that ends with a proposal; the interrupt."""
    answer = await wire.run(text, **members)
    interrupt: dict[str, Any] = answer.events[-1]["outcome"]["interrupts"][0]
    return interrupt


def wrong(code: str) -> str:
    """Six digits that are not *code*."""
    return f"{(int(code) + 1) % 10**6:06}"
