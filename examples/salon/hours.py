"""When the salon is open. Pure: it knows weekdays and times, no appointment and no clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count, islice

GRID = timedelta(minutes=30)
"""Appointments begin on the hour or half past."""


@dataclass(frozen=True, slots=True)
class Opening:
    """From when to when a day is worked."""

    opens: time
    closes: time


_WEEK: Mapping[int, Opening] = {
    **dict.fromkeys((1, 2, 3, 4), Opening(time(9), time(18))),
    5: Opening(time(9), time(14)),
}
"""By weekday, Monday being 0: closed on Sundays and Mondays."""


def opening(day: date) -> Opening | None:
    """The hours of *day*, or None when the salon is closed."""
    return _WEEK.get(day.weekday())


def open_day(today: date, nth: int) -> date:
    """The *nth* day the salon is open after *today*; a negative *nth* counts back, and 0 is none of them."""
    step = 1 if nth > 0 else -1
    days = (day for ahead in count(1) if opening(day := today + timedelta(days=ahead * step)))
    return next(islice(days, abs(nth) - 1, None))


def starts_of(day: date, minutes: int) -> Iterator[datetime]:
    """Every moment of *day* at which something of *minutes* may begin and still end in time."""
    hours = opening(day)
    if hours is None:
        return
    start = datetime.combine(day, hours.opens)
    while start + timedelta(minutes=minutes) <= datetime.combine(day, hours.closes):
        yield start
        start += GRID
