"""The interpreter on small machines: what XState does, one behaviour a test. `test_xstate.py` compares thousands of random ones."""

from typing import Any

import pytest

from handgriff.core.machine.interpret import can, next_step, start
from handgriff.core.machine.run import MAX_MICROSTEPS
from handgriff.core.machine.select import could
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import NOON, after, begun, machine, names, sent

NESTED: dict[str, Any] = {
    "open": {
        "initial": "unpaid",
        "on": {"PAY": "shut", "SKIP": "shut", "x.y": "shut"},
        "states": {"unpaid": {"on": {"PAY": "paid", "SKIP": {}, "x.*": {}}}, "paid": {}},
    },
    "shut": {"type": "final"},
}


def test_an_unknown_event_changes_nothing() -> None:
    definition = machine({"a": {}})
    snapshot = begun(definition)

    step = next_step(definition, snapshot, {"type": "X"}, after(5))

    assert step.snapshot is snapshot
    assert (step.changed, step.actions) == (False, ())


def test_an_inner_state_goes_before_the_one_around_it() -> None:
    assert sent(machine(NESTED), "PAY").snapshot.value == {"open": "paid"}


def test_the_state_around_takes_what_the_inner_one_does_not() -> None:
    assert sent(machine(NESTED), "PAY", "PAY").snapshot.value == "shut"


@pytest.mark.parametrize("event", ["SKIP", "x.y"])
def test_a_forbidden_transition_keeps_the_event_from_the_states_around(event: str) -> None:
    assert sent(machine(NESTED), event).snapshot.value == {"open": "unpaid"}


@pytest.mark.parametrize(("event", "value"), [("a", "partly"), ("a.b", "exactly"), ("a.c", "partly"), ("ab", "anyhow"), ("z", "anyhow")])
def test_a_name_goes_before_a_wildcard_and_a_long_one_before_a_short_one(event: str, value: str) -> None:
    on = {"*": "anyhow", "a.*": "partly", "a.b": "exactly", "*.b": "never", "a*": "never"}
    definition = machine({"s": {"on": on}, "anyhow": {}, "partly": {}, "exactly": {}, "never": {}})

    assert sent(definition, event).snapshot.value == value


def test_once_done_it_ignores_events() -> None:
    definition = machine({"a": {"on": {"END": "z"}}, "z": {"type": "final"}}, on={"END": ".a", "*": ".a"}, output={"n": 1})

    step = sent(definition, "END", "END")

    assert (step.snapshot.value, step.snapshot.status, step.snapshot.output) == ("z", "done", {"n": 1})
    assert not step.changed
    assert not can(definition, step.snapshot, {"type": "END"})
    assert not could(definition, step.snapshot, "END")


def test_leaving_goes_inside_out_and_entering_outside_in() -> None:
    def state(name: str, **more: Any) -> dict[str, Any]:
        return {"entry": f"+{name}", "exit": f"-{name}", **more}

    inner = {"initial": "y", "states": {"y": state("y")}}
    definition = machine({"a": state("a", **inner, on={"GO": {"target": "b", "actions": ["t", "u"]}}), "b": state("b", **inner)})

    assert names(sent(definition, "GO")) == ["-y", "-a", "t", "u", "+b", "+y"]


def test_a_target_in_itself_leaves_it_only_to_reenter() -> None:
    inner = {"initial": "x", "states": {"x": {}, "y": {}}}
    on = {"IN": ".y", "AGAIN": {"target": ".y", "reenter": True}}
    definition = machine({"a": {**inner, "on": on, "entry": "+a", "exit": "-a"}})

    assert names(sent(definition, "IN")) == []
    assert names(sent(definition, "AGAIN")) == ["-a", "+a"]


def test_being_entered_again_is_a_change() -> None:
    definition = machine({"a": {"on": {"STAY": "a", "AGAIN": {"target": "a", "reenter": True}}}})

    assert not sent(definition, "STAY", at=after(1)).changed
    assert sent(definition, "AGAIN", at=after(1)).snapshot.entered["m.a"] == after(1)


def test_the_end_of_all_regions_is_the_end_of_a_parallel_state() -> None:
    def region(event: str) -> dict[str, Any]:
        return {"initial": "on", "states": {"on": {"on": {event: "off"}}, "off": {"type": "final"}}}

    definition = machine({"p": {"type": "parallel", "states": {"l": region("L"), "r": region("R")}, "onDone": "over"}, "over": {}})

    assert sent(definition, "L").snapshot.value == {"p": {"l": "off", "r": "on"}}
    assert sent(definition, "L", "R").snapshot.value == "over"


def test_the_end_of_a_state_carries_the_output_of_its_final_one() -> None:
    def is_five(_context: object, event: Any, params: Any) -> bool:
        return bool(event["output"] == params["n"])

    guard = {"type": "is", "params": {"n": 5}}
    inside = {"initial": "x", "states": {"x": {"on": {"END": "z"}}, "z": {"type": "final", "output": 5}}}
    definition = machine({"a": {**inside, "onDone": {"target": "b", "guard": guard}}, "b": {}}, guards={"is": is_five})

    assert sent(definition, "END").snapshot.value == "b"


@pytest.mark.parametrize(("kind", "value"), [("shallow", {"a": {"x": "one"}}), ("deep", {"a": {"x": "two"}})])
def test_a_history_leads_back(kind: str, value: object) -> None:
    x = {"initial": "one", "states": {"one": {"on": {"NEXT": "two"}}, "two": {}}}
    a = {"initial": "w", "states": {"w": {"on": {"X": "x"}}, "x": x, "h": {"type": "history", "history": kind}}, "on": {"OUT": "b"}}
    definition = machine({"a": a, "b": {"on": {"BACK": "a.h"}}})

    assert sent(definition, "X", "NEXT", "OUT", "BACK").snapshot.value == value


def test_a_history_without_one_leads_to_its_target_or_the_initial_state() -> None:
    a = {"initial": "w", "states": {"w": {}, "v": {}, "h": {"type": "history"}, "i": {"type": "history", "target": "v"}}}
    definition = machine({"b": {"on": {"H": "a.h", "I": "a.i"}}, "a": a})

    assert sent(definition, "H").snapshot.value == {"a": "w"}
    assert sent(definition, "I").snapshot.value == {"a": "v"}


def test_a_history_may_be_where_a_state_begins() -> None:
    a = {"initial": "h", "states": {"w": {"on": {"NEXT": "v"}}, "v": {}, "h": {"type": "history", "target": "w"}}, "on": {"OUT": "b"}}
    definition = machine({"a": a, "b": {"on": {"BACK": "a"}}})

    assert begun(definition).value == {"a": "w"}
    assert sent(definition, "NEXT", "OUT", "BACK").snapshot.value == {"a": "v"}


def test_initial_actions_are_performed_where_a_state_is_entered_by_default() -> None:
    a = {"initial": {"target": ["x"], "actions": "first"}, "states": {"x": {}, "y": {}}, "entry": "+a"}
    definition = machine({"s": {"on": {"A": "a", "Y": "a.y"}}, "a": a})

    assert names(sent(definition, "A")) == ["+a", "first"]
    assert names(sent(definition, "Y")) == ["+a"]


def test_a_route_leads_to_a_state_from_anywhere() -> None:
    definition = machine(
        {
            "a": {},
            "b": {"id": "here", "route": {}},
            "c": {"id": "there", "route": {"guard": "yes"}},
            "d": {"id": "nowhere", "route": {"guard": "no"}},
        }
    )

    assert sent(definition, {"type": "xstate.route", "to": "#here"}).snapshot.value == "b"
    assert sent(definition, {"type": "xstate.route", "to": "#there"}).snapshot.value == "c"
    assert sent(definition, {"type": "xstate.route", "to": "#nowhere"}).snapshot.value == "a"
    assert sent(definition, {"type": "xstate.route", "to": "#m"}).snapshot.value == "a"


def test_always_and_done_come_one_after_the_other_and_never_in_between() -> None:
    """B039: what a state sets off runs when the transition into it is over; each step begins where the last one ended."""
    checked = {"entry": "+checked", "exit": "-checked", "always": {"target": "approved", "actions": "checked>approved"}}
    definition = machine(
        {
            "new": {"exit": "-new", "on": {"CHECK": {"target": "checked", "actions": "new>checked"}}},
            "checked": checked,
            "approved": {
                "entry": "+approved",
                "initial": "z",
                "states": {"z": {"type": "final"}},
                "onDone": {"target": "sent", "actions": "approved>sent"},
            },
            "sent": {"entry": "+sent"},
        }
    )

    step = sent(definition, "CHECK")

    assert step.snapshot.value == "sent"
    assert names(step) == ["-new", "new>checked", "+checked", "-checked", "checked>approved", "+approved", "approved>sent", "+sent"]


def test_always_is_asked_again_on_an_event_that_nothing_takes() -> None:
    def is_set(_context: object, event: Any, _params: object) -> bool:
        return "go" in event

    definition = machine({"a": {"always": {"target": "b", "guard": "set"}}, "b": {}}, guards={"set": is_set})

    assert sent(definition, "X").snapshot.value == "a"
    assert sent(definition, {"type": "X", "go": 1}).snapshot.value == "b"


@pytest.mark.parametrize(
    "states",
    [
        {"a": {"always": "b"}, "b": {"always": "a"}},
        {"a": {"initial": "z", "states": {"z": {"type": "final"}}, "onDone": {"target": "a", "reenter": True}}},
        {"s": {"on": {"GO": "a"}}, "a": {"always": "b"}, "b": {"always": "a"}},
    ],
    ids=["always", "done", "later"],
)
def test_a_machine_that_never_comes_to_rest_is_an_error(states: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match=f"endless: it doesn't come to rest within {MAX_MICROSTEPS} microsteps"):
        sent(machine(states), "GO")


def test_a_long_way_is_no_endless_one() -> None:
    states = {f"s{number}": {"always": f"s{number + 1}"} for number in range(MAX_MICROSTEPS - 1)}

    assert begun(machine({**states, f"s{MAX_MICROSTEPS - 1}": {}})).value == f"s{MAX_MICROSTEPS - 1}"


def test_states_that_cannot_be_active_together_are_an_error_and_not_stored() -> None:
    """XState leaves the parallel state, and enters its regions without it: the machine is in both states of the root."""
    p = {"type": "parallel", "states": {"l": {"on": {"GO": "h"}}, "r": {}, "h": {"type": "history"}}}
    definition = machine({"a": {"on": {"P": "p"}}, "p": p})
    snapshot = sent(definition, "P").snapshot

    with pytest.raises(DefinitionError, match="can't be active together") as refused:
        next_step(definition, snapshot, {"type": "GO"}, NOON)

    assert refused.value.member == "states.p.states.l.on.GO"
    torn = next_step(definition, snapshot, {"type": "GO"}, NOON, torn=True)
    assert torn.snapshot.value == "a"


@pytest.mark.parametrize(
    ("event", "is_possible"), [("SELF", True), ("FORBIDDEN", False), ("ACTION", True), ("NO", False), ("YES", True), ("X", False)]
)
def test_can_says_whether_an_event_does_anything(event: str, is_possible: bool) -> None:
    on = {
        "SELF": "a",
        "FORBIDDEN": {},
        "ACTION": {"actions": "note"},
        "NO": {"target": "a", "guard": "no"},
        "YES": {"target": "a", "guard": "yes"},
    }
    definition = machine({"a": {"on": on}})

    assert can(definition, begun(definition), {"type": event}) is is_possible


@pytest.mark.parametrize(
    ("event", "may"),
    [("GUARDED", True), ("ENDS", False), ("PASSES", True), ("X", False), ("BOTH", True)],
)
def test_could_says_whether_an_event_may_do_anything_whatever_the_guards_say(event: str, may: bool) -> None:
    on = {"GUARDED": {"target": "a", "guard": "no"}, "ENDS": {}, "PASSES": [{"guard": "no"}], "BOTH": [{"guard": "no"}, {"target": "a"}]}
    definition = machine({"a": {"on": on}}, on={"ENDS": ".a", "PASSES": ".a"})

    assert could(definition, begun(definition), event) is may


def test_the_machine_may_begin_at_its_end() -> None:
    step = start(machine({"z": {"type": "final", "entry": "+z", "exit": "-z"}}), NOON)

    assert step.snapshot.status == "done"
    assert names(step) == ["+z", "-z"]


@pytest.mark.parametrize("event", [{}, {"type": None}, {"type": 5}], ids=["none", "null", "number"])
def test_an_event_has_a_type(event: dict[str, Any]) -> None:
    definition = machine({"a": {}})

    with pytest.raises(TypeError, match="'type'"):
        next_step(definition, begun(definition), event, NOON)
