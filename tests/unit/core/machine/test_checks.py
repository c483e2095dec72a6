"""What is found wrong with a machine before it runs."""

from typing import Any

import pytest

from handgriff import DefinitionError, Machine
from handgriff.core.machine.checks import findings
from handgriff.core.machine.finding import Finding
from handgriff.machine import AlwaysReaches, OnlyAfter, State, Transition
from tests.unit.core.machine.machines import machine

ENDLESS = "guard one of the `always` or `onDone` transitions of the circle."


async def state_of(call: object) -> str:
    return "a"


def test_nothing_is_found_where_everything_is_reached_and_ends() -> None:
    definition = machine(
        {"a": {"on": {"GO": "b"}}, "b": {"after": {"1000": "a"}, "always": {"target": "c", "guard": "no"}}, "c": {"type": "final"}}
    )

    assert findings(definition) == ()


def test_a_state_that_no_way_leads_to_is_found_once_with_all_in_it() -> None:
    inner = {"initial": "x", "states": {"x": {}, "y": {}}}
    definition = machine({"a": {"on": {"GO": "b"}}, "b": {"on": {"BACK": "a"}}, "lost": inner, "half": {"type": "final"}})

    assert findings(definition) == (
        Finding("states.lost", "no way leads to 'lost'.", "let a transition lead there, or leave it out."),
        Finding("states.half", "no way leads to 'half'.", "let a transition lead there, or leave it out."),
    )


def test_a_state_that_is_only_passed_through_is_reached() -> None:
    assert findings(machine({"a": {"on": {"GO": "b"}}, "b": {"always": "c"}, "c": {"type": "final"}})) == ()


@pytest.mark.parametrize(
    "stuck",
    [
        pytest.param({}, id="nothing at all"),
        pytest.param({"on": {"GO": "stuck"}}, id="an event that leads back"),
        pytest.param({"on": {"GO": {"actions": "note"}}}, id="an event that stays"),
        pytest.param({"on": {"GO": {}}}, id="a forbidden one"),
    ],
)
def test_a_place_that_nothing_leaves_is_a_dead_end(stuck: dict[str, Any]) -> None:
    [found] = findings(machine({"a": {"on": {"GO": "stuck"}}, "stuck": stuck}))

    assert found == Finding(
        "states.stuck",
        "nothing ever leaves 'stuck', and it isn't final.",
        "give it an event or a delay that leads on, or `type: final`.",
    )


def test_a_region_that_is_stuck_is_none_while_another_one_moves() -> None:
    moving = {"initial": "x", "states": {"x": {"on": {"GO": "y"}}, "y": {"on": {"GO": "x"}}}}

    assert findings(machine({"l": moving, "r": {"initial": "z", "states": {"z": {}}}}, type="parallel")) == ()


def test_an_unguarded_circle_is_endless_and_told_once() -> None:
    definition = machine({"a": {"on": {"GO": "b", "ON": "c"}}, "b": {"always": "c"}, "c": {"always": "b"}})

    [found] = findings(definition)

    assert found == Finding("states.c.always", "endless: with GO it never comes to rest, whatever the guards say.", ENDLESS)


def test_a_circle_of_done_events_is_endless() -> None:
    inner = {"initial": "x", "states": {"x": {"type": "final"}}, "onDone": {"target": "b", "reenter": True}}

    [found] = findings(machine({"a": {"on": {"GO": "b"}}, "b": inner}))

    assert found == Finding("states.b.onDone", "endless: with GO it never comes to rest, whatever the guards say.", ENDLESS)


def test_a_guarded_circle_that_can_be_left_is_the_interpreters_to_judge() -> None:
    states = {"a": {"on": {"GO": "b"}}, "b": {"always": {"target": "c", "guard": "yes"}, "on": {"GO": "a"}}, "c": {"always": "b"}}

    assert findings(machine(states)) == ()


def test_a_guarded_circle_that_cannot_be_left_is_endless() -> None:
    forks = [{"target": "c", "guard": "yes"}, {"target": "d"}]
    states = {"a": {"on": {"GO": "b"}}, "b": {"always": forks}, "c": {"always": "b"}, "d": {"always": "b"}}

    assert [found.problem for found in findings(machine(states))] == ["endless: with GO it never comes to rest, whatever the guards say."]


def test_states_that_cannot_be_active_together_are_found_with_the_way_there() -> None:
    region = {"initial": "x", "states": {"x": {"on": {"BACK": "#m.p.h"}}}}
    parallel = {"type": "parallel", "states": {"l": region, "r": {"initial": "x", "states": {"x": {}}}, "h": {"type": "history"}}}
    definition = machine({"p": {**parallel, "on": {"OUT": "q"}}, "q": {"on": {"IN": "p"}}})

    assert findings(definition) == (
        Finding(
            "states.p.states.l.states.x.on.BACK",
            "with BACK states would be active that can't be active together.",
            "name the states to enter instead of a history around the state it leaves.",
        ),
    )


def test_a_kept_machine_is_found_wrong_with_its_promises() -> None:
    kept = Machine("m", State("a", on={"GO": "b"}), State("b"), invariants=[OnlyAfter("b", "GO"), OnlyAfter("GO", "b")])

    assert [found.where for found in findings(kept)] == ["states.b", "invariants: OnlyAfter(later='GO', earlier='b')"]


def test_of_a_derived_machine_only_what_is_promised_is_checked() -> None:
    silent = Machine("m", "a", "b", state_of=state_of)
    promised = Machine("m", State("a", on={"GO": "b"}), "b", "lost", state_of=state_of, invariants=[AlwaysReaches("b"), AlwaysReaches("a")])

    assert findings(silent) == ()
    assert [found.problem for found in findings(promised)] == ["it doesn't hold: with GO, it is in 'b', from where no way leads to 'a'."]


def test_what_is_no_promise_is_a_finding() -> None:
    promises: list[Any] = ["discharge after approve"]

    [found] = findings(Machine("m", State("a", type="final"), invariants=promises))

    assert found == Finding("invariants", "'discharge after approve' is no promise.", "give OnlyAfter, NeverTogether or AlwaysReaches.")


def test_a_machine_that_begins_endlessly_is_refused_when_it_is_made() -> None:
    with pytest.raises(DefinitionError, match="endless"):
        Machine("m", State("a", always=Transition("b")), State("b", always=Transition("a")))
