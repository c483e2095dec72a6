"""Whether the demo ended as it should: in the shop's book, at the payment provider, and in what was shown.

It trusts rows and events alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import httpx2

from examples.refunds.books import Book
from examples.refunds.play import Shown
from examples.refunds.script import AGREED, CREDIT, ENDS, LINES, NEWS, REFUNDS, REFUSED
from handgriff import Caller, Host
from handgriff.core.events import CallOutcome, Decision, TurnEnded, UserMessage

Facts = Mapping[str, tuple[object, object]]
"""What each thing is, and what it should be."""


async def complaints_of_book(book: Book) -> tuple[str, ...]:
    """What is not in the shop's book as the conversation should have left it."""
    refunds = await book.rows("SELECT number, cents, state FROM refund ORDER BY number")
    credit = await book.rows("SELECT shop_order, cents, given_by, agreed_by FROM credit ORDER BY id")
    sums = await book.rows("SELECT id, credited FROM shop_order WHERE credited > 0")
    return tuple(
        _wrong(
            {
                "the refunds": (tuple(refunds), REFUNDS),
                "the credit": (tuple(credit), CREDIT),
                "the credit of orders": (tuple(sums), tuple((order, cents) for order, cents, *_ in CREDIT)),
            }
        )
    )


async def complaints_of_provider(provider_url: str) -> tuple[str, ...]:
    """Which charges are too many, too few or too large."""
    async with httpx2.AsyncClient(base_url=provider_url) as provider:
        charges = (await provider.get("/charges")).json()["charges"]
    booked = Counter((charge["key"], charge["cents"]) for charge in charges)
    made = Counter((number, cents) for number, cents, state in REFUNDS if state == "made")
    return tuple(_wrong({"what the provider has booked": (dict(booked), dict(made))}))


def complaints_of_events(shown: Shown) -> tuple[str, ...]:
    """What was not shown as it should have been: how turns ended, what was refused, who agreed, and what was found out later."""
    bodies = [event.body for event in shown.events]
    outcomes = [body for body in bodies if isinstance(body, CallOutcome)]
    told = "\n".join(text for body in bodies if isinstance(body, UserMessage) for text in body.wire)
    clicks = tuple((click.by, click.refused) for line in LINES for click in line.clicks if click.refused)
    return tuple(
        _wrong(
            {
                "how the turns ended": (tuple(body.status for body in bodies if isinstance(body, TurnEnded)), ENDS),
                "what was refused": (tuple((body.tool, body.code) for body in outcomes if body.code and not body.late), REFUSED),
                "which clicks were refused": (tuple(shown.refused_clicks), clicks),
                "who agreed": (tuple(body.by for body in bodies if isinstance(body, Decision) and body.state == "running"), AGREED),
                "what was found out": (tuple(body.shown.summary for body in outcomes if body.late), NEWS),
                "what of it the model was not told": (tuple(each for each in NEWS if each not in told), ()),
            }
        )
    )


async def complaints_of_host(host: Host, caller: Caller) -> tuple[str, ...]:
    """What is left open and should not be."""
    effects = [(effect.key, effect.state) for effect in await host.effects.list(caller.tenant) if effect.state not in {"done", "failed"}]
    waiting = [proposal.id for proposal in await host.proposals.list(caller)]
    return tuple(_wrong({"effects that are not settled": (effects, []), "proposals that wait": (waiting, [])}))


def _wrong(facts: Facts) -> Iterator[str]:
    for name, (found, expected) in facts.items():
        if found != expected:
            yield f"{name}: {found!r}, not {expected!r}"
