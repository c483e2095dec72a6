"""The interpreter: a definition, a snapshot and an event give the next snapshot. Pure; the time is given, the actions are told.

A macrostep is atomic: there is a snapshot before it and one after it. Nothing in it can send an event, so nothing runs in between.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from handgriff.core.machine.event import Event
from handgriff.core.machine.node import ActionRef, Definition
from handgriff.core.machine.rest import rested, resumed
from handgriff.core.machine.rounds import Rounds
from handgriff.core.machine.run import Run
from handgriff.core.machine.select import chosen, standing
from handgriff.core.machine.snapshot import Snapshot, Step
from handgriff.errors import DefinitionError

MAX_DELAYS: Final = 10_000
"""Delayed transitions that one reading takes where no rounds can be left out: three years of a daily one, and the end of a circle without
delay."""


def start(definition: Definition, at: datetime, *, torn: bool = False) -> Step:
    """The machine as it begins, and what it performs then. *torn* as for `next_step`.

    Raises:
        DefinitionError: a guard or an action is wrong, or the machine doesn't come to rest.
    """
    _check_time(at)
    run = Run(definition, (), definition.context, {})
    run.begin(Event({"type": "xstate.init"}))
    return Step(rested(run, None, at, torn=torn), tuple(run.actions), changed=True)


def next_step(definition: Definition, snapshot: Snapshot, event: Mapping[str, Any], at: datetime, *, torn: bool = False) -> Step:
    """What *event* makes of *snapshot*; an event that no active state takes leaves it as it is, and so does every event once it is done.

    States that can't be active together are an error. XState keeps them, where a transition from inside a parallel state leads to its
    history; with *torn* they are kept here too.

    Raises:
        DefinitionError: a guard or an action is wrong, or the machine doesn't come to rest.
    """
    _check_time(at)
    if snapshot.status == "done":
        return Step(snapshot)
    run = resumed(definition, snapshot)
    run.send(Event(event))
    if not run.has_changed:
        return Step(snapshot, tuple(run.actions))
    return Step(rested(run, snapshot, at, torn=torn), tuple(run.actions), changed=True)


def can(definition: Definition, snapshot: Snapshot, event: Mapping[str, Any]) -> bool:
    """Whether *event* does anything: a transition is enabled, its guard included, that isn't forbidding.

    Raises:
        DefinitionError: a guard is wrong.
    """
    if snapshot.status == "done":
        return False
    taken = chosen(definition, standing(definition, snapshot), snapshot.context, Event(event))
    return any(not candidate.is_forbidding for candidate in taken)


def due(definition: Definition, snapshot: Snapshot, now: datetime) -> tuple[tuple[datetime, str], ...]:
    """The delays of active states that are over at *now* and haven't been looked at: when, and the event that stands for it, in order."""
    if snapshot.status == "done" or not definition.delays:
        return ()
    found: list[tuple[datetime, str]] = []
    for id_, entered in snapshot.entered.items():
        for delay in definition.nodes[id_].after:
            when = entered + timedelta(milliseconds=delay.milliseconds)
            if when <= now and delay.event not in snapshot.elapsed:
                found.append((when, delay.event))
    return tuple(sorted(found, key=lambda each: (each[0], definition.delays[each[1]])))


def caught_up(definition: Definition, snapshot: Snapshot, now: datetime) -> Step:
    """*snapshot* at *now*: every delayed transition whose time is over is taken, the earliest first, each at its own time.

    A delay's guard is asked once, at its time; where it says no, the delay is over all the same. A machine that goes round in a circle and
    keeps its context is not followed through every round, and the actions of the rounds that are left out are not told.

    Raises:
        DefinitionError: a guard or an action is wrong, or there is no end to them.
    """
    _check_time(now)
    actions: list[ActionRef] = []
    current, taken, rounds = snapshot, 0, Rounds(definition)
    while pending := due(definition, current, now):
        taken += 1
        if taken > MAX_DELAYS:
            problem = f"endless: more than {MAX_DELAYS} delayed transitions were over at once."
            mend = "let a state of the circle wait for an event, or keep its context; instances go on by a migration to that machine."
            raise DefinitionError(definition.id, pending[0][1], problem, mend=mend)
        when, event = pending[0]
        step = next_step(definition, replace(current, elapsed=(*current.elapsed, event)), {"type": event}, when)
        actions += step.actions
        current = rounds.left_out(step.snapshot, when, now)
    return Step(current, tuple(actions), changed=current is not snapshot)


def _check_time(at: datetime) -> None:
    if at.tzinfo is None:
        raise ValueError("the time of a step needs its time zone")
