"""`sessions ls|show|delete`: a caller's conversations. What copies them or cuts them back is in `history`."""

from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal
from rich.text import Text

from handgriff.cli.asking import Yes, check_can_ask, is_agreed, left
from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.inert import inert_json
from handgriff.cli.opening import staged
from handgriff.cli.output import moment, print_fields, print_json, print_table, terminal
from handgriff.cli.records import item_record, session_record
from handgriff.cli.render import Renderer

_Id = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.", show_default=False)]


async def ls(
    given: Given,
    *,
    before: Annotated[
        str | None, typer.Option("--before", metavar="ID", help="Only those older than this one.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=50, help="How many.")] = 50,
    with_state: Annotated[bool, typer.Option("--state", help="Show the own keys of each.")] = False,
) -> int:
    """List the caller's sessions, newest first."""
    async with staged(given) as stage:
        found = await stage.host.sessions.list(stage.caller, before=before, limit=limit)
        states = await stage.host.sessions.states(stage.caller, found) if with_state else {}
    if given.as_json:
        print_json([session_record(session) | ({"state": states[session.id]} if with_state else {}) for session in found])
        return DONE
    rows = [(session.id, moment(session.created_at), str(session.head), session.title or session.alias or "") for session in found]
    if with_state:
        shown = [(*row, inert_json(states[row[0]])) for row in rows]
        print_table(("SESSION", "CREATED", "EVENTS", "TITLE", "STATE"), shown)
    else:
        print_table(("SESSION", "CREATED", "EVENTS", "TITLE"), rows)
    return DONE


async def show(given: Given, *, session: _Id) -> int:
    """Show a session as the conversation it was. Behind # stands the seq of each event, which `fork --at` and `rewind` take."""
    async with staged(given) as stage:
        found = await stage.host.sessions.get(stage.caller, session)
        events = await stage.host.sessions.events(stage.caller, session)
    if given.as_json:
        print_json({**session_record(found), "events": [item_record(event) for event in events]})
        return DONE
    print_fields([("session", found.id), ("created", moment(found.created_at)), ("title", found.title)])
    console = terminal()
    renderer = Renderer(console, locale=stage.caller.locale, replay=True)
    for event in events:
        with console.capture() as drawn:
            renderer.render(event)
        if drawn.get():
            # What is copied or cut back is named by it.
            console.print(Text(f"#{event.seq}", style="dim"))
            console.file.write(drawn.get())
    return DONE


def delete(given: Given, *, session: _Id, yes: Yes = False) -> int:
    """Delete a session with everything of it but its ledger rows. Refused while a turn runs."""
    check_can_ask(yes=yes)
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(staged(given)) as stage:
        portal.call(stage.host.sessions.get, stage.caller, session)
        if not is_agreed(f"Delete session {session} with everything of it?", yes=yes, as_json=given.as_json):
            return left(given, "deleted")
        portal.call(stage.host.sessions.delete, stage.caller, session)
    if given.as_json:
        print_json({"deleted": session})
    else:
        print_fields([("deleted", session)])
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "ls", "handgriff sessions ls shop:host --as acme/ada --limit 10")(ls)
    command(app, "show", "handgriff sessions show shop:host s_17 --as acme/ada")(show)
    command(app, "delete", "handgriff sessions delete shop:host s_17 --as acme/ada --yes")(delete)
