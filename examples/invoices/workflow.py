"""The workflow of one invoice, as data: it is read from an XState config, and what must never happen is declared beside it and proved."""

from datetime import timedelta
from typing import Any, Final

from handgriff import Machine
from handgriff.machine import AlwaysReaches, OnlyAfter

CONFIG: Final[dict[str, Any]] = {
    "id": "invoice",
    "initial": "draft",
    "states": {
        "draft": {"on": {"SUBMIT": "review"}, "description": "The clerk still writes it."},
        "review": {"on": {"APPROVE": "approved", "REJECT": "draft"}, "description": "The reviewer reads it."},
        "approved": {"on": {"DISCHARGE": "discharged", "REJECT": "draft"}, "tags": ["payable"], "description": "It may be paid."},
        "discharged": {"type": "final", "description": "It is paid, and nothing follows."},
    },
}

invoice: Final = Machine.from_config(
    CONFIG,
    instance="handle",
    owner="tenant",
    expires=timedelta(days=90),
    invariants=[
        OnlyAfter("discharge_invoice", "approve_invoice"),
        OnlyAfter("approve_invoice", "submit_invoice"),
        AlwaysReaches("discharged"),
    ],
)
"""One instance for each invoice. It is the whole company's: who may do what is said by the tools' `requires`."""
