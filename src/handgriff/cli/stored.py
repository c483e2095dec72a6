"""`workflow ls|move`: what an operator sees of the instances that are in the store, and moves out of it.

Below is the host; above, the shell. An operator is whoever may open the store; --as names the tenant.
"""

import typer

from handgriff.cli.faults import DONE, REFUSED
from handgriff.cli.given import Given, command
from handgriff.cli.opening import hosted
from handgriff.cli.output import moment, print_fields, print_json, print_table, working
from handgriff.cli.standing import holder
from handgriff.core.jsontext import Json
from handgriff.core.machine.plain import brief
from handgriff.core.rows import Workflow
from handgriff.core.workflow import words_of
from handgriff.host.host import Host


async def ls(given: Given) -> int:
    """List a tenant's workflows that are in the store, those of machines too that nobody knows any more. Exit code 1 where there are
    such."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        found = await host.workflows.list(tenant)
        told = {id(row): _told(host, row) for row in found}
    if given.as_json:
        print_json([{**_record(row), "known": not told[id(row)]} for row in found])
    else:
        rows = [
            (each.machine, each.handle, brief(words_of(each.snapshot)), moment(each.created_at), holder(each), told[id(each)])
            for each in found
        ]
        print_table(("MACHINE", "HANDLE", "STATE", "BEGUN", "HELD BY", "IN WORDS"), rows)
    return REFUSED if any(told.values()) else DONE


async def move(given: Given) -> int:
    """Move a tenant's workflows out of the store to where the host keeps them: its snapshots=. Stop every host that keeps them in the store
    before. Exit code 1 where some had to stay."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        with working("Moving"):
            done = await host.workflows.move(tenant)
    if given.as_json:
        print_json({"moved": done.moved, "left": [_record(row) for row in done.left]})
    else:
        held = [(f"left: {row.machine} {row.handle}", holder(row) or "there is another one already") for row in done.left]
        print_fields([("moved", str(done.moved)), *held])
    return REFUSED if done.left else DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "ls", "handgriff workflow ls shop:host --as acme/ops")(ls)
    command(app, "move", "handgriff workflow move shop:host --as acme/ops")(move)


def _told(host: Host, row: Workflow) -> str:
    machines = host.assistant.machines.values()
    return "" if any(row.machine in machine.ids for machine in machines) else f"no tool is bound to it; say formerly=({row.machine!r},)"


def _record(row: Workflow) -> dict[str, Json]:
    return {"machine": row.machine, "handle": row.handle, "state": words_of(row.snapshot), "session": row.session, "held_by": holder(row)}
