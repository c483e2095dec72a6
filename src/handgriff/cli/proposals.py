"""`proposals ls|show|confirm|decline`: a person decides what a model only proposed."""

from typing import Annotated

import typer

from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.opening import Stage, staged
from handgriff.cli.output import moment, print_fields, print_json, print_table, terminal
from handgriff.cli.records import item_record, proposal_record
from handgriff.cli.render import Renderer
from handgriff.core.events import Item, TurnEnded
from handgriff.core.proposal import parked
from handgriff.core.refusal_codes import exit_code
from handgriff.core.rows import Proposal

_Id = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The proposal's id.", show_default=False)]
_Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only those of this session.", show_default=False)]


async def ls(given: Given, *, session: _Session = None) -> int:
    """List what waits for the caller's decision, oldest first."""
    async with staged(given) as stage:
        found = await stage.host.proposals.list(stage.caller, session=session)
    if given.as_json:
        print_json([proposal_record(proposal) for proposal in found])
    else:
        rows = [(proposal.id, proposal.tool, moment(proposal.expires_at), proposal.summary) for proposal in found]
        print_table(("PROPOSAL", "TOOL", "EXPIRES", "SUMMARY"), rows)
    return DONE


async def show(given: Given, *, proposal: _Id) -> int:
    """Show a proposal: what would happen, with exactly which arguments, and what became of it."""
    async with staged(given) as stage:
        found = await stage.host.proposals.get(stage.caller, proposal)
    if given.as_json:
        print_json(proposal_record(found))
    else:
        _print_whole(found, stage.caller.locale)
    return DONE


async def confirm(given: Given, *, proposal: _Id) -> int:
    """Confirm a proposal: everything is checked again, it runs once, and the turn goes on to its end."""
    async with staged(given) as stage:
        return await _decide(given, stage, proposal, approved=True)


async def decline(given: Given, *, proposal: _Id) -> int:
    """Decline a proposal: nothing is done, and the turn goes on to its end."""
    async with staged(given) as stage:
        return await _decide(given, stage, proposal, approved=False)


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "ls", "handgriff proposals ls shop:host --as acme/ada")(ls)
    command(app, "show", "handgriff proposals show shop:host p_17 --as acme/ada")(show)
    command(app, "confirm", "handgriff proposals confirm shop:host p_17 --as acme/ada")(confirm)
    command(app, "decline", "handgriff proposals decline shop:host p_17 --as acme/ada")(decline)


async def _decide(given: Given, stage: Stage, proposal: str, *, approved: bool) -> int:
    host, caller = stage.host, stage.caller
    renderer = Renderer(terminal(), locale=caller.locale)
    found = await host.proposals.get(caller, proposal)
    session = await host.sessions.get(caller, found.session)
    decided = await host.proposals.decide(caller, proposal, approved)
    waiting: list[Item] = []
    async for item in host.follow(caller, session.id, after=(session.head, 0)):
        if given.as_json:
            print_json(item_record(item))
        else:
            renderer.render(item)
        waiting = [item] if isinstance(item.body, TurnEnded) and item.body.parked else []
    if given.as_json:
        print_json({"type": "decided", **proposal_record(decided.proposal)})
    else:
        _print_next(given, renderer, waiting)
    # That it was declined is what declining asked for.
    return DONE if not approved and decided.outcome.code == "declined" else exit_code(decided.outcome.code)


def _print_next(given: Given, renderer: Renderer, waiting: list[Item]) -> None:
    for item in waiting:
        for call in item.body.parked if isinstance(item.body, TurnEnded) else ():
            renderer.proposal_card(call)
            print_fields([("confirm", f"handgriff proposals confirm {given.again(call.proposal)}")])


def _print_whole(proposal: Proposal, locale: str) -> None:
    Renderer(terminal(), locale=locale).proposal_card(parked(proposal))
    print_fields(
        [
            ("proposal", proposal.id),
            ("state", proposal.state),
            ("tool", proposal.tool),
            ("arguments", proposal.arguments),
            ("count", None if proposal.count is None else str(proposal.count)),
            ("sample", ", ".join(proposal.sample)),
            ("session", proposal.session),
            ("created", moment(proposal.created_at)),
            ("decided", moment(proposal.decided_at)),
            ("by", proposal.decided_by),
        ]
    )
