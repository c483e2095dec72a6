"""What is stored of a kept instance, read again: by the machine as it is now, or migrated to it. It never begins anew."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from handgriff.core import jsontext
from handgriff.core.events import Moved
from handgriff.core.machine.configuration import places_of
from handgriff.core.machine.interpret import caught_up
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.snapshot import Snapshot, SnapshotFault
from handgriff.core.rows import Workflow
from handgriff.core.standing import stands
from handgriff.core.workflow import moved_by, words_of
from handgriff.errors import DefinitionError, Refusal


def snapshot_of(machine: Machine, row: Workflow) -> Snapshot:
    """The snapshot of *row*, migrated where the machine has changed since.

    Raises:
        Refusal: `closed`; it belongs to another machine, or to none.
        DefinitionError: the migration raised, or answered no snapshot of this machine.
    """
    if row.hash != machine.hash:
        return _migrated(machine, row)
    try:
        return Snapshot.from_json(row.snapshot, machine.definition)
    except SnapshotFault as fault:
        raise _changed(machine, row, f"its snapshot fits no state of the machine: {fault}") from fault


def moved_at(machine: Machine, row: Workflow, at: datetime) -> Moved | None:
    """What the claim of *row* makes of it, as it was *at* that time; None where nothing holds it."""
    moved = moved_by(machine, row)
    if moved is None or not machine.definition.delays or row.hash != machine.hash:
        return moved
    try:
        before = caught_up(machine.definition, snapshot_of(machine, row), at).snapshot
    except (DefinitionError, Refusal):
        # That it has moved is told, whatever can still be said of where it was.
        return moved
    return replace(moved, before=stands(machine, before).words)


def _migrated(machine: Machine, row: Workflow) -> Snapshot:
    migration, before = machine.migrations.get(row.hash), jsontext.loads(row.snapshot)
    if migration is None:
        raise _changed(machine, row, "its machine has changed since, and nothing says how to go on")
    try:
        after: object = migration(before if isinstance(before, dict) else {})
        return Snapshot.from_json(jsontext.dumps(_timed(machine, after) if isinstance(after, Mapping) else after), machine.definition)
    except Exception as error:
        problem = f"what it answered is no snapshot: {error}." if isinstance(error, SnapshotFault) else f"{type(error).__name__}: {error}."
        raise DefinitionError(machine.id, f"migrations[{row.hash!r}]", problem, mend="let it answer a snapshot of this machine.") from error


def _timed(machine: Machine, members: Mapping[str, Any]) -> dict[str, Any]:
    """*members* with times for exactly the active states: a migration to another state need not say since when it is there. It counts from
    when the instance last moved."""
    places, entered = machine.definition.places, members.get("entered")
    try:
        active = {places[place].id: place for place in places_of(places, members["value"])}
    except (KeyError, TypeError, AttributeError):
        return dict(members)  # no state of this machine, which is said by whoever reads it
    if not isinstance(entered, Mapping) or not entered or entered.keys() == active.keys():
        return dict(members)
    last, delays = max(entered.values()), machine.definition.delays
    elapsed = [each for each in members.get("elapsed", ()) if each in delays and delays[each][0] in active.values()]
    return {**members, "entered": {state: entered.get(state, last) for state in active}, "elapsed": elapsed}


def _changed(machine: Machine, row: Workflow, why: str) -> Refusal:
    # Never a fresh start: what was reached there, and what must not be repeated, would be forgotten.
    return Refusal(
        "closed",
        f"This {machine.id} can't go on: {why}.",
        next="Tell the user; whoever runs this assistant must migrate it.",
        machine=machine.id,
        state=words_of(row.snapshot),
        allowed=[],
    )
