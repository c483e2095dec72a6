"""From which carrier to which: the direction of a relabeling, as people write it and as it is kept."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from examples.relabeling.codes import CARRIERS, Carrier, Code

_WRITTEN: Final = re.compile(r"\s*([a-z]+)\s*(?:->|=>|>|→|\bto\b)\s*([a-z]+)\s*", re.IGNORECASE)


class DirectionError(Exception):
    """No direction; the message says why, and is safe to show."""


@dataclass(frozen=True, slots=True)
class Direction:
    """The carrier whose labels are on the parcels, and the one whose labels they get."""

    origin: Carrier
    target: Carrier

    def __str__(self) -> str:
        return f"{self.origin}->{self.target}"

    @classmethod
    def parse(cls, text: str) -> "Direction":
        """The direction that *text* names: `DHL->DPD`, in any case, also with `→` or "to".

        Raises:
            DirectionError: it names none.
        """
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise DirectionError(f"{text!r} is no direction. Write it as DHL->DPD; carriers are {', '.join(CARRIERS)}.")
        origin, target = _carrier(written[1]), _carrier(written[2])
        if origin == target:
            raise DirectionError(f"From {origin} to {origin} nothing would be relabeled.")
        return cls(origin, target)

    def misfits(self, codes: Iterable[Code]) -> tuple[Code, ...]:
        """Those of *codes* that are no parcels of the carrier it begins at."""
        return tuple(code for code in codes if self.origin not in code.carriers)


def _carrier(name: str) -> Carrier:
    for carrier in CARRIERS:
        if name.upper() == carrier:
            return carrier
    raise DirectionError(f"{name!r} is no carrier here. Carriers are {', '.join(CARRIERS)}.")
