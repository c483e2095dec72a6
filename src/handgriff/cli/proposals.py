"""`proposals ls|show|confirm|decline|code`: a person decides what a model only proposed."""

from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal

from handgriff.cli.deciding import Deciding
from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.opening import staged
from handgriff.cli.output import moment, print_fields, print_json, print_table
from handgriff.cli.records import proposal_record
from handgriff.cli.words import how_in_words, state_in_words
from handgriff.core.catalogue import say
from handgriff.core.proposal import parked
from handgriff.core.rows import Proposal

_Id = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The proposal's id.", show_default=False)]
_Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only those of this session.", show_default=False)]


async def ls(given: Given, *, session: _Session = None) -> int:
    """List what waits for the caller's decision, oldest first: their own, and what others ask for and they may confirm."""
    async with staged(given) as stage:
        found = await stage.host.proposals.list(stage.caller, session=session)
        locale = stage.caller.locale
    if given.as_json:
        print_json([proposal_record(proposal) for proposal in found])
    else:
        rows = [
            (each.id, each.tool, each.user, how_in_words(each.confirm, locale), moment(each.expires_at), each.summary) for each in found
        ]
        print_table(("PROPOSAL", "TOOL", "ASKED BY", "HOW", "EXPIRES", "SUMMARY"), rows)
    return DONE


async def show(given: Given, *, proposal: _Id) -> int:
    """Show a proposal: what would happen, with exactly which arguments, who must confirm, and what became of it."""
    async with staged(given) as stage:
        deciding = Deciding(given, stage)
        found = await deciding.found(proposal)
    if given.as_json:
        print_json(proposal_record(found))
    else:
        deciding.renderer.proposal_card(parked(found), asked_by=None if found.user == stage.caller.user else found.user)
        _print_facts(found, stage.caller.locale)
    return DONE


def confirm(given: Given, *, proposal: _Id) -> int:
    """Confirm a proposal: everything is checked again, it runs once, and the turn goes on to its end. A code is asked for; piped in, it
    is the first line."""
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(staged(given)) as stage:
        return Deciding(given, stage).confirm(portal, proposal)


async def decline(given: Given, *, proposal: _Id) -> int:
    """Decline a proposal, or withdraw one that another person would have to confirm: nothing is done, and the turn goes on to its end."""
    async with staged(given) as stage:
        return await Deciding(given, stage).decline(proposal)


async def code(given: Given, *, proposal: _Id) -> int:
    """Send a new code for a proposal that needs one; the one before is no longer good. It is shown nowhere here."""
    async with staged(given) as stage:
        sent = await Deciding(given, stage).send_code(proposal)
    if given.as_json:
        print_json(proposal_record(sent))
    else:
        print_fields([("proposal", sent.id), ("code", say("card_code_sent", stage.caller.locale))])
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "ls", "handgriff proposals ls shop:host --as acme/ada")(ls)
    command(app, "show", "handgriff proposals show shop:host p_17 --as acme/ada")(show)
    command(
        app,
        "confirm",
        "handgriff proposals confirm shop:host p_17 --as acme/ada",
        "handgriff proposals confirm shop:host p_17 --as acme/bob   # the second person",
    )(confirm)
    command(app, "decline", "handgriff proposals decline shop:host p_17 --as acme/ada")(decline)
    command(app, "code", "handgriff proposals code shop:host p_17 --as acme/ada")(code)


def _print_facts(proposal: Proposal, locale: str) -> None:
    print_fields(
        [
            ("proposal", proposal.id),
            ("state", f"{proposal.state}: {state_in_words(proposal.state, locale)}"),
            ("asked by", proposal.user),
            ("confirmed by", how_in_words(proposal.confirm, locale)),
            ("tool", proposal.tool),
            ("arguments", proposal.arguments),
            ("session", proposal.session),
            ("created", moment(proposal.created_at)),
            ("decided", moment(proposal.decided_at)),
            ("by", proposal.decided_by),
        ]
    )
