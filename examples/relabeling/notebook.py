"""What a conversation has collected so far: the scratch record `relabeling` of its session, read and measured.

Below is the scratch of a call; above, the tools. The record is no table: it holds the codes of one conversation until they are submitted,
for 24 hours after the last one came, and what is worth keeping goes to the depot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from examples.relabeling.codes import Code, read
from examples.relabeling.directions import Direction
from handgriff.core.call import Scratch
from handgriff.core.state import LIMITS

NAMESPACE: Final = "relabeling"
CODES: Final = "codes"
DIRECTION: Final = "direction"
_LONGEST_DIRECTION: Final = len('"POST->POST"')
ROOM: Final = LIMITS.scratch_bytes - len(CODES) - len(DIRECTION) - _LONGEST_DIRECTION
"""Bytes for the list of codes: what a record may hold, less its keys and a direction."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The codes in the order they came, and the direction, where one is chosen."""

    codes: tuple[Code, ...]
    direction: Direction | None

    @property
    def texts(self) -> list[str]:
        """The codes as they are kept."""
        return [code.text for code in self.codes]

    @property
    def chosen(self) -> str | None:
        """The direction as it is kept."""
        return None if self.direction is None else str(self.direction)


async def collected(scratch: Scratch) -> Collected:
    """What *scratch* holds."""
    codes = [read(text) for text in await scratch.get(CODES, [])]
    direction = await scratch.get(DIRECTION)
    return Collected(tuple(code for code in codes if isinstance(code, Code)), None if direction is None else Direction.parse(direction))


def fitting(held: Sequence[str], fresh: Sequence[str], *, room: int = ROOM) -> int:
    """How many of *fresh* still fit beside *held*, in their order."""
    size = len("[]") + sum(map(_size, held))
    for number, code in enumerate(fresh):
        size += _size(code)
        if size - len(",") > room:
            return number
    return len(fresh)


def _size(code: str) -> int:
    return len(f'"{code}",')
