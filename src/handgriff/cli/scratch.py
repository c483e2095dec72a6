"""`scratch ls|show|clear|pull`: what tools have noted for a while, for the operator and for whoever debugs.

An operator is whoever may open the host's store; --as names the tenant and, in the session's event, who cleared a record.
"""

from pathlib import Path
from typing import Annotated

import typer

from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.inert import inert_json
from handgriff.cli.opening import hosted
from handgriff.cli.output import moment, print_fields, print_json, print_table
from handgriff.cli.records import scratch_record

_Session = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.", show_default=False)]
_Namespace = Annotated[str, typer.Argument(metavar="NAMESPACE", help="The record's name.", show_default=False)]
_Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files go; made where there is none.", show_default=False)]


async def ls(
    given: Given,
    *,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only those of this session.", show_default=False)] = None,
) -> int:
    """List a tenant's living records."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        found = await host.scratch.list(tenant, session=session)
    if given.as_json:
        print_json([scratch_record(record) for record in found])
    else:
        rows = [(record.session, record.namespace, moment(record.expires_at), str(len(record.values))) for record in found]
        print_table(("SESSION", "NAMESPACE", "EXPIRES", "KEYS"), rows)
    return DONE


async def show(given: Given, *, session: _Session, namespace: _Namespace) -> int:
    """Show one record: its deadline and its values."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        found = await host.scratch.get(tenant, session, namespace)
    if given.as_json:
        print_json(scratch_record(found))
        return DONE
    print_fields([("session", found.session), ("namespace", found.namespace), ("expires", moment(found.expires_at))])
    print_table(("KEY", "VALUE"), [(key, inert_json(value.json())) for key, value in sorted(found.values.items())])
    return DONE


async def clear(given: Given, *, session: _Session, namespace: _Namespace) -> int:
    """Remove one record; the session's event says who did."""
    async with hosted(given) as host:
        tenant, user = given.principal()
        await host.scratch.clear(tenant, session, namespace, by=user)
    if given.as_json:
        print_json({"session": session, "cleared": namespace})
    else:
        print_fields([("session", session), ("cleared", namespace)])
    return DONE


async def pull(given: Given, *, folder: _Folder) -> int:
    """Write a tenant's living records as files to read, FOLDER/TENANT/tmp/state/NAMESPACE_SESSION.json, in place of what stands there."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        paths = await host.scratch.pull(tenant, folder)
    if given.as_json:
        print_json({"files": [str(path) for path in paths]})
    else:
        print_table(("FILE",), [(str(path),) for path in paths])
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "ls", "handgriff scratch ls shop:host --as acme/ops --session s_17")(ls)
    command(app, "show", "handgriff scratch show shop:host s_17 relabeling --as acme/ops")(show)
    command(app, "clear", "handgriff scratch clear shop:host s_17 relabeling --as acme/ops")(clear)
    command(app, "pull", "handgriff scratch pull shop:host ./records --as acme/ops")(pull)
