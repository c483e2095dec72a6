"""What a run leaves when it has come to rest: a snapshot."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from handgriff.core.machine.configuration import inside_of, places_of, seen_inside, value_of
from handgriff.core.machine.held import HeldDict
from handgriff.core.machine.node import Definition
from handgriff.core.machine.run import Run
from handgriff.core.machine.snapshot import Snapshot
from handgriff.errors import DefinitionError


def resumed(definition: Definition, snapshot: Snapshot) -> Run:
    """A run that goes on from *snapshot*."""
    nodes = definition.nodes
    history: dict[int, tuple[int, ...]] = {}
    if snapshot.history:  # few machines have any, and a comprehension costs more than a look
        history = {nodes[key].place: tuple(nodes[each].place for each in left) for key, left in snapshot.history.items()}
    return Run(definition, places_of(definition.places, snapshot.value), snapshot.context, history)


def rested(run: Run, before: Snapshot | None, at: datetime, *, torn: bool) -> Snapshot:
    """The snapshot of *run*, which went on from *before* at this time.

    Raises:
        DefinitionError: its states can't be active together, and it isn't *torn*.
    """
    definition = run.definition
    active: Collection[int] = run.active
    inside = inside_of(definition.places, active)
    if inside is None and not torn:
        problem = "it would leave states active that can't be active together."
        mend = "name the states to enter, instead of a history around the state that it leaves."
        raise DefinitionError(definition.id, run.path, problem, mend=mend)
    value = value_of(definition.places, inside or seen_inside(definition.places, active))
    if inside is None:
        active = places_of(definition.places, value)
    entered = _entered(run, active, before.entered if before is not None else {}, at)
    return Snapshot(
        value=value,
        context=run.context,
        history=_history(run) if before is None or run.has_new_history else before.history,
        status="done" if run.is_done else "active",
        entered=entered,
        elapsed=_elapsed(run, before.elapsed, entered) if before is not None and before.elapsed else (),
        output=definition.root.output if run.is_done else None,
    )


def _entered(run: Run, active: Iterable[int], before: Mapping[str, datetime], at: datetime) -> HeldDict:
    places, fresh = run.definition.places, run.fresh
    return HeldDict({(id_ := places[place].id): at if place in fresh else before.get(id_, at) for place in active})


def _history(run: Run) -> Mapping[str, Any]:
    places = run.definition.places
    # An empty one, of a state that was left before anything in it was entered, is forgotten by XState when it is stored.
    return HeldDict({places[key].id: tuple(places[place].id for place in left) for key, left in run.history.items() if left})


def _elapsed(run: Run, before: Iterable[str], entered: Mapping[str, datetime]) -> tuple[str, ...]:
    """Of the delays that were over, those of states that have stayed active."""
    delays, places = run.definition.delays, run.definition.places
    return tuple(event for event in before if delays[event][0] not in run.fresh and places[delays[event][0]].id in entered)
