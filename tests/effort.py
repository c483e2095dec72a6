"""How often what chance draws is drawn: a little in the suite, HANDGRIFF_EFFORT times as much where that is set (`just soak`)."""

import os


def times(number: int) -> int:
    """*number*, or as many times more as was asked for.

    Raises:
        ValueError: HANDGRIFF_EFFORT is no whole number.
    """
    return number * int(os.environ.get("HANDGRIFF_EFFORT") or 1)
