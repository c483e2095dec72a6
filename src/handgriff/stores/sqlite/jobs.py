"""Batches that wait to be written, and the tasks that wait for them."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import NamedTuple, TypeAlias

from handgriff.core.batch import Batch
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.transaction import Outcome


class Job(NamedTuple):
    """A batch that waits, and who waits for it."""

    batch: Batch
    durable: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Committed]
    removed: Batch = ()
    """What was written elsewhere already, and removed something: its bytes must go."""


Settled: TypeAlias = tuple[Job, Outcome]
"""A batch, and what became of it."""


def deliver(settled: Sequence[Settled], *, here: asyncio.AbstractEventLoop | None = None) -> None:
    """Tell each task what became of its batch. *here* is the loop that calls, if one does."""
    for loop, of_loop in groupby(settled, key=lambda pair: pair[0].loop):
        told = [(job.future, outcome) for job, outcome in of_loop]
        if loop is here:
            _settle(told)
            continue
        with suppress(RuntimeError):  # that loop was closed, so nobody waits there any more
            loop.call_soon_threadsafe(_settle, told)


def _settle(settled: Sequence[tuple[asyncio.Future[Committed], Outcome]]) -> None:
    for future, outcome in settled:
        if future.done():  # the task that waited was cancelled
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
