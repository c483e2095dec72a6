"""The demo's two conversations: what people say, what they decide, and what the scripted model answers. Made for a day, so that it is one.

The model's lines hold ids a real model would have read in earlier results. One is made up, on purpose: the boundary refuses it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from examples.salon.hours import open_day
from examples.salon.rows import Slot
from handgriff.models.scripted import Say, Step, Use

BOOKED_AT, NEW_PRICE = 8900, 9500
"""What a colour costs at first and at the end, in cents."""
BOOKED, INVOICE = "a_508", "i_302"
"""The ids that the new appointment and the new invoice get."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a person says, and how they decide each proposal it leads to."""

    text: str
    decisions: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """One user's session: their lines, the model's steps, and what must come of them."""

    user: str
    lines: Sequence[Line]
    steps: Sequence[Step]
    ends: tuple[str, ...]
    """How each turn ends; one that waits is followed by the one that goes on."""
    refusals: tuple[tuple[str, str], ...]
    """Which tool is refused with which code."""


def wanted_slot(today: date) -> Slot:
    """Where the owner books: Mia has this day to herself."""
    return Slot("mia", datetime.combine(open_day(today, 2), time(10)))


def owners(today: date) -> Conversation:
    """Ada owns the salon: she books, changes a price, bills, and thinks better of a cancellation."""
    slot = wanted_slot(today)
    day = f"{slot.starts:%A}"
    lines = (
        Line(f"Greta Lindqvist would like a colour with Mia on {day}. Is there room?"),
        Line("Ten o'clock, please."),
        Line("And from today a colour costs 95 euros.", (True,)),
        Line("Greta's last cut was never billed. Please bill it and send it off.", (True,)),
        Line("Oh, and cancel the colour again.", (False,)),
    )
    steps: tuple[Step, ...] = (
        (Say("I'll look her up, and what a colour takes."), Use("find_customer", {"name": "Lindqvist"}), Use("list_services")),
        Use("free_slots", {"service": "s_colour", "day": str(slot.starts.date()), "stylist": "mia"}),
        Say(f"Yes: Mia is free on {day}, the whole day. A colour takes 90 minutes and costs € 89.00. When shall she come?"),
        Use("book_appointment", {"customer": "c_101", "service": "s_colour", "slot": slot.id}),
        Say(f"Done. Greta comes on {day} at 10:00, for the price agreed today."),
        (Say("I'll put that to you first."), Use("set_service_price", {"service": "s_colour", "cents": NEW_PRICE})),
        Say("A colour now costs € 95.00. What was booked before keeps its price, Greta's too."),
        (Say("Sending it right away."), Use("send_invoice", {"invoice": "i_999"})),
        (
            Say("I had not seen that invoice anywhere, so that was a guess, and it was stopped. First things first: her visit."),
            Use("list_appointments", {"customer": "c_101", "first": str(open_day(today, -5)), "last": str(today)}),
        ),
        Use("create_invoice", {"appointment": "a_501"}),
        Use("send_invoice", {"invoice": INVOICE}),
        Say("The invoice is on its way to Greta. That can't be taken back, which is why you were asked."),
        Use("cancel_appointment", {"appointment": BOOKED}),
        Say("Then it stays as it is; nothing was cancelled."),
    )
    ends = ("done", "done", "waiting", "done", "waiting", "done", "waiting", "done")
    return Conversation("ada", lines, steps, ends, (("send_invoice", "invalid"), ("cancel_appointment", "declined")))


def stylists(today: date) -> Conversation:
    """Ben cuts hair: he may not move a colleague's appointment, and prices don't exist for him as something to change."""
    day = open_day(today, 2)
    other = Slot("ben", datetime.combine(open_day(today, 3), time(9)))
    lines = (
        Line(f"Greta Lindt can't come on {day:%A}. Move her to {other.starts:%A} at nine, with me."),
        Line("Then at least make the cut ten euros cheaper."),
    )
    steps: tuple[Step, ...] = (
        (Use("find_customer", {"name": "Lindt"}), Use("list_services")),
        (
            Use("list_appointments", {"customer": "c_105", "first": str(day), "last": str(day)}),
            Use("free_slots", {"service": "s_cut", "day": str(other.starts.date()), "stylist": "ben"}),
        ),
        Use("move_appointment", {"appointment": "a_505", "slot": other.id}),
        Say("That one is Ada's, so it isn't yours to move. Ask her, and she can do it in a moment."),
        Use("set_service_price", {"service": "s_cut", "cents": 4800}),
        Say("There is nothing here with which I could change prices for you; Ada sets them."),
    )
    return Conversation("ben", lines, steps, ("done", "done"), (("move_appointment", "denied"), ("set_service_price", "not_found")))
