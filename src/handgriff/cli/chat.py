"""`chat`: a conversation in the terminal, with plan, diff and confirmation.

    main thread:   read a line -> wait for the turn (Ctrl-C stops it) -> ask about each proposal -> follow what goes on -> read a line …
    its portal:    the host, its turns, and the drawing of what they yield

The two are apart so that a person's typing never holds up the event loop, and Ctrl-C is an exception only where it can be answered.
"""

from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal

from handgriff.cli.conversation import Conversation
from handgriff.cli.faults import DONE, REFUSED
from handgriff.cli.given import Given, command
from handgriff.cli.lines import Lines
from handgriff.cli.opening import Stage, staged
from handgriff.cli.output import terminal
from handgriff.cli.screen import JsonScreen, Screen, TextScreen
from handgriff.core.rows import Session


def chat(
    given: Given,
    *,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Go on with this session.", show_default=False)] = None,
) -> int:
    """Talk with an assistant. Ctrl-C stops an answer, Ctrl-D leaves. Piped in, each line is a message or answers a question."""
    console = terminal()
    lines = Lines(console, is_quiet=given.as_json)
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(staged(given)) as stage:
        screen: Screen = JsonScreen() if given.as_json else TextScreen(console, stage.caller.locale, given)
        found = portal.call(_found, stage, session)
        conversation = Conversation(portal, stage, found.id, screen, lines, (found.head, 0))
        screen.session(found.id)
        conversation.take_up()
        while (text := conversation.listen()) is not None:
            conversation.say(text)
        screen.farewell(found.id)
    return REFUSED if conversation.has_failed and not lines.is_typed else DONE


def attach(app: typer.Typer) -> None:
    """Make it a command of *app*."""
    command(
        app,
        "chat",
        "handgriff chat shop:assistant --dev --as acme/ada --can orders.cancel",
        "handgriff chat shop:host --as acme/ada --session s_17",
    )(chat)


async def _found(stage: Stage, session: str | None) -> Session:
    sessions = stage.host.sessions
    return await sessions.create(stage.caller) if session is None else await sessions.get(stage.caller, session)
