"""The salon's calendar and price list: what may be booked, moved and cancelled. Plain functions over a connection.

Below are the rows and the file; above, the tools. Nothing here knows that an assistant exists: these are the rules the salon's own screens
would call.
"""

import sqlite3
from datetime import date, datetime, timedelta
from typing import Literal

from examples.salon.data import writing
from examples.salon.hours import opening, starts_of
from examples.salon.rows import Appointment, ConflictError, Customer, MissingError, RuleError, Service, Slot, euros, moment

CENTS = range(100, 100_001)
"""What a service may cost."""

_APPOINTMENTS = """
    SELECT a.id, a.customer, c.name, a.service, s.name, a.stylist, a.starts, a.minutes, a.cents, a.state
    FROM appointment a JOIN customer c ON c.id = a.customer JOIN service s ON s.id = a.service
"""


def customers_named(book: sqlite3.Connection, text: str) -> tuple[Customer, ...]:
    """Customers whose name holds *text*, in any case."""
    rows = book.execute("SELECT * FROM customer WHERE instr(lower(name), lower(?)) ORDER BY name", (text.strip(),))
    return tuple(Customer(*row) for row in rows)


def add_customer(book: sqlite3.Connection, *, name: str, phone: str, email: str) -> Customer:
    """Enter a new customer.

    Raises:
        ConflictError: somebody with this e-mail address is in the book.
    """
    with writing(book):
        if known := book.execute("SELECT name FROM customer WHERE lower(email) = lower(?)", (email,)).fetchone():
            raise ConflictError(f"{known[0]} has the address {email} already.")
        customer = Customer(_next_id(book, "customer", "c"), name, phone, email)
        book.execute("INSERT INTO customer VALUES (?, ?, ?, ?)", (customer.id, name, phone, email))
    return customer


def services(book: sqlite3.Connection) -> tuple[Service, ...]:
    """The price list."""
    return tuple(Service(*row) for row in book.execute("SELECT * FROM service ORDER BY name"))


def service(book: sqlite3.Connection, identity: str) -> Service:
    """One service.

    Raises:
        MissingError: the salon has none of that id.
    """
    row = book.execute("SELECT * FROM service WHERE id = ?", (identity,)).fetchone()
    if row is None:
        raise MissingError(f"There is no service {identity!r}.")
    return Service(*row)


def check_price(current: Service, cents: int) -> None:
    """Whether *current* may be given this price.

    Raises:
        RuleError: the price is out of bounds, or the one it has.
    """
    if cents not in CENTS:
        raise RuleError(f"A price lies between {euros(CENTS[0])} and {euros(CENTS[-1])}.")
    if cents == current.cents:
        raise RuleError(f"{current.name} costs {euros(cents)} already.")


def set_price(book: sqlite3.Connection, identity: str, *, before: int, cents: int) -> Service:
    """Change a price, if it still is *before*. What is booked keeps the price agreed.

    Raises:
        ConflictError: the price was changed meanwhile.
    """
    current = service(book, identity)
    check_price(current, cents)
    if book.execute("UPDATE service SET cents = ? WHERE id = ? AND cents = ?", (cents, identity, before)).rowcount == 0:
        raise ConflictError(f"{current.name} costs {euros(current.cents)} by now, not {euros(before)}.")
    return service(book, identity)


def appointment(book: sqlite3.Connection, identity: str) -> Appointment:
    """One appointment.

    Raises:
        MissingError: the book has none of that id.
    """
    row = book.execute(f"{_APPOINTMENTS} WHERE a.id = ?", (identity,)).fetchone()
    if row is None:
        raise MissingError(f"There is no appointment {identity!r}.")
    return _appointment(row)


def appointments(book: sqlite3.Connection, *, first: date, last: date, customer: str | None = None) -> tuple[Appointment, ...]:
    """What is booked from *first* to *last*, for everybody or one customer, in order of time."""
    wanted = "a.state = 'booked' AND date(a.starts) BETWEEN ? AND ? AND (? IS NULL OR a.customer = ?)"
    rows = book.execute(f"{_APPOINTMENTS} WHERE {wanted} ORDER BY a.starts, a.stylist", (str(first), str(last), customer, customer))
    return tuple(_appointment(row) for row in rows)


def free_slots(book: sqlite3.Connection, *, minutes: int, day: date, today: date) -> tuple[Slot, ...]:
    """Where *minutes* fit on *day*; nothing on a day that has passed or is closed."""
    if day < today:
        return ()
    stylists = [row[0] for row in book.execute("SELECT id FROM stylist ORDER BY id")]
    taken = appointments(book, first=day, last=day)
    return tuple(
        Slot(stylist, start)
        for start in starts_of(day, minutes)
        for stylist in stylists
        if not any(other.stylist == stylist and _meet(other, start, minutes) for other in taken)
    )


def book_slot(book: sqlite3.Connection, slot: Slot, *, customer: str, service_id: str, today: date) -> Appointment:
    """Book *slot*, at today's price.

    Raises:
        MissingError: customer, service or stylist is not in the book.
        RuleError: the house is closed then, or the day has passed.
        ConflictError: stylist or customer has something else then.
    """
    with writing(book):
        wanted = service(book, service_id)
        _check_place(book, slot, customer=customer, minutes=wanted.minutes, today=today)
        identity = _next_id(book, "appointment", "a")
        starts = slot.starts.isoformat(timespec="minutes")
        values = (identity, customer, service_id, slot.stylist, starts, wanted.minutes, wanted.cents, "booked")
        book.execute("INSERT INTO appointment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    return appointment(book, identity)


def move(book: sqlite3.Connection, identity: str, slot: Slot, *, today: date) -> Appointment:
    """Put an appointment into *slot*; length and price stay.

    Raises:
        MissingError, RuleError, ConflictError: as for booking, or it is over or cancelled.
    """
    with writing(book):
        moved = open_appointment(book, identity, today=today)
        _check_place(book, slot, customer=moved.customer, minutes=moved.minutes, today=today, ignore=identity)
        starts = slot.starts.isoformat(timespec="minutes")
        book.execute("UPDATE appointment SET starts = ?, stylist = ? WHERE id = ?", (starts, slot.stylist, identity))
    return appointment(book, identity)


def cancel(book: sqlite3.Connection, identity: str, *, today: date) -> Appointment:
    """Cancel an appointment that is still to come.

    Raises:
        MissingError: the book has none of that id.
        ConflictError: it is over or cancelled.
    """
    with writing(book):
        open_appointment(book, identity, today=today)
        book.execute("UPDATE appointment SET state = 'cancelled' WHERE id = ?", (identity,))
    return appointment(book, identity)


def open_appointment(book: sqlite3.Connection, identity: str, *, today: date) -> Appointment:
    """An appointment that can still be changed.

    Raises:
        MissingError: the book has none of that id.
        ConflictError: it is over or cancelled.
    """
    found = appointment(book, identity)
    if found.state == "cancelled":
        raise ConflictError(f"Appointment {identity} is cancelled.")
    if found.starts.date() < today:
        raise ConflictError(f"Appointment {identity} was on {moment(found.starts)}.")
    return found


def _check_place(book: sqlite3.Connection, slot: Slot, *, customer: str, minutes: int, today: date, ignore: str | None = None) -> None:
    for table, identity in (("customer", customer), ("stylist", slot.stylist)):
        if book.execute(f"SELECT 1 FROM {table} WHERE id = ?", (identity,)).fetchone() is None:  # noqa: S608  # the two names above
            raise MissingError(f"There is no {table} {identity!r}.")
    day = slot.starts.date()
    if day < today:
        raise RuleError(f"{moment(slot.starts)} has passed.")
    if opening(day) is None:
        raise RuleError(f"The salon is closed on {day:%A}s.")
    if slot.starts not in starts_of(day, minutes):
        raise RuleError(f"{minutes} minutes can't begin at {slot.starts:%H:%M}: the salon would be closed, or it is not on the half hour.")
    for other in appointments(book, first=day, last=day):
        if other.id != ignore and _meet(other, slot.starts, minutes) and (other.stylist == slot.stylist or other.customer == customer):
            who = slot.stylist if other.stylist == slot.stylist else other.customer_name
            raise ConflictError(f"{who} has appointment {other.id} from {other.starts:%H:%M} to {other.ends:%H:%M}.")


def _meet(other: Appointment, start: datetime, minutes: int) -> bool:
    return other.starts < start + timedelta(minutes=minutes) and start < other.ends


def _appointment(row: tuple[str, str, str, str, str, str, str, int, int, Literal["booked", "cancelled"]]) -> Appointment:
    return Appointment(*row[:6], datetime.fromisoformat(row[6]), *row[7:])


def _next_id(book: sqlite3.Connection, table: str, prefix: str) -> str:
    (last,) = book.execute(f"SELECT max(CAST(substr(id, 3) AS INTEGER)) FROM {table}").fetchone()  # noqa: S608  # our own table names
    return f"{prefix}_{(last or 0) + 1}"
