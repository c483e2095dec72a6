"""The company's assistant and its host: four people, each with a part of the workflow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from examples.invoices.ledger import ledgers
from examples.invoices.tools import invoices
from handgriff import Assistant, Caller, Host
from handgriff.models.scripted import ScriptedModel, Step

TENANT: Final = "acme"
SCRIPTED: Final = "scripted:invoices"
INSTRUCTIONS: Final = """You help the people of a company with invoices. A handle names an invoice; use it exactly as a tool answered it.
Where a tool is refused because of the workflow, say where the invoice is and who has to do what next."""

PEOPLE: Final = {
    caller.user: caller
    for caller in (
        Caller(TENANT, "clara", permissions={"invoices.write"}, roles={"clerk"}),
        Caller(TENANT, "rita", permissions={"invoices.review"}, roles={"reviewer"}),
        Caller(TENANT, "theo", permissions={"invoices.pay"}, roles={"treasurer"}),
        Caller(TENANT, "aaron", roles={"auditor"}),
        Caller("other", "olga", permissions={"invoices.write", "invoices.review", "invoices.pay"}, roles={"owner"}),
    )
}
"""Stands for the product's users. Olga's is another company."""


async def load_caller(tenant: str, user: str) -> Caller | None:
    """The rights of *user*, read now."""
    found = PEOPLE.get(user)
    return found if found is not None and found.tenant == tenant else None


assistant: Final = Assistant("invoices", instructions=INSTRUCTIONS, toolboxes=[invoices])
"""Building it proves what `workflow.py` declares."""


def make_host(folder: Path, *, steps: Sequence[Step] = (), **options: Any) -> Host:
    """A host over the company in *folder*."""
    given: dict[str, Any] = {
        "store": f"sqlite:///{folder / 'handgriff.db'}",
        "callers": load_caller,
        "deps": ledgers(folder / "invoices.db"),
        "model": SCRIPTED,
        "models": (ScriptedModel(steps),),
    }
    return Host(assistant, **(given | options))
