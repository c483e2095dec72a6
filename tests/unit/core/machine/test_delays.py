"""Delayed transitions without timers: they are taken when a snapshot is read, each at its own time."""

from collections.abc import Mapping
from typing import Any

import pytest

from handgriff.core.machine.interpret import MAX_DELAYS, caught_up, due, next_step
from handgriff.core.machine.snapshot import Snapshot
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import NOON, after, begun, machine, names

LIGHT = machine(
    {"green": {"after": {"1000": "yellow"}}, "yellow": {"after": {"200": "red"}, "entry": "+y"}, "red": {"on": {"GO": "green"}}}
)


@pytest.mark.parametrize(
    ("milliseconds", "value", "entered"),
    [(0, "green", 0), (999, "green", 0), (1000, "yellow", 1000), (1199, "yellow", 1000), (9999, "red", 1200)],
)
def test_each_delayed_transition_is_taken_at_its_own_time(milliseconds: int, value: str, entered: int) -> None:
    step = caught_up(LIGHT, begun(LIGHT), after(milliseconds))

    assert step.snapshot.value == value
    assert step.snapshot.entered[f"m.{value}"] == after(entered)
    assert step.changed == (value != "green")


def test_a_snapshot_with_nothing_due_is_the_same() -> None:
    snapshot = begun(LIGHT)

    assert caught_up(LIGHT, snapshot, after(5)).snapshot is snapshot


def test_it_comes_to_the_same_however_often_it_is_read() -> None:
    snapshot = begun(LIGHT)
    for milliseconds in range(0, 1500, 7):
        read = caught_up(LIGHT, snapshot, after(milliseconds)).snapshot
        snapshot = Snapshot.from_json(read.to_json(), LIGHT)

    assert snapshot == caught_up(LIGHT, begun(LIGHT), after(9999)).snapshot


def test_what_is_performed_is_told_in_order() -> None:
    step = caught_up(LIGHT, begun(LIGHT), after(5000))

    assert names(step) == ["xstate.cancel", "+y", "xstate.raise", "xstate.cancel"]
    assert step.actions[2].params == {"event": {"type": "xstate.after.200.m.yellow"}, "id": "xstate.after.200.m.yellow", "delay": 200}


def test_a_delay_begins_again_when_its_state_is_entered_again() -> None:
    definition = machine({"a": {"after": {"100": "b"}, "on": {"AGAIN": {"target": "a", "reenter": True}}}, "b": {}})
    snapshot = next_step(definition, begun(definition), {"type": "AGAIN"}, after(60)).snapshot

    assert caught_up(definition, snapshot, after(159)).snapshot.value == "a"
    assert caught_up(definition, snapshot, after(160)).snapshot.value == "b"


def test_the_earliest_comes_first_and_may_take_the_others_away() -> None:
    inner = {"initial": "x", "states": {"x": {"after": {"50": "y", "10": {"actions": "ten"}}}, "y": {"entry": "+y"}}}
    definition = machine({"a": {**inner, "after": {"20": "b"}}, "b": {}})

    assert due(definition, begun(definition), after(50)) == (
        (after(10), "xstate.after.10.m.a.x"),
        (after(20), "xstate.after.20.m.a"),
        (after(50), "xstate.after.50.m.a.x"),
    )
    step = caught_up(definition, begun(definition), after(50))
    assert step.snapshot.value == "b"
    assert [name for name in names(step) if not name.startswith("xstate.")] == ["ten"]


def test_a_guard_is_asked_once_at_its_time() -> None:
    """A delay whose guard says no is over, as in XState: what happens later doesn't make it come true."""
    asked: list[Mapping[str, Any]] = []

    def is_set(context: Mapping[str, Any], _event: object, _params: object) -> bool:
        asked.append(context)
        return bool(context["set"])

    states = {"a": {"after": {"100": {"target": "b", "guard": "set"}}, "on": {"SET": {"actions": "set"}}}, "b": {}}
    definition = machine(states, guards={"set": is_set}, actions={"set": lambda _c, _e, _p: {"set": True}}, context={"set": False})

    snapshot = caught_up(definition, begun(definition), after(150)).snapshot
    snapshot = next_step(definition, Snapshot.from_json(snapshot.to_json(), definition), {"type": "SET"}, after(160)).snapshot
    snapshot = caught_up(definition, snapshot, after(9000)).snapshot

    assert snapshot.value == "a"
    assert asked == [{"set": False}]


def test_a_delay_that_was_over_counts_again_once_its_state_is_left_and_entered() -> None:
    states = {"a": {"after": {"100": {"target": "b", "guard": "no"}}, "on": {"AGAIN": {"target": "a", "reenter": True}}}, "b": {}}
    definition = machine(states)
    snapshot = caught_up(definition, begun(definition), after(100)).snapshot

    again = next_step(definition, snapshot, {"type": "AGAIN"}, after(200)).snapshot

    assert (snapshot.elapsed, again.elapsed) == (("xstate.after.100.m.a",), ())
    assert due(definition, again, after(300)) == ((after(300), "xstate.after.100.m.a"),)


def test_of_two_at_the_same_time_the_outer_state_comes_first() -> None:
    inner = {"initial": "x", "states": {"x": {"after": {"10": {"actions": "inner"}}}}}
    definition = machine({"a": {**inner, "after": {"10": {"actions": "outer"}}}})

    assert names(caught_up(definition, begun(definition), after(10))) == ["outer", "inner"]


def test_once_done_nothing_is_due() -> None:
    definition = machine({"z": {"type": "final"}}, after={"10": ".z"})

    assert due(definition, begun(definition), after(99)) == ()


def test_a_circle_without_delay_is_an_error() -> None:
    definition = machine({"a": {"after": {"0": "b"}}, "b": {"after": {"0": "a"}}})

    with pytest.raises(DefinitionError, match=f"endless: more than {MAX_DELAYS} delayed transitions") as refused:
        caught_up(definition, begun(definition), NOON)

    assert refused.value.member in {"xstate.after.0.m.a", "xstate.after.0.m.b"}


def test_a_delayed_event_can_be_sent_by_name_before_its_time() -> None:
    assert next_step(LIGHT, begun(LIGHT), {"type": "xstate.after.1000.m.green"}, NOON).snapshot.value == "yellow"
