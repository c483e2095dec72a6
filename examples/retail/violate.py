"""Try in every conversation what must not get through: `python -m examples.retail.violate --db DB.json --tasks TASKS.json`.

Another shopper's order, though its id was typed; ids that were never read, or are made up; arguments of no known form; changes that nobody
confirmed: declined, expired, or "confirmed" by a message. Between them each conversation goes on as written. A violation is stopped
when its call was refused and its handler never entered; the exit code is 1 unless all are.
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
from examples.retail.script import script
from examples.retail.spoil import LateClock, Spoilt
from examples.retail.stage import stage
from examples.retail.tasks import Task
from examples.retail.violations import KINDS, Attempt
from examples.retail.witness import Witness, witnessed
from handgriff import Assistant


@dataclass(frozen=True, slots=True)
class Tried:
    """One violation, and what is wrong if it was not stopped."""

    task: str
    attempt: Attempt
    let_through: str | None


async def violate(source: str | Path, tasks: Sequence[Task], *, assistant: Assistant = retail) -> tuple[Tried, ...]:
    """Try the violations of *tasks*, one conversation after another, each with the shop as it was at first.

    Raises:
        ValueError: *source* is no database of this form.
    """
    shop, clock, witness = Shop(read_database(source)), LateClock(), Witness()
    tried: list[Tried] = []
    async with stage(source, assistant=witnessed(assistant, witness), clock=clock) as set_stage:
        for number, task in enumerate(tasks):
            conversation = Spoilt(await set_stage.visit(f"visitor-{number}"), shop, script(shop, task), clock)
            await conversation.play()
            tried += [Tried(task.name, attempt, wrong) for attempt, wrong in await conversation.judge(witness)]
            set_stage.database.restore(set_stage.original)
    return tuple(tried)


def report(tried: Sequence[Tried]) -> int:
    """Print what was let through, and the sum of each kind; the exit code."""
    for each in tried:
        if each.let_through is not None:
            print(f"{each.task}: {each.attempt.kind}, {each.attempt.tool} {each.attempt.arguments}: {each.let_through}")
    for kind in KINDS:
        of_kind = [each for each in tried if each.attempt.kind == kind]
        stopped = sum(each.let_through is None for each in of_kind)
        print(f"{kind}: {stopped} of {len(of_kind)} stopped before a handler")
    return 0 if all(each.let_through is None for each in tried) else 1


def main() -> int:
    """The command."""
    given = arguments("python -m examples.retail.violate", "Try in every conversation what must not get through.")
    return report(asyncio.run(violate(given.db, given.tasks)))


if __name__ == "__main__":
    sys.exit(main())
