"""A till to try decisions on from the command line: payments that need a code, a closing that needs a second person, and a bank outside.

Copied into a test's folder as `till.py` for processes, or named as it is within the test's own. The world is in files of the working
folder and in the environment, so that a test can change it while a proposal waits.
"""

import os
import signal
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from handgriff import Assistant, Call, Caller, Change, Host, Plan, Refusal, Result, Toolbox
from handgriff.host.system import SystemClock
from handgriff.models.scripted import Say, ScriptedModel, Use

STORE = "sqlite:///till.db"
CLERKS = {"ada": "en", "bob": "de", "cleo": "fr"}
OTHERS = {("acme", "dan"), ("globex", "ada"), ("globex", "eve")}
box = Toolbox("till")


class Later(SystemClock):
    """The machine's clock, TILL_LATER seconds ahead."""

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=int(os.environ.get("TILL_LATER", "0")))


class CodesFile:
    """What each user's telephone has received, in a file of the working folder."""

    async def send(self, caller: Caller, text: str) -> None:
        if "TILL_SILENT" in os.environ:
            raise ConnectionError(f"no line for {text}")
        note(f"{caller.tenant}/{caller.user}: {text}", "codes.txt")


def note(line: str, name: str = "bank.txt") -> None:
    """It has happened."""
    with Path(name).open("a") as file:
        file.write(f"{line}\n")


def happened() -> list[str]:
    return Path("bank.txt").read_text().splitlines() if Path("bank.txt").exists() else []


def die() -> None:
    """A crash right after it has happened."""
    if "TILL_DIES" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)


def balance() -> int:
    return int(os.environ.get("TILL_BALANCE", "100"))


@box.tool(effect="irreversible", requires="pay", confirm="code")
async def pay(amount: int, to: str, call: Call[None]) -> Result[None]:
    """Use when: money must go out. Not for: orders. Needs: both. Effect: pays for good."""
    note(f"pay {amount} to {to}")
    return Result(f"Paid {amount}.")


@pay.plan
async def draft(amount: int, to: str, call: Call[None]) -> Plan:
    change = Change("Balance", f"{balance()} €", f"{balance() - amount} €", raw=(balance(), balance() - amount))
    return Plan(f"Pay {amount} to {to}?", [change], count=1200, sample=["invoice 1", "invoice \x1b[2J2"])


@box.tool(effect="irreversible", requires="pay", confirm="second_person")
async def close_till(reason: str, call: Call[None]) -> Result[None]:
    """Use when: the till closes. Not for: pauses. Needs: a reason. Effect: closes it for good."""
    assert call.proposal is not None
    note(f"close for {reason}: {call.caller.user}, {call.proposal.decided_by}")
    return Result("Closed.")


@close_till.plan
async def foresee(reason: str, call: Call[None]) -> Plan:
    return Plan(f"Close the till for {reason}?")


@box.tool(effect="irreversible", requires="pay")
async def transfer(amount: int, call: Call[None]) -> Result[None]:
    """Use when: money moves between accounts. Not for: payments. Needs: an amount. Effect: moves it for good."""
    note(f"transfer {call.idempotency_key}")
    die()
    return Result(f"Moved {amount}.")


@transfer.plan
async def show_transfer(amount: int, call: Call[None]) -> Plan:
    return Plan(f"Move {amount}?", [Change("Balance", f"{balance()} €", f"{balance() - amount} €", raw=(balance(), balance() - amount))])


@transfer.reconcile
async def ask_the_bank(args: Any, call: Call[None]) -> Result[None] | Refusal | None:
    if "TILL_BANK_AWAY" in os.environ:
        return None
    is_booked = f"transfer {call.idempotency_key}" in happened()
    return Result(f"The bank has moved {args.amount}.") if is_booked else Refusal("transient", "The bank has moved nothing.")


@box.tool(effect="irreversible", requires="pay")
async def send_parcel(to: str, call: Call[None]) -> Result[None]:
    """Use when: a parcel must go. Not for: letters. Needs: a name. Effect: it is gone."""
    note(f"parcel to {to}")
    die()
    return Result("Sent.")


@send_parcel.plan
async def show_parcel(to: str, call: Call[None]) -> Plan:
    return Plan(f"Send a parcel to {to}?")


@box.tool(effect="write", transaction=True)
async def book(cents: int, call: Call[None]) -> Result[None]:
    """Use when: something is booked. Not for: payments. Needs: cents. Effect: a row."""
    async with call.transaction() as connection:
        assert isinstance(connection, sqlite3.Connection)
        connection.execute("CREATE TABLE IF NOT EXISTS till_book (cents integer NOT NULL)")
        connection.execute("INSERT INTO till_book VALUES (?)", (cents,))
    return Result(f"Booked {cents}.")


async def load_caller(tenant: str, user: str) -> Caller | None:
    if tenant == "acme" and user in CLERKS:
        has_right = user not in os.environ.get("TILL_WITHOUT", "").split()
        return Caller(tenant, user, permissions=frozenset({"pay"} if has_right else ()), locale=CLERKS[user])
    return Caller(tenant, user, permissions=frozenset({"pay"} if tenant == "globex" else ())) if (tenant, user) in OTHERS else None


assistant = Assistant("till", instructions="You keep a till.", toolboxes=[box])
host = Host(assistant, store=STORE, callers=load_caller, model="scripted:till", codes=CodesFile(), clock=Later())
several = Host(
    assistant,
    store="sqlite:///several.db",
    callers=load_caller,
    model="scripted:several",
    models=[
        ScriptedModel(
            [
                (Use("close_till", {"reason": "holiday"}), Use("pay", {"amount": 10, "to": "acc-2"}), Use("transfer", {"amount": 5})),
                Say("{summary}"),
                Say("{summary}"),
            ]
        )
    ],
    codes=CodesFile(),
    clock=Later(),
)
