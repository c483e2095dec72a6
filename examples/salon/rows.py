"""What the salon's book holds, as values: rows of the database, and the errors its rules raise. They know no tool and no assistant."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal


class BookError(Exception):
    """The book says no; the message is safe to show."""


class MissingError(BookError):
    """It is not in the book."""


class ConflictError(BookError):
    """It was possible, but something is in the way now."""


class RuleError(BookError):
    """The house does not do that."""


@dataclass(frozen=True, slots=True)
class Customer:
    """Somebody whose hair is cut here."""

    id: str
    name: str
    phone: str
    email: str


@dataclass(frozen=True, slots=True)
class Service:
    """Something the salon does, for how long and for how much."""

    id: str
    name: str
    minutes: int
    cents: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A free place in a stylist's day."""

    stylist: str
    starts: datetime

    @property
    def id(self) -> str:
        """Such as `2026-03-06T10:00/mia`."""
        return f"{self.starts:%Y-%m-%dT%H:%M}/{self.stylist}"

    @classmethod
    def parse(cls, text: str) -> "Slot":
        """The slot that *text* names.

        Raises:
            MissingError: it names none.
        """
        moment, _, stylist = text.partition("/")
        try:
            return cls(stylist, datetime.fromisoformat(moment))
        except ValueError:
            raise MissingError(f"{text!r} is no slot.") from None


@dataclass(frozen=True, slots=True)
class Appointment:
    """A customer's time with a stylist. The price is the one agreed when it was booked."""

    id: str
    customer: str
    customer_name: str
    service: str
    service_name: str
    stylist: str
    starts: datetime
    minutes: int
    cents: int
    state: Literal["booked", "cancelled"]

    @property
    def ends(self) -> datetime:
        """When the stylist is free again."""
        return self.starts + timedelta(minutes=self.minutes)


@dataclass(frozen=True, slots=True)
class Invoice:
    """A bill for one appointment. It gets its number when it is sent, and is never changed afterwards."""

    id: str
    appointment: str
    customer: str
    customer_name: str
    email: str
    text: str
    cents: int
    state: Literal["draft", "sent"]
    number: str | None
    sent_on: date | None


def euros(cents: int) -> str:
    """*cents* as people read them: `€ 95.00`."""
    return f"€ {cents // 100}.{cents % 100:02}"


def counted(number: int, noun: str) -> str:
    """*number* of something: `1 appointment`, `2 appointments`."""
    return f"{number} {noun}" + "s" * (number != 1)


def moment(starts: datetime) -> str:
    """*starts* as people read it: `Fri 6 March, 10:00`."""
    return f"{starts:%a} {starts.day} {starts:%B, %H:%M}"
