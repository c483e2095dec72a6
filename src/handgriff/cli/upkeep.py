"""`gc`, `erase` and `migrate`: what an operator does with what has grown old, must go, or is of an earlier version.

Below is the host; above, the shell. None of them asks who somebody is: an operator is whoever may open the store.
"""

from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal

from handgriff.cli.asking import Yes, check_can_ask, is_agreed, left
from handgriff.cli.durations import read_duration
from handgriff.cli.faults import DONE, WrongUse
from handgriff.cli.given import STORE, Given, command
from handgriff.cli.opening import check_host, hosted
from handgriff.cli.output import print_fields, print_json, working
from handgriff.cli.target import find_target
from handgriff.host.adapters import Migrated, migrate_store
from handgriff.host.host import Host
from handgriff.host.upkeep import Erased

_Tenant = Annotated[str | None, typer.Option("--tenant", metavar="TENANT", help="Of this tenant; of all by default.", show_default=False)]
_Whose = Annotated[str, typer.Option("--tenant", metavar="TENANT", help="Whose data goes.", show_default=False)]
_User = Annotated[str | None, typer.Option("--user", metavar="USER", help="Only this user's; the whole tenant's by default.")]
_Idle = Annotated[
    str | None, typer.Option("--idle", metavar="TIME", help="Also delete sessions idle that long: 14d, 36h, P14D.", show_default=False)
]


async def collect(given: Given, *, idle: _Idle = None, tenant: _Tenant = None) -> int:
    """Remove expired scratch records and, with --idle, sessions in which nothing happened for that long. Ledger rows stay."""
    longest = None if idle is None else read_duration("--idle", idle)
    async with hosted(given) as host:
        with working("Collecting"):
            collected = await host.collect(tenant=tenant, idle=longest)
    if given.as_json:
        print_json({"records": collected.records, "sessions": collected.sessions, "effects": collected.effects})
    else:
        told = {
            "scratch records removed": collected.records,
            "sessions deleted": collected.sessions,
            "old effect records removed": collected.effects,
        }
        print_fields([(what, str(number)) for what, number in told.items()])
    return DONE


def erase(given: Given, *, tenant: _Whose, user: _User = None, yes: Yes = False) -> int:
    """Remove everything of a tenant, or of one of its users, for good. Ledger rows stay, under a pseudonym."""
    check_can_ask(yes=yes)
    whose = f"tenant {tenant}" if user is None else f"user {user} of tenant {tenant}"
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(hosted(given)) as host:
        if not is_agreed(f"Erase everything of {whose}?", yes=yes, as_json=given.as_json):
            return left(given, "pseudonym")
        with working("Erasing"):
            erased = portal.call(host.erase, tenant, user)
    _print_erased(given, erased)
    return DONE


async def migrate(given: Given) -> int:
    """Bring a store to the newest schema: that of a host, or the one --store names. A newer one than this version knows is refused."""
    with working("Migrating"):
        migrated = await _migrated(given)
    if given.as_json:
        print_json({"store": migrated.store, "from": migrated.before, "to": migrated.after})
    elif migrated.before == migrated.after:
        kept = f"schema {migrated.after} is the newest" if migrated.after else "such a store keeps no schema"
        print_fields([("store", migrated.store), ("nothing to do", kept)])
    else:
        print_fields([("store", migrated.store), ("migrated", f"from schema {migrated.before} to {migrated.after}")])
    return DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "gc", "handgriff gc shop:host", "handgriff gc shop:host --idle 14d --tenant acme")(collect)
    command(app, "erase", "handgriff erase shop:host --tenant acme --user ada")(erase)
    command(
        app,
        "migrate",
        "handgriff migrate shop:host",
        "handgriff migrate --store postgresql://localhost/shop",
        needs_target=False,
    )(migrate)


async def _migrated(given: Given) -> Migrated:
    if not given.target:
        if given.store is None:
            raise WrongUse("Say which store: that of a host, TARGET, or --store NAME.")
        return await migrate_store(given.store)
    target = find_target(given.target)
    if isinstance(target, Host):
        check_host(given)
        return await target.migrate()
    if not given.dev:
        raise WrongUse(f"TARGET {given.target!r} is an assistant, which has no store. Add --dev, name a Host, or give --store alone.")
    return await migrate_store(given.store or STORE)


def _print_erased(given: Given, erased: Erased) -> None:
    if given.as_json:
        print_json({"tenant": erased.tenant, "user": erased.user, "pseudonym": erased.pseudonym, "sessions": erased.sessions})
        return
    print_fields(
        [
            ("tenant", erased.tenant),
            ("user", erased.user),
            ("sessions erased", str(erased.sessions)),
            ("ledger rows stay under", erased.pseudonym),
        ]
    )
