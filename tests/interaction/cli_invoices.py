"""Invoices to try the command line's workflows on: a machine for each invoice's handle, one for each session, one of the application's."""

from typing import Any

from handgriff import Assistant, Call, Caller, Host, Machine, Result, Toolbox
from handgriff.machine import OnlyAfter, State
from handgriff.models.scripted import ScriptedModel
from handgriff.stores.snapshots import MemorySnapshots
from tests.interaction.desk import WORDS

STORE = "sqlite:///invoices.db"
PEOPLE = ("ada", "bob")
invoice = Machine(
    "invoice",
    State("draft", on={"SUBMIT": "review"}),
    State("review", on={"APPROVE": "approved", "REJECT": "draft"}),
    State("approved", on={"DISCHARGE": "discharged"}),
    State("discharged", type="final"),
    instance="handle",
    invariants=[OnlyAfter("discharge", "approve")],
)
desk = Machine("desk", State("shut", on={"OPEN": "open"}), State("open", on={"SHUT": "shut"}))


async def status_of(args: Any, call: Call[None]) -> str:
    return str(args["status"])


order = Machine("order", "pending", "shipped", state_of=status_of)
box = Toolbox("invoices")


def tool(name: str, **bindings: Any) -> None:
    """A tool that does nothing but what its bindings say."""

    async def handler() -> Result[None]:
        return Result("Done.")

    effect: Any = "read" if bindings.keys() == {"at"} else "write"
    box.tool(effect=effect, name=name, description=WORDS, **bindings)(handler)


tool("new_invoice", starts=invoice)
tool("submit", at=invoice.at("draft"), fires="SUBMIT")
tool("approve", at=[invoice.at("review"), desk.at("open")], fires=invoice.event("APPROVE"))
tool("reject", at=invoice.at("review"), fires="REJECT")
tool("look", at=invoice.at("draft", "review"))
tool("open_desk", at=desk.at("shut"), fires="OPEN")
tool("shut_desk", at=desk.at("open"), fires="SHUT")


@box.tool(effect="write", description=WORDS, at=invoice.at("approved"), fires="DISCHARGE")
async def discharge() -> Result[None]:
    raise ConnectionError("the line went dead")


@box.tool(effect="read", description=WORDS, at=order.at("pending"))
async def track(status: str) -> Result[None]:
    return Result(f"It is {status}.")


@box.tool(effect="read", description=WORDS)
async def search() -> Result[None]:
    return Result("Nothing.")


async def callers(tenant: str, user: str) -> Caller | None:
    return Caller(tenant, user) if tenant == "acme" and user in PEOPLE else None


assistant = Assistant("invoices", instructions="You test.", toolboxes=[box])
host = Host(assistant, store=STORE, callers=callers, models=[ScriptedModel()], model="scripted:dev")
elsewhere = Host(assistant, store=STORE, snapshots=MemorySnapshots(), callers=callers, models=[ScriptedModel()], model="scripted:dev")
"""The same, with its workflows outside the store."""
stranger = Assistant("others", instructions="You test.", toolboxes=[])
others = Host(stranger, store=STORE, callers=callers, models=[ScriptedModel()], model="scripted:dev")
"""One that knows none of these machines."""
