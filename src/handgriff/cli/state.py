"""`state show|set|delete`: what a session remembers, for the operator. A change is an event that says who made it.

An operator is whoever may open the host's store; --as names the tenant and, in the event, who changed it.
"""

import sys
from typing import Annotated

import typer

from handgriff.cli.faults import DONE, WrongUse
from handgriff.cli.given import Given, command
from handgriff.cli.inert import inert_json
from handgriff.cli.opening import hosted
from handgriff.cli.output import print_fields, print_json, print_table
from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonError

_Session = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.", show_default=False)]
_Key = Annotated[str, typer.Argument(metavar="KEY", help="The key: name, user:name or app:name.", show_default=False)]
_Value = Annotated[str, typer.Argument(metavar="JSON", help="The value; - reads it from stdin.", show_default=False)]


async def show(given: Given, *, session: _Session) -> int:
    """Show what a session sees: app:, user: and its own keys."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        values = await host.state.get(tenant, session)
    if given.as_json:
        print_json(values)
    else:
        print_table(("KEY", "VALUE"), [(key, inert_json(value)) for key, value in sorted(values.items())])
    return DONE


async def set_key(given: Given, *, session: _Session, key: _Key, value: _Value) -> int:
    """Put a JSON value. Text stands in quotes, which the shell must leave alone: '"text"'. A value like -5 comes last, behind --."""
    read = _read(sys.stdin.read() if value == "-" else value)
    async with hosted(given) as host:
        tenant, user = given.principal()
        await host.state.set(tenant, session, key, read, by=user)
    if given.as_json:
        print_json({"session": session, "key": key, "value": read})
    else:
        print_fields([("session", session), ("set", key), ("value", inert_json(read))])
    return DONE


async def delete(given: Given, *, session: _Session, key: _Key) -> int:
    """Remove a key."""
    async with hosted(given) as host:
        tenant, user = given.principal()
        await host.state.delete(tenant, session, key, by=user)
    if given.as_json:
        print_json({"session": session, "deleted": key})
    else:
        print_fields([("session", session), ("deleted", key)])
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "show", "handgriff state show shop:host s_17 --as acme/ops")(show)
    command(
        app,
        "set",
        """handgriff state set shop:host s_17 user:name '"Ada"' --as acme/ops""",
        "handgriff state set shop:host s_17 balance --as acme/ops -- -5",
    )(set_key)
    command(app, "delete", "handgriff state delete shop:host s_17 user:name --as acme/ops")(delete)


def _read(text: str) -> Json:
    try:
        return jsontext.loads(text)
    except JsonError as error:
        raise WrongUse(f"The value is no JSON: {error}. Text needs its quotes, which the shell must leave alone: '\"text\"'.") from error
