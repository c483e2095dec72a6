"""Snapshots as text: what was written is read as it was, and what contradicts itself or the machine is no snapshot."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from handgriff.core.machine.interpret import next_step
from handgriff.core.machine.snapshot import Snapshot, SnapshotFault
from tests.unit.core.machine.machines import NOON, after, begun, machine, names, sent

INSIDE = {"initial": "x", "states": {"x": {}, "y": {}, "h": {"type": "history", "history": "deep"}}}
MACHINE = machine(
    {
        "draft": {"on": {"OPEN": "open", "END": "over"}, "entry": "+draft", "after": {"500": {"guard": "no"}}},
        "open": {"type": "parallel", "on": {"BACK": "draft"}, "states": {"l": INSIDE, "r": {}}},
        "group": INSIDE,
        "over": {"type": "final"},
    },
    context={"n": 1, "of": [{"x": "é"}]},
    output={"n": 2},
)
DRAFT = {
    "value": "draft",
    "context": {"n": 1},
    "history": {"m.open.l.h": ["m.open.l.x"]},
    "status": "active",
    "entered": {"m": "2026-11-30T12:00:00+00:00", "m.draft": "2026-11-30T12:00:00+00:00"},
}


@pytest.mark.parametrize("events", [(), ("OPEN",), ("OPEN", "BACK"), ("END",)], ids=" ".join)
def test_what_was_written_is_read_as_it_was(events: tuple[str, ...]) -> None:
    snapshot = sent(MACHINE, *events, at=after(1)).snapshot

    assert Snapshot.from_json(snapshot.to_json(), MACHINE) == snapshot


def test_a_time_keeps_its_zone() -> None:
    kathmandu = NOON.astimezone(timezone(timedelta(hours=5, minutes=45)))
    snapshot = sent(MACHINE, "OPEN", at=kathmandu).snapshot

    read = Snapshot.from_json(snapshot.to_json(), MACHINE)

    assert read.entered["m.open"].isoformat() == kathmandu.isoformat()


def test_entry_actions_are_not_performed_again_when_it_is_read() -> None:
    """B038: what is restored is the very state that was stored; only the next event does anything."""
    snapshot = Snapshot.from_json(begun(MACHINE).to_json(), MACHINE)

    step = next_step(MACHINE, snapshot, {"type": "X"}, NOON)

    assert names(step) == []
    assert step.snapshot == begun(MACHINE)


def test_a_snapshot_can_be_kept_as_json_of_another_making() -> None:
    assert Snapshot.from_json(json.dumps(DRAFT, indent=2), MACHINE).value == "draft"
    assert Snapshot.from_json(json.dumps(DRAFT).encode(), MACHINE).value == "draft"


FAULTS: dict[str, tuple[Mapping[str, Any], str]] = {
    "an unknown state": ({"value": "gone"}, "'m' has no state 'gone'"),
    "a name of a prototype": ({"value": "constructor"}, "has no state 'constructor'"),
    "a name of python": ({"value": {"__class__": {}}}, "has no state '__class__'"),
    "a number": ({"value": 5}, "says 5 of 'm'"),
    "null": ({"value": None}, "says None of 'm'"),
    "a list": ({"value": ["draft"]}, "says"),
    "nothing inside": ({"value": "open"}, "doesn't say what is active in it"),
    "a missing region": ({"value": {"open": {"l": "x"}}}, "can't be active together"),
    "a region too many": ({"value": {"open": {"l": "x", "r": {}, "q": {}}}}, "'m.open' has no state 'q'"),
    "two states of one": ({"value": {"open": {"l": "x", "r": {}}, "group": "x"}}, "can't be active together"),
    "two states beside each other": ({"value": {"draft": {}, "over": {}}}, "has no states in it"),
    "states in a leaf": ({"value": {"draft": "x"}}, "'m.draft' has no states in it"),
    "a region as a text": ({"value": {"open": "l"}}, "'m.open' has no state 'l'"),
    "a history as a state": ({"value": {"group": "h"}}, "and the value doesn't say"),
    "a history as a key": ({"value": {"group": {"h": {}}}}, "can be active"),
    "empty": ({"value": {}}, "can't be active together"),
    "other times than states": ({"value": "over", "status": "done"}, "those with a time of entry differ: 'm.draft', 'm.over'"),
    "done where it isn't": ({"status": "done"}, "its status is done, and its states are not"),
    "active where it is over": ({"value": "over"}, "its states are done, and its status is not"),
    "an unknown status": ({"status": "stopped"}, "its status is 'stopped'"),
    "a status that is a list": ({"status": []}, "its status is []"),
    "an output before its end": ({"output": 1}, "it has an output, and isn't done"),
    "a context that is a list": ({"context": []}, "its context is no object"),
    "a history that is a list": ({"history": []}, "its history is no object"),
    "a history of no history": ({"history": {"m.draft": ["m.draft"]}}, "'m.draft' is no history state"),
    "a history of another state": ({"history": {"m.open.l.h": ["m.draft"]}}, "'m.draft' can't be in the history of"),
    "a history of a state around": ({"history": {"m.open.l.h": ["m.open"]}}, "'m.open' can't be in the history of"),
    "a history of a history": ({"history": {"m.open.l.h": ["m.open.l.h"]}}, "can't be in the history of"),
    "an empty history": ({"history": {"m.open.l.h": []}}, "the history of 'm.open.l.h' is []"),
    "a history that is a text": ({"history": {"m.open.l.h": "m.open.l.x"}}, "the history of"),
    "times as a list": ({"entered": []}, "its times are no object"),
    "a time without its zone": ({"entered": {"m": "2026-11-30T12:00:00", "m.draft": "2026-11-30"}}, "is no time with its zone"),
    "a time that is a number": ({"entered": {"m": 1, "m.draft": 2}}, "1 is no time"),
    "a delay of another state": ({"elapsed": ["xstate.after.500.m.open"]}, "is no delay of an active state"),
    "delays as a text": ({"elapsed": "x"}, "are no list"),
    "something beside": ({"children": {}}, "'children', which means nothing"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_contradictory_or_foreign_text_is_no_snapshot(fault: str) -> None:
    """B038: it is refused with what is wrong, and never read as a fresh start or half of it."""
    changes, problem = FAULTS[fault]

    with pytest.raises(SnapshotFault) as refused:
        Snapshot.from_json(json.dumps({**DRAFT, **changes}), MACHINE)

    assert problem in str(refused.value)


@pytest.mark.parametrize("member", ["value", "context", "history", "status", "entered"])
def test_a_text_without_a_member_is_no_snapshot(member: str) -> None:
    with pytest.raises(SnapshotFault, match=f"it has no {member}"):
        Snapshot.from_json(json.dumps({name: value for name, value in DRAFT.items() if name != member}), MACHINE)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"draft"', '{"value":"draft","value":"draft"}'], ids=ascii)
def test_a_text_that_is_no_object_is_no_snapshot(text: str) -> None:
    with pytest.raises(SnapshotFault):
        Snapshot.from_json(text, MACHINE)


CHANGES: dict[str, Callable[[Any], object]] = {
    "its context": lambda snapshot: snapshot.context.update(n=2),
    "in its context": lambda snapshot: snapshot.context["of"][0].clear(),
    "its value": lambda snapshot: snapshot.value.pop("open"),
    "in its value": lambda snapshot: snapshot.value["open"].clear(),
    "its times": lambda snapshot: snapshot.entered.clear(),
    "its history": lambda snapshot: snapshot.history.clear(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_snapshot_cannot_be_changed_in_place(change: str) -> None:
    snapshot = sent(MACHINE, "OPEN").snapshot

    with pytest.raises(TypeError, match="can't be changed in place"):
        CHANGES[change](snapshot)


def test_a_state_that_stays_keeps_its_time() -> None:
    snapshot = next_step(MACHINE, begun(MACHINE), {"type": "OPEN"}, after(7)).snapshot

    assert snapshot.entered == dict.fromkeys(("m.open", "m.open.l", "m.open.l.x", "m.open.r"), after(7)) | {"m": NOON}
    assert all(isinstance(at, datetime) for at in snapshot.entered.values())
