"""A small world for conversations that are cut: two reads, two writes and one irreversible payment, each leaving a line in a file."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel

from handgriff import Assistant, Call, Caller, Change, Known, Limits, Plan, Result, Toolbox
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.script import Entry, ToolUse

ADA = Caller("acme", "ada", permissions={"pay"})
AccountId = Annotated[str, Known("account")]


class Account(BaseModel):
    """An account."""

    id: AccountId
    balance: int


def assistant(world: Path) -> Assistant:
    """The assistant whose tools write into *world*, one line for each effect that really happens."""
    book = Toolbox("book")

    def happened(what: str) -> None:
        with world.open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")
            file.flush()
            os.fsync(file.fileno())

    @book.tool(effect="read")
    async def accounts(call: Call) -> Result[list[Account]]:
        """Use when: accounts are asked for. Not for: payments. Needs: nothing. Effect: none."""
        await call.progress(1, 1)
        return Result("Two accounts.", [Account(id="acc-1", balance=10), Account(id="acc-2", balance=20)])

    @book.tool(effect="read")
    async def rate() -> Result[int]:
        """Use when: the rate is asked for. Not for: accounts. Needs: nothing. Effect: none."""
        return Result("The rate is 3.", 3)

    @book.tool(effect="write")
    async def note(account: AccountId, text: str, call: Call) -> Result[None]:
        """Use when: something is to be noted. Not for: payments. Needs: account from accounts. Effect: adds a note."""
        await call.state.set("last_note", text)
        happened(f"note {text}")
        return Result("Noted.", diff=[Change("Note", None, text)])

    @book.tool(effect="irreversible", requires="pay")
    async def pay(account: AccountId, amount: int, call: Call) -> Result[None]:
        """Use when: money is to be paid. Not for: notes. Needs: account from accounts. Effect: pays for good."""
        happened(f"pay {amount}")
        return Result("Paid.", diff=[Change("Balance", "10", str(10 - amount))])

    @pay.plan
    async def preview(account: AccountId, amount: int) -> Plan:
        return Plan(f"Pay {amount} from {account}?", [Change("Balance", "10", str(10 - amount))])

    return Assistant("book", instructions="You keep a book.", toolboxes=[book], limits=Limits(attempts=1))


def answer(request: Request) -> Entry:
    """The whole conversation, decided by what the request's history holds, so that it can be taken up anywhere."""
    history = request.body["messages"]
    said = [block["text"] for message in history if message["role"] == "user" for block in message["content"] if block["type"] == "text"]
    if said[-1] == "continue":
        return "All is well."
    results = sum(block["type"] == "tool_result" for message in history for block in message["content"])
    match results:
        case 0:
            return ("Let me look. ", ToolUse("accounts", {}), ToolUse("rate", {}))
        case 2:
            return (
                ToolUse("note", {"account": "acc-1", "text": "first"}),
                ToolUse("note", {"account": "acc-2", "text": "second"}),
                ToolUse("pay", {"account": "acc-1", "amount": 5}),
            )
        case _:
            return "Noted twice, and paid."


def effects(world: Path) -> list[str]:
    """What has really happened."""
    return world.read_text(encoding="utf-8").splitlines() if world.exists() else []
