"""`sessions fork|rewind|export`: a conversation copied, cut back, or written out whole.

Below is the host; above, the group of commands on sessions. A rewind removes for good, so it is asked for once more.
"""

from collections.abc import Sequence
from typing import Annotated, Final

import typer
from anyio.from_thread import start_blocking_portal

from handgriff.cli.asking import Yes, check_can_ask, is_agreed, left
from handgriff.cli.export import event_line, scratch_line, session_line, state_line
from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.opening import Stage, staged
from handgriff.cli.output import moment, print_fields, print_json, print_table
from handgriff.cli.records import effect_record, session_record
from handgriff.core.rows import Effect
from handgriff.host.branches import Rewound

STAYS: Final = ("app:", "user:", "scratch", "effects")
"""What a rewind does not touch."""
_WINDOW: Final = 500
"""Events read at once."""

_Id = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.", show_default=False)]
_Seq = Annotated[int, typer.Argument(metavar="SEQ", help="The last event that stays.", show_default=False)]


async def fork(
    given: Given,
    *,
    session: _Id,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", help="The last event to copy; all by default.", show_default=False)
    ] = None,
    alias: Annotated[str | None, typer.Option("--alias", metavar="TEXT", help="An id of your own for it.", show_default=False)] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Its title; the old one's by default.")] = None,
) -> int:
    """Make a new session that begins as a copy of this one. Proposals, effects and scratch stay with the old one."""
    async with staged(given) as stage:
        new = await stage.host.sessions.fork(stage.caller, session, at=at, alias=alias, title=title)
    if given.as_json:
        print_json(session_record(new))
    else:
        print_fields([("session", new.id), ("forked from", session), ("title", new.title), ("alias", new.alias)])
    return DONE


def rewind(given: Given, *, session: _Id, seq: _Seq, yes: Yes = False) -> int:
    """Remove what came after an event, and what it changed of the session's state. What happened in the world stays and is listed."""
    check_can_ask(yes=yes)
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(staged(given)) as stage:
        happened = portal.call(_happened, stage, session, seq)
        if not given.as_json:
            _print_staying(happened)
        if not is_agreed(f"Remove everything of {session} after event {seq}?", yes=yes, as_json=given.as_json):
            return left(given, "rewound_to")
        rewound = portal.call(_rewound, stage, session, seq)
    if given.as_json:
        effects = [effect_record(effect) for effect in rewound.effects]
        print_json({**session_record(rewound.session), "rewound_to": seq, "stays": list(STAYS), "effects": effects})
    else:
        print_fields([("session", rewound.session.id), ("rewound to", str(seq))])
    return DONE


async def export(given: Given, *, session: _Id) -> int:
    """Write a session out as JSON Lines: its row, each event with how state changed, then its state and scratch records."""
    async with staged(given) as stage:
        sessions, caller = stage.host.sessions, stage.caller
        found = await sessions.get(caller, session)
        records = await stage.host.scratch.list(found.tenant, session=found.id)
        print_json(session_line(found))
        after = 0
        while events := await sessions.events(caller, session, after=after, limit=_WINDOW):
            for event in events:
                print_json(event_line(event))
            after = events[-1].seq
        print_json(state_line(await sessions.state(caller, session)))
        for record in records:
            print_json(scratch_line(record))
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "export", "handgriff sessions export shop:host s_17 --as acme/ada > s_17.jsonl")(export)
    command(app, "fork", "handgriff sessions fork shop:host s_17 --as acme/ada --at 12 --title 'Another way'")(fork)
    command(app, "rewind", "handgriff sessions rewind shop:host s_17 12 --as acme/ada --yes")(rewind)


async def _happened(stage: Stage, session: str, seq: int) -> Sequence[Effect]:
    return await stage.host.sessions.happened(stage.caller, session, after=seq)


async def _rewound(stage: Stage, session: str, seq: int) -> Rewound:
    return await stage.host.sessions.rewind(stage.caller, session, seq)


def _print_staying(happened: Sequence[Effect]) -> None:
    print_fields([("stays as it is", "app: and user: keys, scratch records, and what happened in the world after that event")])
    print_table(
        ("EFFECT", "TOOL", "STATE", "SETTLED"),
        [(effect.key, effect.tool, effect.state, moment(effect.settled_at)) for effect in happened],
    )
