"""Turns: one at a time, in the order in which they asked, and none is lost with who gave up."""

from concurrent.futures import Future

import anyio
import pytest

from handgriff.stores.sqlite.turns import Turns

pytestmark = pytest.mark.anyio


@pytest.fixture
def turns() -> Turns:
    return Turns()


async def test_tasks_have_their_turn_in_the_order_in_which_they_asked(turns: Turns) -> None:
    order: list[str] = []

    async def work(number: int) -> None:
        await turns.take(patience=5)
        order.append(f"{number} begins")
        await anyio.lowlevel.checkpoint()
        order.append(f"{number} ends")
        turns.leave()

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(work, number)

    assert order == [f"{number} {what}" for number in range(8) for what in ("begins", "ends")]
    assert not turns.are_taken


async def test_threads_and_tasks_stand_in_one_queue(turns: Turns) -> None:
    order: list[str] = []
    await turns.take(patience=5)

    def thread() -> None:
        with turns.taken(patience=5):
            order.append("thread")

    async def task(name: str) -> None:
        await turns.take(patience=5)
        order.append(name)
        turns.leave()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(task, "before")
        await _until_wait(turns, 1)
        tasks.start_soon(anyio.to_thread.run_sync, thread)
        await _until_wait(turns, 2)
        tasks.start_soon(task, "after")
        await _until_wait(turns, 3)
        turns.leave()

    assert order == ["before", "thread", "after"]
    assert not turns.are_taken


async def test_who_was_cancelled_is_passed_over(turns: Turns) -> None:
    order: list[str] = []
    await turns.take(patience=5)

    async def task(name: str) -> None:
        await turns.take(patience=5)
        order.append(name)
        turns.leave()

    async with anyio.create_task_group() as tasks:
        async with anyio.create_task_group() as doomed:
            for name in ("a", "b"):
                doomed.start_soon(task, name)
            await _until_wait(turns, 2)
            doomed.cancel_scope.cancel()
        tasks.start_soon(task, "c")
        await _until_wait(turns, 3)
        turns.leave()

    assert order == ["c"]
    assert not turns.are_taken


async def test_a_turn_that_comes_to_who_is_cancelled_in_that_moment_goes_on(turns: Turns) -> None:
    await turns.take(patience=5)

    async with anyio.create_task_group() as doomed:
        doomed.start_soon(lambda: turns.take(patience=5))
        await _until_wait(turns, 1)
        turns.leave()
        doomed.cancel_scope.cancel()

    assert not turns.are_taken


async def test_patience_ends_for_tasks_and_threads(turns: Turns) -> None:
    await turns.take(patience=5)

    def thread() -> None:
        with turns.taken(patience=0):
            raise AssertionError("it had no turn")

    with pytest.raises(TimeoutError, match="A handler of this process"):
        await turns.take(patience=0)
    with pytest.raises(TimeoutError, match="A handler of this process"):
        await anyio.to_thread.run_sync(thread)

    turns.leave()
    assert not turns.are_taken


async def test_a_turn_that_comes_to_a_thread_when_its_patience_has_just_ended_is_used() -> None:
    turns = _Late()
    await turns.take(patience=5)

    with turns.taken(patience=0):
        assert turns.are_taken

    assert not turns.are_taken


async def test_an_error_within_a_turn_ends_it(turns: Turns) -> None:
    with pytest.raises(ZeroDivisionError), turns.taken(patience=5):
        _ = 1 / 0

    assert not turns.are_taken


class _Late(Turns):
    """Whoever has the turn leaves in the moment in which the next one's patience ends."""

    def _ticket(self) -> Future[None]:
        ticket = super()._ticket()
        return ticket if ticket.done() else _LateTicket(self, ticket)


class _LateTicket(Future[None]):
    def __init__(self, turns: Turns, ticket: Future[None]) -> None:
        super().__init__()
        self._turns = turns
        self._ticket = ticket

    def result(self, timeout: float | None = None) -> None:
        try:
            self._ticket.result(timeout)
        except TimeoutError:
            self._turns.leave()
            raise

    def cancel(self) -> bool:
        return self._ticket.cancel()


async def _until_wait(turns: Turns, count: int) -> None:
    with anyio.fail_after(5):
        while len(turns._waiting) < count:
            await anyio.lowlevel.checkpoint()
