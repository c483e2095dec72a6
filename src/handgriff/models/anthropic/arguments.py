"""Argument texts of calls, which arrive in pieces and may be cut off, broken, or hold half a character.

Below is strict JSON; above, a block asks for two texts: one for the boundary, which judges what really came, and one for the history,
which must be valid whatever came. It repairs nothing by guessing.
"""

import re
from typing import Final

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError

EMPTY: Final = "{}"

# An escape is read as a whole, so that the second backslash of a pair never begins one.
_ESCAPES: Final = re.compile(
    r"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
_HALVES: Final = re.compile("[\ud800-\udfff]")


def as_came(pieces: list[str]) -> str:
    """The text for the boundary. Half a character stays one, written as an escape, so that it can be stored and is still refused."""
    text = "".join(pieces)
    if jsontext.is_clean(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", joined)


def as_history(text: str) -> str:
    """The text for the history: *text* itself if it is an object, with halves of characters replaced, else an empty object."""
    mended = _ESCAPES.sub(lambda escape: r"\ufffd" if escape["half"] else escape[0], text) if "\\u" in text else text
    try:
        return mended if isinstance(jsontext.loads(mended), dict) else EMPTY
    except JsonError:
        return EMPTY
