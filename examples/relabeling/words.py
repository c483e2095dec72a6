"""Numbers and lists as people read them."""

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """*number* of something: `1 code`, `2 codes`."""
    return f"{number} {noun}" + "s" * (number != 1)


def listed(items: Sequence[str], most: int) -> str:
    """*items*, the first *most* of them, and how many more there are."""
    more = len(items) - most
    return ", ".join(items) if more <= 0 else f"{', '.join(items[:most])} and {more} more"
