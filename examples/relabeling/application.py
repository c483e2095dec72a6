"""The depot's assistant and its host: what it is told, who works there, and where everything is kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from examples.relabeling.desk import depots
from examples.relabeling.tools import TOOLBOXES
from handgriff import Assistant, Caller, Host
from handgriff.models.scripted import ScriptedModel, Step

TENANT: Final = "northgate"
SCRIPTED: Final = "scripted:relabeling"
STORE: Final = "handgriff.db"

assistant = Assistant(
    "relabeling",
    instructions="""You help the staff of a parcel depot to relabel parcels from one carrier to another.
Hand codes over exactly as they were sent; cleaning and checking them is the tools' work. Say what was collected only as the tools tell it,
and name every code that was not, with its reason. When a tool is refused, say why in plain words and what would help.""",
    toolboxes=TOOLBOXES,
)

PEOPLE: Final = {user: Caller(TENANT, user) for user in ("tara", "omar")}
"""Stands for the depot's users."""


async def load_caller(tenant: str, user: str) -> Caller | None:
    """The rights of *user*, read now."""
    return PEOPLE.get(user) if tenant == TENANT else None


def make_host(folder: Path, *, scratch: str | None = None, steps: Sequence[Step] = (), pace: float = 0.0) -> Host:
    """A host over *folder*: what Handgriff keeps is in one file there, and each company's depot in a folder of its own.

    With *scratch*, such as `file:///srv/pads`, the scratch pad lies beside the store.

    The scripted model plays *steps*, and then what is typed as `/tool key=value`.
    """
    return Host(
        assistant,
        store=f"sqlite:///{folder / STORE}",
        scratch=scratch,
        callers=load_caller,
        deps=depots(folder),
        model=SCRIPTED,
        models=(ScriptedModel(steps, pace=pace),),
    )
