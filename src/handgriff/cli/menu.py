"""`menu`: the tools a caller may use, or may call in a session now."""

from typing import Annotated

import typer

from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.opening import staged
from handgriff.cli.output import print_json, print_table
from handgriff.cli.records import contract_record


async def menu(
    given: Given,
    *,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Only what is callable in this session now.", show_default=False)
    ] = None,
) -> int:
    """List the tools a caller may use."""
    async with staged(given) as stage:
        if session is None:
            contracts = await stage.host.menu(stage.caller)
        else:
            contracts = tuple(tool.contract for tool in await stage.host.workflows.offered(stage.caller, session))
    if given.as_json:
        print_json([contract_record(contract) for contract in contracts])
    else:
        rows = [(contract.name, contract.effect, contract.confirm_word or "", contract.description.use_when) for contract in contracts]
        print_table(("TOOL", "EFFECT", "CONFIRM", "USE WHEN"), rows)
    return DONE


def attach(app: typer.Typer) -> None:
    """Make it a command of *app*."""
    command(app, "menu", "handgriff menu shop:assistant --dev --can orders.cancel", "handgriff menu shop:host --as acme/ada --json")(menu)
