"""Money, in whole cents, and the amounts from which on more than a wish is needed."""

from typing import Final

UNASKED: Final = 20_00
"""Store credit up to here is given without asking anybody, over an order's life."""
PERSON: Final = 100_00
"""Refunds of a payment up to here are confirmed by whoever asks for them."""
CODE: Final = 1_000_00
"""Up to here with a code that is sent to them, and above by a second person."""


def euros(cents: int) -> str:
    """*cents* as people read them: `€ 1,095.00`."""
    return f"€ {cents // 100:,}.{cents % 100:02}"


def counted(number: int, noun: str) -> str:
    """*number* of something: `1 order`, `2 orders`."""
    return f"{number} {noun}" + "s" * (number != 1)
