"""`call`: one call through the boundary, typed by a person."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from handgriff.cli.catalogue import word
from handgriff.cli.given import Given, command
from handgriff.cli.inert import inert, inert_json, one_line
from handgriff.cli.opening import staged
from handgriff.cli.output import print_fields, print_json, terminal
from handgriff.cli.records import outcome_record
from handgriff.cli.render import Renderer
from handgriff.cli.words import how_in_words, ways
from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.outcome import Outcome
from handgriff.core.refusal_codes import exit_code
from handgriff.core.rows import Proposal
from handgriff.host.host import CALLS_ALIAS

_SAID_ALREADY = frozenset({"refused", "message", "next", "proposal", "confirm"})


async def call(
    given: Given,
    *,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's exact name.", show_default=False)],
    args: Annotated[str, typer.Option("--args", metavar="JSON", help="Its arguments, a JSON object; - reads them from stdin.")] = "{}",
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help=f"The session it belongs to; the caller's own for calls, {CALLS_ALIAS}, by default."),
    ] = None,
) -> int:
    """Call one tool, through every check. What a person must confirm is proposed and answered as unconfirmed.

    Without --session all calls of one caller belong to one session of theirs, with the alias `:calls`: what they remember, and where their
    workflows stand, lasts from one call to the next.
    """
    text = sys.stdin.read() if args == "-" else args
    async with staged(given) as stage:
        place = session or (await stage.host.sessions.open(stage.caller, CALLS_ALIAS)).id
        outcome = await stage.host.call(stage.caller, tool, text, session=place)
        held = outcome_record(outcome).get("proposal")
        proposal = await stage.host.proposals.get(stage.caller, held) if isinstance(held, str) else None
        locale = stage.caller.locale
    if given.as_json:
        print_json({**outcome_record(outcome), "session": place})
        return exit_code(outcome.code)
    if outcome.code is None:
        _print_done(outcome, locale)
    else:
        _print_refused(outcome)
        if proposal is not None:
            _print_proposal(given, proposal, locale)
    if session is None:
        print_fields([("session", place)])
    return exit_code(outcome.code)


def attach(app: typer.Typer) -> None:
    """Make it a command of *app*."""
    command(
        app,
        "call",
        "handgriff call shop:assistant list_orders --dev",
        """handgriff call shop:host cancel_order --args '{"order": "o_17"}' --as acme/ada""",
    )(call)


def _print_done(outcome: Outcome, locale: str) -> None:
    console = terminal()
    console.print(Text(inert(outcome.shown.summary)), soft_wrap=True)
    Renderer(console, locale=locale).shown(outcome.shown)
    if outcome.moved is not None:
        Renderer(console, locale=locale).moved(outcome.moved)
    if outcome.data is not None:
        console.print(Text(_readable(jsontext.loads(outcome.data))), soft_wrap=True)


def _print_refused(outcome: Outcome) -> None:
    told = outcome_record(outcome)
    terminal().print(Text.assemble((f"{outcome.code}: ", "red"), inert(str(told.get("message", "")))), soft_wrap=True)
    print_fields((name, _readable(fact)) for name, fact in told.items() if name not in _SAID_ALREADY)
    if outcome.next:
        print_fields([("next", outcome.next)])


def _print_proposal(given: Given, proposal: Proposal, locale: str) -> None:
    """Who confirms it, and how."""
    print_fields([("proposal", proposal.id), ("confirmed by", how_in_words(proposal.confirm, locale))])
    if proposal.confirm == "code":
        print_fields([("code", word("code_sent" if proposal.code is not None else "code_unsent", locale))])
    print_fields(ways(given, proposal.id, proposal.confirm))


def _readable(value: Json) -> str:
    """Texts as they are, alone, in a list or by name; anything else as JSON."""
    match value:
        case str():
            return inert(value)
        case dict() if value and all(isinstance(item, str) for item in value.values()):
            return "; ".join(one_line(f"{name}: {item}") for name, item in value.items())
        case list() if value and all(isinstance(item, str) for item in value):
            return ", ".join(one_line(str(item)) for item in value)
        case _:
            return inert_json(value)
