"""What a check of a machine has found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a machine."""

    where: str
    """Where in its definition."""
    problem: str
    mend: str
