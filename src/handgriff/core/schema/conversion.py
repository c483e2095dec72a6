"""The few ways in which a value of the wrong JSON type is read as the right one, because its meaning is beyond doubt.

Everything else is refused. A place that accepts strings gets its string untouched, whatever it looks like.
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from handgriff.core import jsontext
from handgriff.core.jsontext import MAX_DIGITS, Exact, Json, JsonError
from handgriff.core.schema.shape import Kind, kind_of

_WHOLE_NUMBER = re.compile(rf"-?(0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})")
_EXACT_BELOW = 2**53
"""From here on a float that was already read may have lost digits."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A value read as what the place accepts; `note` says so, `was_text` that the one parse is used up."""

    value: Json
    note: str = ""
    was_text: bool = False


def converted(value: Json, accepted: frozenset[Kind], *, was_text: bool) -> Converted | str:
    """Read *value*, whose type isn't *accepted*, as one that is; or say why not, as far as there is more to say than the type."""
    if isinstance(value, float) and "integer" in accepted:
        return _whole(value)
    if isinstance(value, str):
        return _from_text(value, accepted, was_text=was_text)
    return ""


def _whole(value: float) -> Converted | str:
    if isinstance(value, Exact):
        number = Decimal(value.literal)
        if abs(number) >= 10**MAX_DIGITS:
            return f"expected an integer of at most {MAX_DIGITS} digits"
        return Converted(int(number)) if number == int(number) else ""
    if not math.isfinite(value) or not value.is_integer():
        return ""
    return Converted(int(value)) if abs(value) < _EXACT_BELOW else "write the integer with all its digits, without a point or exponent"


def _from_text(text: str, accepted: frozenset[Kind], *, was_text: bool) -> Converted | str:
    if "boolean" in accepted and text.lower() in ("true", "false"):
        return Converted(text.lower() == "true", f"{text!r} read as {text.lower()}")
    if "integer" in accepted and "number" not in accepted and _WHOLE_NUMBER.fullmatch(text):
        return Converted(int(text), f"{text!r} read as the integer {int(text)}")
    if accepted & {"object", "array"}:
        return _parsed(text, accepted, was_text=was_text)
    return ""


def _parsed(text: str, accepted: frozenset[Kind], *, was_text: bool) -> Converted | str:
    try:
        value = jsontext.loads(text, exact=True)
    except JsonError:
        return ""
    if isinstance(value, str):
        return "it is JSON text inside JSON text; send the value itself"
    kind = kind_of(value)
    if kind not in accepted or kind not in ("object", "array"):
        return ""
    if was_text:
        return "it is JSON text inside JSON text; send the value itself"
    return Converted(value, f"JSON text read as an {kind}", was_text=True)
