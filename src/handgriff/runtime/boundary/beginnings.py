"""Whether an instance that is not where it should be has never begun, or was left somewhere: under an id that nobody knows any more, in the
store, outside of it. Nothing begins anew in silence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from handgriff.core.events import Event
from handgriff.core.machine.machine import Machine
from handgriff.core.rows import Workflow
from handgriff.core.workflow import last_moves, words_of
from handgriff.errors import Refusal


@dataclass(frozen=True, slots=True)
class Trace:
    """Where an instance was last seen."""

    id: str
    """The machine's, as it was then."""
    state: str


def check_new(machine: Machine, machines: Iterable[Machine], *, rows: Sequence[Workflow], events: Sequence[Event]) -> None:
    """See that a session's own instance of *machine*, which is not where this host keeps it, has never begun. *rows* are the session's own
    in the store, *events* its events.

    Raises:
        Refusal: `closed`; it has, or may have under an id that none of *machines* has or had.
    """
    traces = [Trace(row.machine, words_of(row.snapshot)) for row in rows]
    moves = last_moves(events, lambda name: name)
    traces += [Trace(name, moved.after) for name, moved in moves.items() if moved.snapshot is not None]
    mine = next((trace for trace in traces if trace.id in machine.ids), None)
    if mine is not None:
        raise left_behind(machine, mine.state, is_in_store=any(row.machine in machine.ids for row in rows))
    known = {name for each in machines for name in each.ids}
    stranger = next((trace for trace in traces if trace.id not in known), None)
    if stranger is not None and machine.formerly is None:
        raise _unknown(machine, stranger)


def left_behind(machine: Machine, state: str, *, is_in_store: bool) -> Refusal:
    """The refusal where an instance is not where this host keeps it."""
    if is_in_store:
        why = f"This {machine.id} can't go on: it is in {state!r} in the store, and this host keeps it elsewhere."
        return _refusal(machine, state, why, "move it: handgriff workflow move.")
    why = f"This {machine.id} can't go on: it has come to {state!r}, and is not where this host keeps it."
    return _refusal(machine, state, why, "give the host the snapshots= that it was kept in, or restore these.")


def _unknown(machine: Machine, trace: Trace) -> Refusal:
    why = f"This {machine.id} can't begin: here is a {trace.id} in {trace.state!r}, which nobody knows any more and which it may have been."
    return _refusal(machine, "unknown", why, f"say formerly=({trace.id!r},) at the machine, or formerly=() where it never was one.")


def _refusal(machine: Machine, state: str, why: str, mend: str) -> Refusal:
    # As where a machine has changed: what was reached, and what must not be repeated, would be forgotten.
    step = f"Tell the user; whoever runs this assistant must {mend}"
    return Refusal("closed", why, next=step, machine=machine.id, state=state, allowed=[])
