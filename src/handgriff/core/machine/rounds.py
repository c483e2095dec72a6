"""Circles of delayed transitions: a machine that is back where it was goes the same way again, so whole rounds of it can be left out.

Guards and actions are pure functions, and of time only what is left of a delay decides: a place is all that these see, and no more.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from handgriff.core import jsontext
from handgriff.core.machine.held import HeldDict, let_go
from handgriff.core.machine.node import Definition
from handgriff.core.machine.snapshot import Snapshot


@dataclass(slots=True)
class Rounds:
    """Looks at one machine, step by step, for a place where it has been before; as Brent finds circles, with one place remembered."""

    definition: Definition
    _mark: tuple[Snapshot, datetime] | None = None
    _steps: int = 0
    _reach: int = 1
    """After so many steps another place is remembered."""
    _is_round: bool = False
    """Whether the place that is remembered has been found again: there the second round begins."""
    _is_over: bool = False

    def left_out(self, snapshot: Snapshot, at: datetime, now: datetime) -> Snapshot:
        """*snapshot*, taken *at* that time, as it is when all whole rounds up to *now* have gone by; itself where no round has ended."""
        if self._is_over:
            return snapshot
        if self._mark is None or not _is_same_place(self.definition, *self._mark, snapshot, at):
            self._look_on(snapshot, at)
            return snapshot
        before, since = self._mark
        if not self._is_round:
            # What was entered before may stay or be entered anew: only a second round says which states go round.
            self._mark, self._is_round = (snapshot, at), True
            return snapshot
        self._is_over = True
        gone = (now - at) // (at - since) * (at - since)
        entered = {state: when + gone if when != before.entered[state] else when for state, when in snapshot.entered.items()}
        return replace(snapshot, entered=HeldDict(entered))

    def _look_on(self, snapshot: Snapshot, at: datetime) -> None:
        self._steps += 1
        if not self._is_round and self._steps >= self._reach:
            self._mark, self._steps, self._reach = (snapshot, at), 0, 2 * self._reach


def _is_same_place(definition: Definition, before: Snapshot, since: datetime, snapshot: Snapshot, at: datetime) -> bool:
    """Whether the machine stands *at* one time as it has stood *since* an earlier one."""
    if since == at or (before.value, before.elapsed, before.history) != (snapshot.value, snapshot.elapsed, snapshot.history):
        return False
    # The order of active states decides, and mappings are equal without it.
    if list(before.entered) != list(snapshot.entered) or _left(definition, before, since) != _left(definition, snapshot, at):
        return False
    return before.context is snapshot.context or _text(before.context) == _text(snapshot.context)


def _left(definition: Definition, snapshot: Snapshot, at: datetime) -> dict[str, timedelta]:
    """How long the states have been active whose delays are not over."""
    waiting = {state for state in snapshot.entered if any(delay.event not in snapshot.elapsed for delay in definition.nodes[state].after)}
    return {state: at - snapshot.entered[state] for state in waiting}


def _text(context: object) -> str:
    # True is 1 to Python, and not to a guard.
    return jsontext.dumps(let_go(context))
