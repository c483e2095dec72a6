"""Texts as PostgreSQL keeps them. It keeps no NUL, so that is written with an escape; all other texts stay as they are.

Escaping is letter by letter and keeps the order of texts, so ids stay different and what was found in a text is found in the escaped one.
"""

from collections.abc import Sequence
from typing import Final

_MARK: Final = "\x01"
_NUL, _MARKED, _EMPTY = f"{_MARK}0", f"{_MARK}1", f"{_MARK}e"


def kept(text: str) -> str:
    """*text* as it is written."""
    if "\x00" in text or _MARK in text:
        return text.replace(_MARK, _MARKED).replace("\x00", _NUL)
    return text


def kept_tenant(tenant: str) -> str:
    """*tenant* as it is written: never the empty text, because that is what the fence's setting reads as where nobody has set it."""
    return kept(tenant) or _EMPTY


def kept_all(texts: Sequence[str | None]) -> Sequence[str | None]:
    """*texts* as they are written.

    Raises:
        UnicodeEncodeError: one is no Unicode.
    """
    every = "".join(filter(None, texts))
    if not every.isascii():
        every.encode()
    return [text and kept(text) for text in texts] if "\x00" in every or _MARK in every else texts


def given(text: str) -> str:
    """What `kept` or `kept_tenant` wrote."""
    if _MARK not in text:
        return text
    return "" if text == _EMPTY else text.replace(_NUL, "\x00").replace(_MARKED, _MARK)
