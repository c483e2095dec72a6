"""Dates and times as text, checked the same way on every machine: no zone is guessed and no near miss accepted.

The form is RFC 3339. A leap second is refused, because no Python datetime can hold it.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime

OFFSET_HINT = "2024-04-06T22:30:41+02:00"

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(?P<offset>[Zz]|[+-][0-9]{2}:[0-9]{2})?")


def format_problem(name: str, text: str) -> str:
    """Say what is wrong with *text* as the format *name*; empty where it is right or the format isn't checked here."""
    check = _CHECKS.get(name)
    return check(text) if check else ""


def _date_problem(text: str) -> str:
    if not _DATE.fullmatch(text) or not _exists(date.fromisoformat, text):
        return "expected a date that exists, such as 2024-04-06"
    return ""


def _date_time_problem(text: str) -> str:
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return f"expected a date-time with an offset, such as {OFFSET_HINT}"
    if match["offset"] is None:
        return f"the date-time has no offset; add Z or one like +02:00, as in {OFFSET_HINT}"
    if not _exists(datetime.fromisoformat, re.sub(r"\.[0-9]+", "", text).upper()):
        return "expected a date and a time that exist; seconds end at 59"
    return ""


def _exists(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


_CHECKS: Mapping[str, Callable[[str], str]] = {"date": _date_problem, "date-time": _date_time_problem}
