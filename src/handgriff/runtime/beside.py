"""Several things at once, a bounded number of them: what waits for one outside system holds up nobody who waits for another."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

I = TypeVar("I")  # noqa: E741  # an item
T = TypeVar("T")


async def beside(items: Sequence[I], work: Callable[[I], Awaitable[T]], *, most: int) -> tuple[T, ...]:
    """What *work* answers for each of *items*, in their order; at most *most* of them run at once.

    Raises:
        Exception: what the first of them raised that failed, when all have ended.
    """
    if len(items) <= 1:
        return tuple([await work(item) for item in items])
    answers: dict[int, T] = {}
    errors: list[Exception] = []
    turns = anyio.Semaphore(most)

    async def one(place: int, item: I) -> None:
        async with turns:
            try:
                answers[place] = await work(item)
            except Exception as error:  # noqa: BLE001  # raised below as it is; a group of exceptions would hide its kind
                errors.append(error)

    async with anyio.create_task_group() as group:
        for place, item in enumerate(items):
            group.start_soon(one, place, item)
    if errors:
        raise errors[0]
    return tuple(answers[place] for place in range(len(items)))
