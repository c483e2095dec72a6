"""Whether the demo ended as it should: in the salon's book, and in what was shown. It trusts no answer, only rows and events."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from examples.salon import billing, book
from examples.salon.rows import BookError
from examples.salon.script import BOOKED, BOOKED_AT, INVOICE, NEW_PRICE, Conversation, wanted_slot
from handgriff.core.events import CallOutcome, Event, TurnEnded

Facts = Mapping[str, tuple[object, object]]
"""What each thing is, and what it should be."""


def complaints_of_book(salon: sqlite3.Connection, today: date) -> tuple[str, ...]:
    """What is not in the book as the conversations should have left it."""
    try:
        return tuple(_wrong(_facts(salon, today)))
    except BookError as error:
        return (str(error),)


def complaints_of_events(conversation: Conversation, events: Sequence[Event]) -> tuple[str, ...]:
    """What was not shown as it should have been: how turns ended, what was refused, and that every turn has its price."""
    bodies = [event.body for event in events]
    ended = [body for body in bodies if isinstance(body, TurnEnded)]
    refused = tuple((body.tool, body.code) for body in bodies if isinstance(body, CallOutcome) and body.code is not None)
    facts: Facts = {
        "how the turns ended": (tuple(body.status for body in ended), conversation.ends),
        "what was refused": (refused, conversation.refusals),
        "turns without a price": (sum(not body.cost_pico or body.unpriced > 0 for body in ended), 0),
    }
    return tuple(f"{conversation.user}: {complaint}" for complaint in _wrong(facts))


def _facts(salon: sqlite3.Connection, today: date) -> Facts:
    booked, slot = book.appointment(salon, BOOKED), wanted_slot(today)
    owners_own = book.appointment(salon, "a_505")
    invoice = billing.invoice(salon, INVOICE)
    mail = salon.execute("SELECT recipient, subject FROM mail").fetchall()
    return {
        "who is booked": ((booked.customer, booked.service, booked.state), ("c_101", "s_colour", "booked")),
        "where": ((booked.stylist, booked.starts), (slot.stylist, slot.starts)),
        "the price agreed": (booked.cents, BOOKED_AT),
        "the price of a colour": (book.service(salon, "s_colour").cents, NEW_PRICE),
        "the price of a cut": (book.service(salon, "s_cut").cents, 5800),
        "Ada's own appointment": ((owners_own.stylist, owners_own.starts.date()), ("ada", slot.starts.date())),
        "the invoice": ((invoice.customer, invoice.state, invoice.cents, invoice.sent_on), ("c_101", "sent", 5800, today)),
        "the mail": (mail, [("greta@lindqvist.example", f"Invoice {invoice.number}")]),
    }


def _wrong(facts: Facts) -> Iterator[str]:
    for name, (found, expected) in facts.items():
        if found != expected:
            yield f"{name}: {found!r}, not {expected!r}"
