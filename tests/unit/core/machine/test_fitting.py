"""Every reason why a text is no snapshot; `test_snapshot.py` has the first of each kind."""

from typing import Any

import pytest

from handgriff.core.machine.fitting import misfits
from tests.unit.core.machine.machines import machine

MACHINE = machine({"a": {"after": {"10": "b"}}, "b": {}, "h": {"type": "history"}})
GOOD: dict[str, Any] = {
    "value": "a",
    "context": {},
    "history": {"m.h": ["m.b"]},
    "status": "active",
    "entered": {"m": "2026-11-30T12:00:00Z", "m.a": "2026-11-30T12:00:00Z"},
    "elapsed": ["xstate.after.10.m.a"],
    "output": None,
}


def test_a_snapshot_that_fits_has_no_misfits() -> None:
    assert list(misfits(MACHINE, GOOD, torn=False)) == []


def test_what_is_wrong_beside_each_other_is_all_told() -> None:
    wrong = {"context": 1, "history": {"m.h": ["m.x", "m.h"], "m.a": []}, "entered": {"m": "noon", "m.a": 5}, "elapsed": [7], "output": 1}

    assert list(misfits(MACHINE, GOOD | wrong, torn=False)) == [
        "it has an output, and isn't done",
        "its context is no object",
        "'m.x' can't be in the history of 'm.h'",
        "'m.h' can't be in the history of 'm.h'",
        "'m.a' is no history state",
        "'noon' is no time with its zone",
        "5 is no time with its zone",
        "7 is no delay of an active state",
    ]


@pytest.mark.parametrize(
    "wrong",
    [{"value": "x", "context": 1}, {"value": {}, "context": 1}, {"more": 1, "value": "x"}],
    ids=["unknown", "no configuration", "unknown members"],
)
def test_what_follows_from_another_fault_is_not_told(wrong: dict[str, Any]) -> None:
    assert len(list(misfits(MACHINE, GOOD | wrong, torn=False))) == 1


def test_members_of_another_shape_are_told_once() -> None:
    shapes = {"history": 1, "entered": 1, "elapsed": 1}

    assert len(list(misfits(MACHINE, GOOD | shapes, torn=False))) == len(shapes)


def test_torn_states_fit_where_they_are_kept() -> None:
    states = machine({"a": {"initial": "x", "states": {"x": {}}}, "b": {"initial": "y", "states": {"y": {}}}})
    ids = ("m", "m.a", "m.b", "m.a.x", "m.b.y")
    torn = GOOD | {"value": {"a": "x", "b": "y"}, "history": {}, "elapsed": [], "entered": dict.fromkeys(ids, "2026-11-30T12:00:00Z")}

    assert list(misfits(states, torn, torn=True)) == []
    assert list(misfits(states, torn, torn=False)) == ["its states can't be active together"]
