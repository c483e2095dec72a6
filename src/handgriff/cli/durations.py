"""Durations as they are typed: `14d`, `36h`, or ISO 8601 (`P14D`).

Below is pydantic, which reads ISO 8601; above, the commands. A number without a unit is none: nobody can see what it counts.
"""

import re
from datetime import timedelta
from typing import Final

from handgriff.cli.faults import WrongUse

_SHORT: Final = re.compile(r"([0-9]{1,9})([wdhms])")
_LONG: Final = {"w": "P{}W", "d": "P{}D", "h": "PT{}H", "m": "PT{}M", "s": "PT{}S"}
_LONGEST: Final = timedelta(days=36525)
"""A hundred years; what lies before that is no moment some stores can name."""


def read_duration(option: str, text: str) -> timedelta:
    """The duration *text* stands for; *option* is what it was typed for.

    Raises:
        WrongUse: it is none, nothing, or more than a hundred years.
    """
    short = _SHORT.fullmatch(text)
    iso = _LONG[short[2]].format(short[1]) if short else text
    # What pydantic reads beside ISO 8601 (`1:30`, `90`) could be meant otherwise.
    duration = _from_iso(iso) if iso.startswith("P") else None
    if duration is None:
        raise WrongUse(f"{option} {text!r} is no duration. Write it as 14d, 36h or P14D.")
    if not timedelta(0) < duration <= _LONGEST:
        raise WrongUse(f"{option} {text!r}: more than nothing is needed, and at most a hundred years.")
    return duration


def _from_iso(text: str) -> timedelta | None:
    # Imported here because it costs a third of a second, and one command needs it.
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    try:
        return TypeAdapter(timedelta).validate_python(text)
    except ValidationError:
        return None
