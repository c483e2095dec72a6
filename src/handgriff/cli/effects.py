"""`effects ls|show|resolve`: what an operator sees and decides of calls that changed the world.

An operator is whoever may open the host's store; --as names the tenant and, in the record, who decided.
"""

from typing import Annotated, Final, Literal

import typer

from handgriff.cli.faults import DONE
from handgriff.cli.given import Given, command
from handgriff.cli.opening import hosted, locale_of
from handgriff.cli.output import moment, print_fields, print_json, print_table, working
from handgriff.cli.records import effect_record
from handgriff.cli.words import state_in_words
from handgriff.core.claim import read_outcome
from handgriff.core.rows import Effect, EffectState

_IN_TRANSACTION: Final = "transaction: what it writes is committed with its outcome, or not at all"
_OUTSIDE: Final = "it leaves the database: without an outcome nobody knows"
_RESOLVED: Final = "it recorded what you say. Nothing was run, repeated or taken back; the model is told with the next message."

_Tool = Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name.", show_default=False)]
_Key = Annotated[str, typer.Argument(metavar="KEY", help="The effect's key.", show_default=False)]
_Became = Annotated[Literal["done", "failed"], typer.Argument(metavar="done|failed", help="What became of it.", show_default=False)]


async def ls(
    given: Given,
    *,
    state: Annotated[EffectState | None, typer.Option("--state", help="Only those in this state.", show_default=False)] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only those of this session.", show_default=False)] = None,
) -> int:
    """List a tenant's effect records, oldest first. What is uncertain is asked about first, where its tool can say what became of it."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        with working("Finding out what became of what is uncertain"):
            found = await host.effects.list(tenant, session=session, state=state)
        locale = await locale_of(host, given)
    if given.as_json:
        print_json([effect_record(effect) for effect in found])
    else:
        rows = [(each.key, each.tool, each.state, moment(each.claimed_at), each.user, state_in_words(each.state, locale)) for each in found]
        print_table(("KEY", "TOOL", "STATE", "CLAIMED", "USER", "IN WORDS"), rows)
    return DONE


async def show(given: Given, *, tool: _Tool, key: _Key) -> int:
    """Show one effect record: with which arguments, how far it came, and what is known of it."""
    async with hosted(given) as host:
        tenant, _ = given.principal()
        with working("Finding out what became of it"):
            found = await host.effects.get(tenant, tool, key)
        _print_effect(given, found, await locale_of(host, given))
    return DONE


async def resolve(given: Given, *, tool: _Tool, key: _Key, state: _Became) -> int:
    """Say what became of an uncertain effect. Nothing is run, repeated or taken back: the record, the proposal and, with the next message,
    the model are told what you say."""
    async with hosted(given) as host:
        tenant, user = given.principal()
        with working("Finding out what became of it"):
            resolved = await host.effects.resolve(tenant, tool, key, state, by=user)
        _print_effect(given, resolved, await locale_of(host, given))
    if not given.as_json:
        print_fields([("what this did", _RESOLVED)])
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "ls", "handgriff effects ls shop:host --as acme/ops --state indeterminate")(ls)
    command(app, "show", "handgriff effects show shop:host cancel_order c_17 --as acme/ops")(show)
    command(app, "resolve", "handgriff effects resolve shop:host cancel_order c_17 done --as acme/ops")(resolve)


def _print_effect(given: Given, effect: Effect, locale: str) -> None:
    if given.as_json:
        print_json(effect_record(effect))
        return
    result = None if effect.result is None else read_outcome(effect.result)
    print_fields(
        [
            ("tool", effect.tool),
            ("key", effect.key),
            ("state", f"{effect.state}: {state_in_words(effect.state, locale)}"),
            ("arguments", effect.arguments),
            ("certainty", _IN_TRANSACTION if effect.transaction else _OUTSIDE),
            ("user", effect.user),
            ("session", effect.session),
            ("call", effect.call),
            ("claimed", moment(effect.claimed_at)),
            ("lease until", moment(effect.lease_until)),
            ("settled", moment(effect.settled_at)),
            ("fires", None if effect.fires is None else f"{effect.fires.machine} {effect.fires.handle} {effect.fires.event}".rstrip()),
            ("resolved by", effect.resolved_by),
            ("steps", ", ".join(name for name, _ in effect.steps)),
            ("result", result.shown.summary if result else None),
            ("refused", result.code if result else None),
            ("proposal", effect.proposal),
        ]
    )
