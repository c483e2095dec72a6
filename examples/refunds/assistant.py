"""The shop's assistant and its host: who works there, what they may do, and which database and payment provider it stands on.

Below are the tools; above, the demo, and whoever serves the shop.
"""

from collections.abc import Sequence
from typing import Any, Final

from examples.refunds.data import OTHER_SHOP, SHOP
from examples.refunds.desk import desks
from examples.refunds.tools import TOOLBOXES
from handgriff import Assistant, Caller, Host
from handgriff.models.scripted import ScriptedModel, Step
from handgriff.ports.codes import CodeSender
from handgriff.prices.table import Entry, PriceTable

SCRIPTED: Final = "scripted:refunds"
_RATES: Entry = {"input": "1.00", "cache_read": "0.10", "cache_write_5m": "1.25", "cache_write_1h": "2.00", "output": "5.00"}
PRICES: Final = PriceTable({SCRIPTED: _RATES}, version="refunds demo")
"""What the scripted model would cost if it were a small real one."""

INSTRUCTIONS: Final = """You help the clerks of a shop to give money back: as a refund of a payment, or as store credit.
Look the order and its payments up first, and use amounts only as the user named them. Say what happened in a sentence, as the tool told it.
Where nobody knows whether a refund was made, say so and do not repeat it: it is found out without you."""

PEOPLE: Final = {
    caller.user: caller
    for caller in (
        Caller(SHOP, "ada", permissions={"refunds.make"}, roles={"clerk"}),
        Caller(SHOP, "ben", permissions={"refunds.make"}, roles={"clerk"}),
        Caller(SHOP, "cleo", permissions={"refunds.make", "refunds.approve"}, roles={"manager"}),
        Caller(SHOP, "dan", roles={"stock"}),
        Caller(OTHER_SHOP, "eve", permissions={"refunds.make", "refunds.approve"}, roles={"owner"}),
    )
}
"""Stands for the product's users. Dan may look; Eve's is another shop."""


async def load_caller(tenant: str, user: str) -> Caller | None:
    """The rights of *user*, read now."""
    found = PEOPLE.get(user)
    return found if found is not None and found.tenant == tenant else None


def assistant() -> Assistant:
    """The assistant."""
    return Assistant("refunds", instructions=INSTRUCTIONS, toolboxes=TOOLBOXES)


def make_host(
    store_url: str, provider_url: str, *, codes: CodeSender | None = None, steps: Sequence[Step] = (), pace: float = 0.0, **options: Any
) -> Host:
    """A host over the database at *store_url*, in which the shop's tables lie beside Handgriff's, and the provider at *provider_url*.

    The scripted model plays *steps*, and then what is typed as `/tool key=value`. *options* are the host's own; `store=` may name an opened
    store on the same database, `model=` and `models=` another model.
    """
    given: dict[str, Any] = {
        "store": store_url,
        "callers": load_caller,
        "deps": desks(store_url, provider_url),
        "codes": codes,
        "model": SCRIPTED,
        "models": (ScriptedModel(steps, pace=pace),),
        "prices": PRICES,
    }
    return Host(assistant(), **(given | options))
