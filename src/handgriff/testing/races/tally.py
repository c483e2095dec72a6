"""What a race found, and how many things are done at once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tally:
    """One row of the matrix, counted in operations on state."""

    race: str
    asked: int
    acknowledged: int
    lost: int
    """Acknowledged ones that are not there, or are there twice."""
    note: str = ""

    @property
    def is_won(self) -> bool:
        """Whether everything that was asked for was acknowledged, and is there."""
        return self.lost == 0 and self.acknowledged == self.asked


async def together(works: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """What *works* answer, in their order, all of them begun at once."""
    answers: dict[int, T] = {}

    async def do(place: int, work: Callable[[], Awaitable[T]]) -> None:
        answers[place] = await work()

    try:
        async with anyio.create_task_group() as tasks:
            for place, work in enumerate(works):
                tasks.start_soon(do, place, work)
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None  # what the first one met, the others met too
    return [answers[place] for place in range(len(works))]


def off(counted: int, found: Any) -> int:
    """How far a counter is from what was counted."""
    return abs(counted - found) if isinstance(found, int) else counted


def missing(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> int:
    """How many keys of *wanted* do not hold their value."""
    return sum(key not in found or found[key] != value for key, value in wanted.items())


def astray(wanted: Sequence[Any], found: Sequence[Any]) -> int:
    """How many items of *wanted* are not in *found* exactly once."""
    return sum(found.count(item) != 1 for item in wanted)
