"""A small shop to try the command line on: copied into a test's folder as `shop.py` and named as TARGET."""

from pathlib import Path
from typing import Annotated

import anyio
from pydantic import BaseModel, Field

from handgriff import Assistant, Call, Caller, Change, Host, Known, Lane, Plan, Refusal, Result, Toolbox
from handgriff.models.scripted import Say, ScriptedModel, Use
from handgriff.tool import Link, Module

ORDERS = {"o_17": "pending", "o_18": "shipped", "o_19": "pending"}
JOURNAL = Path("journal.txt")
HOSTILE = "\x1b[2J\x1b]0;owned\x07Fine\x9b31m\u202e [bold]really[/bold] :smile:"
OrderId = Annotated[str, Known("order"), Field(description="Order id, e.g. 'o_17'.")]
shop = Toolbox("shop")


class Order(BaseModel):
    id: OrderId
    status: str


@shop.tool(effect="read")
async def list_orders(call: Call[None]) -> Result[list[Order]]:
    """Use when: the user asks about orders. Not for: products. Needs: nothing. Effect: none."""
    link = Link("/orders", "Orders")
    return Result(f"{len(ORDERS)} orders.", [Order(id=i, status=s) for i, s in ORDERS.items()], link=link)


@shop.tool(effect="read")
async def wait_long(call: Call[None]) -> Result[None]:
    """Use when: a test waits. Not for: people. Needs: nothing. Effect: none."""
    await call.progress(1, 3, "waiting")
    await anyio.sleep_forever()
    return Result("Never.")


@shop.tool(effect="read")
async def shout(call: Call[None]) -> Result[None]:
    """Use when: a test is attacked. Not for: people. Needs: nothing. Effect: none."""
    return Result(HOSTILE)


@shop.tool(effect="read")
async def break_down(call: Call[None]) -> Result[None]:
    """Use when: a test breaks something. Not for: people. Needs: nothing. Effect: none."""
    raise ValueError("a secret of the application")


@shop.tool(effect="write")
async def lose_track(call: Call[None]) -> Result[None]:
    """Use when: a test loses an effect. Not for: people. Needs: nothing. Effect: nobody knows."""
    raise ConnectionError("the line went dead")


@shop.tool(effect="read", requires=Module("gifts"))
async def list_gifts(call: Call[None]) -> Result[None]:
    """Use when: the user asks about gifts. Not for: orders. Needs: nothing. Effect: none."""
    return Result("No gifts.")


@shop.tool(effect="irreversible", requires="orders.cancel")
async def cancel_order(order: OrderId, call: Call[None]) -> Result[None]:
    """Use when: one pending order must go. Not for: returns. Needs: order from list_orders. Effect: cancels for good."""
    ORDERS[order] = "cancelled"
    note(f"cancelled {order}\n")
    return Result("Order cancelled.", diff=[Change("Status", "pending", "cancelled")])


@cancel_order.plan
async def preview(order: OrderId, call: Call[None]) -> Plan:
    if ORDERS[order] != "pending":
        raise Refusal("conflict", f"{order} is {ORDERS[order]}.", next="Choose a pending one.")
    return Plan(f"Cancel {order}?", diff=[Change("Status", "pending", "cancelled")])


def note(line: str) -> None:
    with JOURNAL.open("a") as journal:
        journal.write(line)


async def load_caller(tenant: str, user: str) -> Caller | None:
    return Caller(tenant, user, permissions=frozenset({"orders.cancel"}), locale="de") if tenant == "acme" else None


assistant = Assistant("shop", instructions="You help a shop's customers.", toolboxes=[shop])
laned = Assistant("shop", instructions="You help a shop's customers.", toolboxes=[shop], lanes={"standard": Lane("anthropic:some-model")})
host = Host(assistant, store="sqlite:///host.db", callers=load_caller, model="scripted:shop")
pair = Host(
    assistant,
    store="sqlite:///pair.db",
    callers=load_caller,
    model="scripted:pair",
    models=[ScriptedModel([(Use("cancel_order", {"order": "o_17"}), Use("cancel_order", {"order": "o_19"})), Say("{summary}")])],
)
keyless = Host(laned, store="sqlite:///keyless.db", callers=load_caller)
number = 17


@laned.before_call
async def say_no(tool: str, args: object, call: Call[None]) -> None:
    raise Refusal("denied", "The assistant's own hook refuses.")
