"""Check digits and check characters, each by its public rule. They are given characters of the right kind, and know no code's form."""

from itertools import cycle
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_S10_WEIGHTS: Final = (8, 6, 4, 2, 3, 5, 9, 7)


def gs1_digit(digits: str) -> str:
    """The check digit of a GS1 key, such as the SSCC on a parcel.

    GS1 General Specifications, 7.9.1: weights 3 and 1 in turn, the rightmost digit has 3; what the sum lacks to a multiple of ten.
    """
    return _lack_to_ten(sum(int(digit) * weight for digit, weight in zip(reversed(digits), cycle((3, 1)), strict=False)))


def s10_digit(serial: str) -> str:
    """The check digit of a postal item's eight-digit serial number.

    UPU standard S10: weights 8 6 4 2 3 5 9 7; eleven less the sum modulo 11, where 10 is written 0 and 11 is written 5.
    """
    rest = 11 - sum(int(digit) * weight for digit, weight in zip(serial, _S10_WEIGHTS, strict=True)) % 11
    return {10: "0", 11: "5"}.get(rest, str(rest))


def identcode_digit(digits: str) -> str:
    """The check digit of an Identcode of Deutsche Post and DHL: weights 4 and 9 in turn from the left; what lacks to a multiple of ten."""
    return _lack_to_ten(sum(int(digit) * weight for digit, weight in zip(digits, cycle((4, 9)), strict=False)))


def ups_digit(characters: str) -> str:
    """The check digit of a UPS tracking number, of the fifteen characters after `1Z`.

    Weights 1 and 2 in turn from the left, and a letter counts A 2, B 3 and so on, of which only the last digit (H 9, I 0); what lacks to a
    multiple of ten.
    """
    values = (int(each) if each.isdigit() else (ord(each) - ord("A") + 2) % 10 for each in characters)
    return _lack_to_ten(sum(value * weight for value, weight in zip(values, cycle((1, 2)), strict=False)))


def mod_37_36(characters: str) -> str:
    """The check character of digits and capital letters by ISO/IEC 7064, MOD 37,36, as DPD prints it behind its parcel number."""
    product = 36
    for each in characters:
        product = ((product + _ALPHABET.index(each)) % 36 or 36) * 2 % 37
    return _ALPHABET[(37 - product) % 36]


def _lack_to_ten(total: int) -> str:
    return str(-total % 10)
