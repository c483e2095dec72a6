"""The salon's invoices: drafts that can be made again, and sent ones that are out of the house for good.

Below are the calendar and the file; above, the tools.
"""

import sqlite3
from datetime import date

from examples.salon.book import appointment
from examples.salon.data import writing
from examples.salon.rows import ConflictError, Invoice, MissingError, RuleError, moment

_INVOICES = """
    SELECT i.id, i.appointment, a.customer, c.name, c.email, i.text, i.cents, i.number, i.sent_on
    FROM invoice i JOIN appointment a ON a.id = i.appointment JOIN customer c ON c.id = a.customer
"""


def invoices(book: sqlite3.Connection, *, customer: str | None = None) -> tuple[Invoice, ...]:
    """All invoices, or one customer's, the oldest first."""
    rows = book.execute(f"{_INVOICES} WHERE ? IS NULL OR a.customer = ? ORDER BY i.id", (customer, customer))
    return tuple(_invoice(row) for row in rows)


def invoice(book: sqlite3.Connection, identity: str) -> Invoice:
    """One invoice.

    Raises:
        MissingError: there is none of that id.
    """
    row = book.execute(f"{_INVOICES} WHERE i.id = ?", (identity,)).fetchone()
    if row is None:
        raise MissingError(f"There is no invoice {identity!r}.")
    return _invoice(row)


def draft(book: sqlite3.Connection, appointment_id: str, *, today: date) -> Invoice:
    """Write the invoice of an appointment that took place.

    Raises:
        MissingError: the book has no such appointment.
        RuleError: it was cancelled, or is still to come.
        ConflictError: it has an invoice.
    """
    with writing(book):
        visit = appointment(book, appointment_id)
        if visit.state == "cancelled" or visit.starts.date() > today:
            raise RuleError(f"Appointment {appointment_id} did not take place.")
        if known := book.execute("SELECT id FROM invoice WHERE appointment = ?", (appointment_id,)).fetchone():
            raise ConflictError(f"Appointment {appointment_id} has invoice {known[0]}.")
        (last,) = book.execute("SELECT max(CAST(substr(id, 3) AS INTEGER)) FROM invoice").fetchone()
        identity = f"i_{(last or 300) + 1}"
        values = (identity, appointment_id, f"{visit.service_name}, {moment(visit.starts)}", visit.cents)
        book.execute("INSERT INTO invoice (id, appointment, text, cents) VALUES (?, ?, ?, ?)", values)
    return invoice(book, identity)


def next_number(book: sqlite3.Connection, today: date) -> str:
    """The number the next invoice gets: without gaps within a year."""
    (count,) = book.execute("SELECT count(*) FROM invoice WHERE number LIKE ? || '-%'", (f"{today:%Y}",)).fetchone()
    return f"{today:%Y}-{count + 1:04}"


def draft_invoice(book: sqlite3.Connection, identity: str) -> Invoice:
    """An invoice that can still be sent.

    Raises:
        MissingError: there is none of that id.
        ConflictError: it is out already.
    """
    found = invoice(book, identity)
    if found.state == "sent":
        raise ConflictError(f"Invoice {identity} went out on {found.sent_on} as {found.number}.")
    return found


def send(book: sqlite3.Connection, identity: str, *, today: date) -> Invoice:
    """Number an invoice and mail it. There is no way back.

    Raises:
        MissingError: there is none of that id.
        ConflictError: it is out already.
    """
    with writing(book):
        ready = draft_invoice(book, identity)
        number = next_number(book, today)
        book.execute("UPDATE invoice SET number = ?, sent_on = ? WHERE id = ?", (number, str(today), identity))
        book.execute("INSERT INTO mail (recipient, subject) VALUES (?, ?)", (ready.email, f"Invoice {number}"))
    return invoice(book, identity)


def _invoice(row: tuple[str, str, str, str, str, str, int, str | None, str | None]) -> Invoice:
    number, sent_on = row[7:]
    return Invoice(*row[:7], "draft" if number is None else "sent", number, None if sent_on is None else date.fromisoformat(sent_on))
