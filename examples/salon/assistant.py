"""The salon's assistant and its host: who may do what, what a request costs, and where everything is kept.

Below are the tools; above, the demo's conversation and its server.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from examples.salon.data import open_salon, seed
from examples.salon.desk import desks
from examples.salon.tools import TOOLBOXES
from handgriff import Assistant, Caller, Host
from handgriff.models.scripted import ScriptedModel, Step
from handgriff.prices.table import Entry, PriceTable

TENANT = "lumen"
SCRIPTED = "scripted:salon"
BOOK = "salon.db"
"""The salon's own data. What Handgriff keeps is in `handgriff.db` beside it."""

INSTRUCTIONS = """You help the staff of a hair salon with its calendar, its customers and its invoices.
Look things up before you answer, and say in a sentence what you did. Use ids only as tools returned them.
When a tool is refused, say why in plain words and what would help."""

PEOPLE = {
    "ada": Caller(
        TENANT,
        "ada",
        permissions=frozenset({"calendar.all", "prices.write", "invoices.write"}),
        roles=frozenset({"owner"}),
        modules=frozenset({"invoicing"}),
    ),
    "ben": Caller(TENANT, "ben", roles=frozenset({"stylist"})),
}
"""Stands for the product's users and subscriptions. Ben's contract covers neither prices nor invoices."""

_RATES: Entry = {"input": "1.00", "cache_read": "0.10", "cache_write_5m": "1.25", "cache_write_1h": "2.00", "output": "5.00"}
PRICES = PriceTable({SCRIPTED: _RATES}, version="salon demo")
"""What the scripted model would cost if it were a small real one, so that the usage lines have something to say."""


async def load_caller(tenant: str, user: str) -> Caller | None:
    """The rights of *user*, read now."""
    return PEOPLE.get(user) if tenant == TENANT else None


def make_assistant(today: date) -> Assistant:
    """The assistant. The day is a part of each session's context, so that "tomorrow" means something."""
    return Assistant(
        "salon",
        instructions=INSTRUCTIONS,
        context=f"Today is {today:%A} {today}. The salon is Salon Lumen; it is closed on Sundays and Mondays.",
        toolboxes=TOOLBOXES,
    )


def make_host(folder: Path, *, today: date, steps: Sequence[Step] = (), pace: float = 0.0, model: str = SCRIPTED) -> Host:
    """A host over the salon in *folder*, which is filled first where there is none.

    The scripted model plays *steps*, and then what is typed as `/tool key=value`; another one is named as `anthropic:model-name`.
    """
    path = folder / BOOK
    if not path.exists():
        book = open_salon(path)
        seed(book, today)
        book.close()
    return Host(
        make_assistant(today),
        store=f"sqlite:///{folder / 'handgriff.db'}",
        callers=load_caller,
        deps=desks(path, today),
        model=model,
        models=(ScriptedModel(steps, pace=pace),),
        prices=PRICES,
    )
