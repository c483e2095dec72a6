"""Try in every conversation what must not get through: `python -m examples.retail.violate --db DB.json --tasks TASKS.json`.

Another shopper's order, though its id was typed; a second shopper; ids that were never read, or are made up; arguments of no known form;
changes that nobody confirmed: declined, expired, or "confirmed" by a message. And right calls at the wrong moment: records before anybody
was identified, or ahead of it in the same message; orders that stand elsewhere; what can be done once, twice; anything after the handover.
Between them each conversation goes on as written, and is answered as written.

A violation is stopped when its call was refused and its handler never entered; one that has nothing wrong but the moment must be stopped
by the gate. The exit code is 1 unless all are, and everything else is still allowed.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.retail.assistant import assistant as retail
from examples.retail.command import arguments
from examples.retail.database import read_database
from examples.retail.knowledge import Shop
from examples.retail.script import Step, script
from examples.retail.spoil import LateClock, Spoilt
from examples.retail.stage import stage
from examples.retail.tasks import Task
from examples.retail.violations import KINDS, OF_THE_GATE, Attempt
from examples.retail.witness import Witness, witnessed
from handgriff import Assistant


@dataclass(frozen=True, slots=True)
class Tried:
    """One violation, and what is wrong if it was not stopped."""

    task: str
    attempt: Attempt
    let_through: str | None


@dataclass(frozen=True, slots=True)
class Kept:
    """One call that was played as written among the violations, and what is wrong if it was not answered so."""

    task: str
    step: Step
    wrong: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """What became of every call."""

    tried: tuple[Tried, ...]
    kept: tuple[Kept, ...]


async def violate(source: str | Path, tasks: Sequence[Task], *, assistant: Assistant = retail) -> Found:
    """Try the violations of *tasks*, one conversation after another, each with the shop as it was at first.

    Raises:
        ValueError: *source* is no database of this form.
    """
    shop, clock, witness = Shop(read_database(source)), LateClock(), Witness()
    tried: list[Tried] = []
    kept: list[Kept] = []
    async with stage(source, assistant=witnessed(assistant, witness), clock=clock) as set_stage:
        for number, task in enumerate(tasks):
            conversation = Spoilt(await set_stage.visit(f"visitor-{number}"), shop, script(shop, task), clock)
            await conversation.play()
            tried += [Tried(task.name, attempt, wrong) for attempt, wrong in await conversation.judge(witness)]
            kept += [Kept(task.name, step, wrong) for step, wrong in await conversation.compare()]
            set_stage.database.restore(set_stage.original)
    return Found(tuple(tried), tuple(kept))


def report(found: Found) -> int:
    """Print what was let through and what was lost, and the sum of each kind; the exit code."""
    for each in found.tried:
        if each.let_through is not None:
            print(f"{each.task}: {each.attempt.kind}, {each.attempt.tool} {each.attempt.arguments}: {each.let_through}")
    for one in found.kept:
        if one.wrong is not None:
            print(f"{one.task}: as written, {one.step.tool} {one.step.arguments}: expected {one.step.outcome}, {one.wrong}")
    for kind in KINDS:
        of_kind = [each for each in found.tried if each.attempt.kind == kind]
        stopped = sum(each.let_through is None for each in of_kind)
        print(f"{kind}: {stopped} of {len(of_kind)} stopped {'at the gate' if kind in OF_THE_GATE else 'before a handler'}")
    as_written = sum(one.wrong is None for one in found.kept)
    print(f"everything else: {as_written} of {len(found.kept)} answered as written")
    return 0 if as_written == len(found.kept) and all(each.let_through is None for each in found.tried) else 1


def main() -> int:
    """The command."""
    given = arguments("python -m examples.retail.violate", "Try in every conversation what must not get through.")
    return report(asyncio.run(violate(given.db, given.tasks)))


if __name__ == "__main__":
    sys.exit(main())
