"""How many tokens a text is worth when no provider has counted it: definition costs, reservations, aborted streams.

Below is nothing; above, metering and reports, which label every such number as an estimate. It knows no model and no tokenizer: what
one model needs more than another is a factor of the lane, calibrated elsewhere.
"""

from typing import Final

_PER_TOKEN: Final = 100

_HUNDREDTHS: Final[tuple[tuple[int, str | tuple[int, int]], ...]] = (
    (22, "abcdefghijklmnopqrstuvwxyz"),
    (60, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),  # acronyms, camel case, base64
    (50, "0123456789"),  # one to three digits a token
    (6, " "),  # belongs to the word behind it, or to a run
    (20, "\t\n\r\v\f"),
    (130, (0xC2, 0xCB)),  # Latin beyond ASCII: one accent breaks a word in two
    (100, (0xCC, 0xCD)),  # combining marks
    (85, (0xCE, 0xCF)),  # Greek
    (45, (0xD0, 0xD4)),  # Cyrillic
    (75, (0xD5, 0xDF)),  # Armenian, Hebrew, Arabic, and their neighbours
    (85, (0xE0, 0xE0)),  # the Indic scripts, Thai
    (100, (0xE1, 0xE9)),  # Vietnamese vowels, typographic signs, kana, ideographs
    (100, (0xEA, 0xED)),  # Hangul
    (100, (0xEE, 0xEF)),  # full-width forms, variation selectors
    (220, (0xF0, 0xF4)),  # emoji, rare ideographs
)
"""Hundredths of a token for one character, by its first byte in UTF-8, which tells the script.

Origin: two public vocabularies (one of 200,000 entries, one of 65,000) were measured over prose in fifteen languages, JSON tool results,
schemas and code. The numbers lie between the two, so that one factor per model can reach either. Random ids come out a third too low.
"""

_ASCII_SIGN: Final = 60
"""Every other ASCII character: brackets, quotes, separators. Two of them often share a token in JSON."""


def estimate_tokens(text: str) -> int:
    """About how many tokens *text* is: the same for the same text, never less for more of it, 0 only for the empty one."""
    numbers = text.encode("utf-8", "surrogatepass").translate(_NUMBERS)
    return -(-sum(numbers.count(number) * weight for number, weight in enumerate(_WEIGHTS)) // _PER_TOKEN)


def _bytes_of(characters: str | tuple[int, int]) -> bytes:
    return characters.encode() if isinstance(characters, str) else bytes(range(characters[0], characters[1] + 1))


def _classes() -> tuple[bytes, tuple[int, ...]]:
    """For every byte the number of its weight, and the weights; bytes within a character weigh nothing."""
    weights = [0, _ASCII_SIGN]
    numbers = bytearray([1] * 0x80 + [0] * 0x80)
    for weight, characters in _HUNDREDTHS:
        if weight not in weights:
            weights.append(weight)
        for byte in _bytes_of(characters):
            numbers[byte] = weights.index(weight)
    return bytes(numbers), tuple(weights)


_NUMBERS, _WEIGHTS = _classes()
