"""How much room text takes. Fonts differ, so it is estimated by the widest that are in use."""

from typing import Final
from unicodedata import combining, east_asian_width

TITLE: Final = 14.0
SMALL: Final = 12.0
LINE: Final = 16.0
"""From one line of small text to the next."""
MOST: Final = 64
"""Characters of one line."""
_WIDTHS: Final = {
    **dict.fromkeys("iljI.,:;'|!", 0.36),
    **dict.fromkeys("frt()[]{}-/ *", 0.45),
    **dict.fromkeys("mwMW@%", 1.0),
}


def width(text: str, size: float) -> float:
    """The room that *text* takes in letters of this size."""
    return sum(_width(character) for character in text) * size


def clipped(text: str) -> str:
    """*text* in one line that isn't too long."""
    line = " ".join(text.split())
    return line if len(line) <= MOST else f"{line[: MOST - 1]}…"


def _width(character: str) -> float:
    if combining(character):
        return 0.0
    if east_asian_width(character) in "WF":
        return 1.05
    return _WIDTHS.get(character, 0.76 if character.isupper() else 0.65)
