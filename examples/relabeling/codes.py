"""Tracking codes as the depot knows them: cleaned, recognised by their form, and checked where a form has a check digit.

Below are check digits and GS1's wrapping; above, what a person scanned or pasted is taken apart. Nothing here raises, whatever it is given.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from unicodedata import category, decimal

from examples.relabeling.checks import gs1_digit, identcode_digit, mod_37_36, s10_digit, ups_digit
from examples.relabeling.gs1 import FNC1, sscc_in, without_identifier
from examples.relabeling.words import counted

Carrier: TypeAlias = Literal["DHL", "DPD", "POST", "UPS"]
"""POST stands for every postal operator whose items bear an S10 identifier."""

LONGEST_SHOWN: Final = 40
"""Characters of an unreadable scan that are repeated to people."""

_DROPPED: Final = frozenset({"Cc", "Cf", "Pd"})
"""Unicode categories that no code has: control and format characters, dashes."""
_MARKS: Final = frozenset(".()'\"")
_FULL_WIDTH: Final = 0xFF01 - ord("!")
"""How far the full-width forms, as some keyboards type them, are from their ASCII ones."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code in the one spelling the depot uses, and whose parcel it may be."""

    text: str
    form: str
    carriers: tuple[Carrier, ...]
    is_checked: bool
    """Whether a check digit has confirmed it."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What is no code, as it was scanned, and why."""

    scanned: str
    reason: str
    is_shaped: bool = False
    """Whether it has a code's form and only its check digit is wrong."""


Reading: TypeAlias = Code | Unreadable


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of code. `spelled` gives the depot's spelling of a match, or None where the check digit is wrong."""

    name: str
    carriers: tuple[Carrier, ...]
    pattern: re.Pattern[str]
    spelled: Callable[[re.Match[str]], str | None]
    is_checked: bool = True


def clean(text: str) -> str:
    """*text* without everything that is only around a code: identifiers, spaces, dashes, quotes; capital letters, plain digits.

    FNC1 within stays, because it separates.
    """
    return without_identifier("".join(_characters(text)))


def read(text: str) -> Reading:
    """The code that *text* is, bare or in the element strings of a GS1 symbol."""
    reading = read_bare(text)
    if isinstance(reading, Code) or reading.is_shaped:
        return reading
    sscc = sscc_in(clean(text))
    return reading if sscc is None else _formed(text, sscc)


def read_bare(text: str) -> Reading:
    """The code that *text* is, with nothing but a code in it."""
    return _formed(text, clean(text))


def _formed(scanned: str, cleaned: str) -> Reading:
    shaped: _Form | None = None
    for form in _FORMS:
        found = form.pattern.fullmatch(cleaned)
        if found is None:
            continue
        spelled = form.spelled(found)
        if spelled is not None:
            return Code(spelled, form.name, form.carriers, form.is_checked)
        shaped = form
    shown = _shown(scanned)
    if shaped is not None:
        return Unreadable(shown, f"it looks like {shaped.name}, but its check digit is wrong", is_shaped=True)
    if not cleaned:
        return Unreadable(shown, "nothing of it could belong to a code")
    return Unreadable(shown, f"no code of {', '.join(CARRIERS)} has this form ({counted(len(cleaned), 'character')})")


def _characters(text: str) -> Iterator[str]:
    for character in text:
        if character == FNC1:
            yield character
            continue
        narrow = chr(ord(character) - _FULL_WIDTH) if "\uff01" <= character <= "\uff5e" else character
        if narrow.isspace() or narrow in _MARKS or category(narrow) in _DROPPED:
            continue
        digit = decimal(narrow, None)
        yield (narrow.upper() if narrow.isascii() else narrow) if digit is None else str(digit)


def _shown(scanned: str) -> str:
    shown = "".join(character if character.isprintable() else " " for character in scanned).strip()
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"


def _sscc(found: re.Match[str]) -> str | None:
    # DHL prints the SSCC with its application identifier, as twenty digits.
    digits = found[1]
    return f"00{digits}" if gs1_digit(digits[:-1]) == digits[-1] else None


def _identcode(found: re.Match[str]) -> str | None:
    digits = found[0]
    return digits if identcode_digit(digits[:-1]) == digits[-1] else None


def _s10(found: re.Match[str]) -> str | None:
    return found[0] if s10_digit(found[1]) == found[2] else None


def _ups(found: re.Match[str]) -> str | None:
    return found[0] if ups_digit(found[1]) == found[2] else None


def _dpd(found: re.Match[str]) -> str | None:
    return found[1]


def _dpd_checked(found: re.Match[str]) -> str | None:
    # The check character is printed behind the number and is no part of it.
    return found[1] if mod_37_36(found[1]) == found[2] else None


_FORMS: Final = (
    _Form("an SSCC", ("DHL",), re.compile(r"(?:00)?([0-9]{18})"), _sscc),
    _Form("an Identcode", ("DHL",), re.compile(r"[0-9]{12}"), _identcode),
    _Form("an S10 identifier", ("DHL", "POST"), re.compile(r"[A-Z]{2}([0-9]{8})([0-9])[A-Z]{2}"), _s10),
    _Form("a UPS tracking number", ("UPS",), re.compile(r"1Z([0-9A-Z]{15})([0-9])"), _ups),
    _Form("a DPD parcel number", ("DPD",), re.compile(r"([0-9]{14})"), _dpd, is_checked=False),
    _Form("a DPD parcel number", ("DPD",), re.compile(r"([0-9]{14})([0-9A-Z])"), _dpd_checked),
    # The bars of a DPD label: a mark, the destination's post code, the parcel number, the service, the country.
    _Form("a DPD label", ("DPD",), re.compile(r"%[0-9A-Z]{7}([0-9]{14})[0-9]{6}"), _dpd, is_checked=False),
)
CARRIERS: Final[tuple[Carrier, ...]] = ("DHL", "DPD", "POST", "UPS")
