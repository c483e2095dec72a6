"""Who goes ahead, and who waits for the others."""

import asyncio

import anyio
import pytest

from handgriff.stores.sqlite.pace import AHEAD, Pace

pytestmark = pytest.mark.anyio


async def test_a_task_goes_ahead_a_bounded_number_of_times() -> None:
    pace, loop = Pace(), asyncio.get_running_loop()

    assert [pace.goes_ahead(loop) for _ in range(AHEAD + 2)] == [*[True] * AHEAD, False, False]


async def test_another_task_waits_in_the_same_iteration_and_not_in_the_next() -> None:
    pace, loop = Pace(), asyncio.get_running_loop()
    answers: list[bool] = []

    async def ask() -> None:
        answers.append(pace.goes_ahead(loop))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        tasks.start_soon(ask)
    await anyio.lowlevel.checkpoint()
    assert answers == [True, False]

    await ask()
    assert answers == [True, False, True]


async def test_while_several_write_together_nobody_goes_ahead() -> None:
    pace, loop = Pace(), asyncio.get_running_loop()

    pace.note(together=2)
    assert [pace.goes_ahead(loop), pace.goes_ahead(loop)] == [False, False]

    pace.note(together=1)
    assert pace.goes_ahead(loop)
