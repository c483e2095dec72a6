"""Play every written conversation against the whole system and compare: `python -m examples.retail.replay --db DB.json --tasks TASKS.json`.

The model's calls are scripted, everything behind them is real. Each proposal is confirmed as the shopper. What differs from the written
outcomes, or from the records that must differ at the end, is printed; the exit code is 1 unless nothing does.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.retail.command import arguments
from examples.retail.compare import differences
from examples.retail.database import Snapshot, read_database, read_json
from examples.retail.knowledge import Shop
from examples.retail.records import Key, Record
from examples.retail.script import Step, script
from examples.retail.stage import Stage, Visit, stage
from examples.retail.tasks import Task
from handgriff import HandgriffError
from handgriff.core.events import CallOutcome
from handgriff.testing.loopback.script import ToolUse

CALLS_A_TURN = 8
"""After so many the model answers and the shopper asks it to go on: real turns are short, and bounded."""


@dataclass(frozen=True, slots=True)
class Played:
    """One conversation, and everything in which it did not end as expected."""

    task: str
    found: tuple[str, ...]


async def replay(source: str | Path, tasks: Sequence[Task]) -> tuple[Played, ...]:
    """Play *tasks* one after another, each with the shop as it was at first.

    Raises:
        ValueError: *source* is no database of this form.
    """
    shop = Shop(read_database(source))
    async with stage(source) as set_stage:
        return tuple([Played(task.name, tuple(await play(set_stage, shop, task, number))) for number, task in enumerate(tasks)])


async def play(stage: Stage, shop: Shop, task: Task, number: int) -> list[str]:
    """Play one conversation and say what differs."""
    visit = await stage.visit(f"visitor-{number}")
    steps = [(stage.lines.call(step.tool, step.arguments), step) for step in script(shop, task)]
    found = await _converse(visit, [call for call, _ in steps])
    outcomes = await visit.outcomes()
    found += [line for index, (call, step) in enumerate(steps) for line in _judge(index, step, outcomes.get(call.id or ""))]
    found += await visit.troubles()
    found += compare_records(stage.original, stage.database.snapshot(), task.changed)
    stage.database.restore(stage.original)
    return found


async def _converse(visit: Visit, calls: Sequence[ToolUse]) -> list[str]:
    """Make *calls* over as many turns as they need, confirming what is proposed; what went wrong beside them."""
    try:
        for start in range(0, max(len(calls), 1), CALLS_A_TURN):
            words = "Please go on." if start else "Hello, can you help me?"
            await visit.say(words, [[call] for call in calls[start : start + CALLS_A_TURN]])
            await visit.confirm_all()
    except HandgriffError as error:
        return [f"the conversation broke off: {error}"]
    return [f"the provider's rules were broken: {problem}" for problem in visit.stage.provider.violations]


def compare_records(original: Snapshot, now: Snapshot, changed: Mapping[Key, Record]) -> Iterator[str]:
    """Every record that is not as it must be: the changed ones as written, all others as they were."""
    for key in sorted(original.keys() | now.keys() | changed.keys()):
        if key not in changed and original.get(key) == now.get(key):
            continue
        expected = changed[key] if key in changed else _record(original, key)
        table, name = key
        yield from (f"{table} {name}, {line}" for line in differences(expected, _record(now, key)))


def _record(snapshot: Snapshot, key: Key) -> Record | None:
    text = snapshot.get(key)
    record: Record | None = None if text is None else read_json(text)
    return record


def _judge(index: int, step: Step, outcome: CallOutcome | None) -> Iterator[str]:
    written = "written" if step.counted else "added"
    what = f"call {index + 1} ({written}), {step.tool}: expected {step.outcome}"
    if outcome is None:
        yield f"{what}, was never made"
    elif (outcome.code is None) != (step.outcome == "ok"):
        yield f"{what}, was ok" if outcome.code is None else f"{what}, was refused: {outcome.code}, {outcome.shown.summary}"


def report(played: Sequence[Played]) -> int:
    """Print every difference and the sum; the exit code."""
    for conversation in played:
        for line in conversation.found:
            print(f"{conversation.task}: {line}")
    good = sum(not conversation.found for conversation in played)
    print(f"{good} of {len(played)} conversations end as expected")
    return 0 if good == len(played) else 1


def main() -> int:
    """The command."""
    given = arguments("python -m examples.retail.replay", "Play written conversations and compare how they end.")
    return report(asyncio.run(replay(given.db, given.tasks)))


if __name__ == "__main__":
    sys.exit(main())
