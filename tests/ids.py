"""Names of parametrized cases that are the same in every process, as tests that run side by side must have."""

import re

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def stable(value: object) -> str:
    """*value* as text, without where it happens to lie in memory, and a set in order."""
    return _ADDRESS.sub("", str(sorted(value, key=str) if isinstance(value, (set, frozenset)) else value))
