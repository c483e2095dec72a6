"""Microsteps with every answer that guards may give."""

from handgriff.core.machine.exploring import Configuration, Explorer
from tests.unit.core.machine.machines import machine


def test_every_combination_of_answers_is_tried_once() -> None:
    to = [{"target": "b", "guard": "yes"}, {"target": "c", "guard": "no"}, {"target": "b", "guard": "yes"}]
    definition = machine({"a": {"on": {"GO": to}}, "b": {}, "c": {}})
    explorer = Explorer(definition)
    [begun] = explorer.begin()

    assert [found.active for found in explorer.send(begun, "GO")] == [(0, 3), (0, 2)]
    assert explorer.send(begun, "ELSE") == []


def test_guards_and_actions_of_the_machine_are_never_called() -> None:
    def broken(*_: object) -> bool:
        raise AssertionError

    go = {"target": "b", "guard": "broken", "actions": "broken"}
    definition = machine({"a": {"on": {"GO": go}}, "b": {}}, guards={"broken": broken}, actions={"broken": broken})
    explorer = Explorer(definition)

    assert [found.active for found in explorer.send(explorer.begin()[0], "GO")] == [(0, 2)]


def test_a_macrostep_goes_on_with_what_it_has_raised() -> None:
    inner = {"initial": "x", "states": {"x": {"on": {"GO": "y"}}, "y": {"type": "final"}}}
    definition = machine({"a": {**inner, "onDone": "b"}, "b": {}})
    explorer = Explorer(definition)
    [begun] = explorer.begin()
    [ended] = explorer.send(begun, "GO")

    assert (ended.is_rest, ended.queue, ended.path) == (False, ("xstate.done.state.m.a",), "states.a.states.x.on.GO")
    assert [found.is_rest for found in explorer.go_on(ended)] == [True]


def test_a_circle_that_raises_an_event_each_time_is_given_up() -> None:
    again = {"always": {"target": "#m.a", "guard": "yes", "reenter": True}, "initial": "x", "states": {"x": {"type": "final"}}}
    definition = machine({"a": again})
    explorer = Explorer(definition)
    growing = dict.fromkeys(explorer.begin())
    found = set(growing)
    while growing:
        at, _ = growing.popitem()
        new = [] if at.is_rest else [each for each in explorer.go_on(at) if each not in found]
        found.update(new)
        growing |= dict.fromkeys(new)

    assert 1 < max(len(each.queue) for each in found) < 5


def test_the_end_of_a_machine_is_a_rest_whatever_waits() -> None:
    assert Configuration((0,), (), is_done=True, looks=True, queue=("x",)).is_rest
