"""What GS1 puts around a code: the symbology identifier a scanner sends first, and the element strings a symbol is made of.

Symbology identifiers are those of ISO/IEC 15424: `]C1` GS1-128, `]d2` GS1 DataMatrix, `]Q3` GS1 QR Code, `]I1` Interleaved 2 of 5.
"""

import re
from collections.abc import Mapping
from typing import Final

FNC1: Final = "\x1d"
"""What a scanner sends for FNC1 within a symbol: the group separator. It ends an element whose length is not fixed."""

_LEADING: Final = re.compile(rf"(?:{FNC1}|\][A-Za-z][0-9A-Za-z])+")
_SSCC: Final = "00"
_DIGITS: Final = re.compile(r"[0-9]{18}")

# GS1 General Specifications, figure "Element strings with predefined length using GS1 Application Identifiers": the first two digits of
# the application identifier, and the length of the whole element with it.
_FIXED: Final[Mapping[str, int]] = {
    "00": 20,
    **dict.fromkeys(("01", "02", "03", "41"), 16),
    "04": 18,
    "20": 4,
    **dict.fromkeys(("11", "12", "13", "14", "15", "16", "17", "18", "19"), 8),
    **dict.fromkeys(("31", "32", "33", "34", "35", "36"), 10),
}


def without_identifier(text: str) -> str:
    """*text* without the symbology identifier, and without separators that separate nothing."""
    leading = _LEADING.match(text)
    return text[leading.end() if leading else 0 :].rstrip(FNC1)


def sscc_in(text: str) -> str | None:
    """The eighteen digits of the first SSCC (application identifier 00) among the element strings of *text*; None where there is none."""
    at = 0
    while at < len(text):
        identifier = text[at : at + 2]
        if identifier == _SSCC:
            found = text[at + 2 : at + _FIXED[_SSCC]]
            return found if _DIGITS.fullmatch(found) else None
        at = _end(text, at, _FIXED.get(identifier))
    return None


def _end(text: str, at: int, length: int | None) -> int:
    """Where the element that begins at *at* ends, and the separator after it."""
    if length is None:
        separator = text.find(FNC1, at)
        return len(text) if separator < 0 else separator + 1
    end = at + length
    return end + 1 if text[end : end + 1] == FNC1 else end
