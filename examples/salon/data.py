"""The salon's SQLite file: opened, and filled with the same people and appointments every time, around a given day.

Above are the rules and the tools. It reads no clock: which day is today is the caller's to say.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from pathlib import Path

from examples.salon.hours import open_day

SCHEMA = Path(__file__).with_name("schema.sql")

CUSTOMERS = (
    ("c_101", "Greta Lindqvist", "+49 30 5550101", "greta@lindqvist.example"),
    ("c_102", "Omar Haddad", "+49 30 5550102", "omar@haddad.example"),
    ("c_103", "Paula Neumann", "+49 30 5550103", "paula@neumann.example"),
    ("c_104", "Jun Sato", "+49 30 5550104", "jun@sato.example"),
    ("c_105", "Greta Lindt", "+49 30 5550105", "greta@lindt.example"),
)
STYLISTS = (("ada", "Ada"), ("ben", "Ben"), ("mia", "Mia"))
SERVICES = (
    ("s_beard", "Beard trim", 30, 2400),
    ("s_colour", "Colour", 90, 8900),
    ("s_cut", "Cut", 45, 5800),
    ("s_dry", "Wash and dry", 30, 3200),
)
APPOINTMENTS = (
    ("a_501", "c_101", "s_cut", "mia", -3, time(10), "booked"),
    ("a_502", "c_102", "s_beard", "ben", -2, time(11), "booked"),
    ("a_503", "c_103", "s_colour", "mia", 1, time(9), "booked"),
    ("a_504", "c_104", "s_cut", "ben", 1, time(10), "booked"),
    ("a_505", "c_105", "s_cut", "ada", 2, time(11, 30), "booked"),
    ("a_506", "c_102", "s_beard", "ben", 2, time(12), "cancelled"),
    ("a_507", "c_103", "s_dry", "mia", 3, time(9, 30), "booked"),
)
"""Id, customer, service, stylist, the how-many-th open day from today, time, state."""


def open_salon(path: Path) -> sqlite3.Connection:
    """A connection to the salon's file. Tools run in worker threads, one at a time on each connection."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def seed(connection: sqlite3.Connection, today: date) -> None:
    """Make the tables and fill them. Two salons seeded for the same day are equal."""
    connection.executescript(SCHEMA.read_text(encoding="utf-8"))
    with writing(connection):
        connection.executemany("INSERT INTO customer VALUES (?, ?, ?, ?)", CUSTOMERS)
        connection.executemany("INSERT INTO stylist VALUES (?, ?)", STYLISTS)
        connection.executemany("INSERT INTO service VALUES (?, ?, ?, ?)", SERVICES)
        connection.executemany("INSERT INTO appointment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _appointments(today))
        sent_on = open_day(today, -2)
        invoice = ("i_301", "a_502", "Beard trim", 2400, f"{sent_on:%Y}-0001", str(sent_on))
        connection.execute("INSERT INTO invoice VALUES (?, ?, ?, ?, ?, ?)", invoice)


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that holds the write lock from its start, so that what was checked still holds when it is written."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _appointments(today: date) -> Iterator[tuple[str, str, str, str, str, int, int, str]]:
    offered = {service: (minutes, cents) for service, _, minutes, cents in SERVICES}
    for number, customer, service, stylist, day, at, state in APPOINTMENTS:
        starts = datetime.combine(open_day(today, day), at)
        yield number, customer, service, stylist, starts.isoformat(timespec="minutes"), *offered[service], state
