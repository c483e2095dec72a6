"""Promises: proved over every configuration, or refuted with the shortest way there."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.machine.graph import graph_of
from handgriff.core.machine.interpret import can, next_step, start
from handgriff.core.machine.invariants import AlwaysReaches, Invariant, NeverTogether, OnlyAfter
from handgriff.core.machine.node import Definition
from handgriff.core.machine.proofs import BoundTool, broken
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import NOON, machine
from tests.unit.core.machine.random_definitions import EVENTS, HAPPENINGS, configs, defined

INVOICE = machine(
    {
        "draft": {"on": {"SUBMIT": "review"}},
        "review": {"on": {"APPROVE": "approved", "REJECT": "draft"}},
        "approved": {"on": {"DISCHARGE": "discharged"}},
        "discharged": {"type": "final"},
    }
)
SHORT_CUT = machine(
    {
        "draft": {"on": {"SUBMIT": "review", "RUSH": {"target": "approved", "guard": "no"}}},
        "review": {"on": {"APPROVE": "approved"}},
        "approved": {"on": {"DISCHARGE": "discharged", "HOLD": "held"}},
        "held": {},
        "discharged": {"type": "final"},
    }
)
TOOLS = {
    "approve": BoundTool((frozenset({"m.review"}),), "APPROVE"),
    "discharge": BoundTool((frozenset({"m.approved"}),), "DISCHARGE"),
    "look": BoundTool((frozenset({"m.approved", "m.discharged"}),), None),
}


def problem(definition: Definition, invariant: Invariant, tools: dict[str, BoundTool] | None = None) -> str | None:
    found = broken(graph_of(definition), invariant, TOOLS if tools is None else tools)
    return None if found is None else found.problem


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        pytest.param("DISCHARGE", "APPROVE", id="events"),
        pytest.param("approved", "review", id="states"),
        pytest.param("approved", "APPROVE", id="a state after the event that leads to it"),
        pytest.param("discharge", "approve", id="tools"),
        pytest.param("look", "approve", id="a tool that fires nothing, after one that does"),
        pytest.param("#m.discharged", "discharge", id="a state by its id, after a tool"),
    ],
)
def test_what_holds_whatever_guards_say_is_proved(later: str, earlier: str) -> None:
    assert problem(INVOICE, OnlyAfter(later, earlier)) is None


@pytest.mark.parametrize(
    ("later", "earlier", "told"),
    [
        pytest.param("discharge", "approve", "with RUSH, 'discharge' comes without 'approve' before it.", id="tools"),
        pytest.param("DISCHARGE", "APPROVE", "with RUSH, DISCHARGE, 'DISCHARGE' comes without 'APPROVE' before it.", id="events"),
        pytest.param("approved", "review", "with RUSH, 'approved' comes without 'review' before it.", id="states"),
        pytest.param("SUBMIT", "APPROVE", "with SUBMIT, 'SUBMIT' comes without 'APPROVE' before it.", id="an event at once"),
        pytest.param("draft", "review", "from the beginning 'draft' comes without 'review' before it.", id="a state at once"),
    ],
)
def test_what_breaks_a_promise_is_told_as_the_shortest_way(later: str, earlier: str, told: str) -> None:
    assert problem(SHORT_CUT, OnlyAfter(later, earlier)) == f"it doesn't hold: {told}"


def test_what_is_only_passed_through_has_happened() -> None:
    definition = machine({"a": {"on": {"GO": "through", "PAST": "b"}}, "through": {"always": "b"}, "b": {}})

    assert problem(definition, OnlyAfter("through", "GO")) is None
    assert problem(definition, OnlyAfter("b", "through")) == "it doesn't hold: with PAST, 'b' comes without 'through' before it."
    assert problem(definition, OnlyAfter("through", "b")) == "it doesn't hold: with GO, 'through' comes without 'b' before it."


def test_an_event_behind_a_wildcard_may_always_have_been_another_one() -> None:
    definition = machine({"a": {"on": {"*": "b"}}, "b": {}})
    tools = {"go": BoundTool((), "GO")}

    assert problem(definition, OnlyAfter("b", "GO"), tools) == "it doesn't hold: with *, 'b' comes without 'GO' before it."
    assert problem(definition, OnlyAfter("GO", "b"), tools) == "it doesn't hold: with GO, 'GO' comes without 'b' before it."


def test_states_that_exclude_each_other_are_never_together() -> None:
    region = {"initial": "a", "states": {"a": {"on": {"GO": "b"}}, "b": {}}}
    definition = machine({"l": region, "r": {**region, "states": {"a": {"on": {"R": "b"}}, "b": {}}}}, type="parallel")

    assert problem(definition, NeverTogether("l.a", "l.b")) is None
    assert problem(definition, NeverTogether("l.b", "r.b")) == "it doesn't hold: with GO, R, 'l.b' and 'r.b' are active together."
    assert (
        problem(definition, NeverTogether("l.a", "l.b", "r.a"))
        == "it doesn't hold: from the beginning 'l.a' and 'r.a' are active together."
    )


def test_a_state_is_always_reached_or_the_nearest_place_without_a_way_is_told() -> None:
    assert problem(INVOICE, AlwaysReaches("discharged")) is None
    assert problem(SHORT_CUT, AlwaysReaches("discharged")) == (
        "it doesn't hold: with RUSH, HOLD, it is in 'held', from where no way leads to 'discharged'."
    )


def test_a_way_of_time_reaches_too() -> None:
    definition = machine({"a": {"after": {"1000": "b"}}, "b": {"always": {"target": "c", "guard": "no"}}, "c": {"type": "final"}})

    assert problem(definition, AlwaysReaches("c")) is None


@pytest.mark.parametrize(
    ("invariant", "told"),
    [
        pytest.param(OnlyAfter("discharged", "aprove"), "'aprove' is no state, no event and no bound tool.", id="unknown"),
        pytest.param(
            OnlyAfter("look", "look"), "the tool 'look' sends no event, so that nothing tells that it has been called.", id="silent"
        ),
        pytest.param(NeverTogether("draft", "lost"), "'lost' is no state.", id="no state"),
        pytest.param(NeverTogether("draft"), "it takes two states to be together.", id="alone"),
        pytest.param(NeverTogether("draft", "#m.draft"), "it takes two states to be together.", id="the same twice"),
        pytest.param(AlwaysReaches("DISCHARGE"), "'DISCHARGE' is no state.", id="an event"),
    ],
)
def test_a_promise_that_names_nothing_is_a_finding(invariant: Invariant, told: str) -> None:
    assert problem(INVOICE, invariant) == told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("review", "'review' is a state and a tool, so that nobody knows which is meant.", id="state and tool"),
        pytest.param("SUBMIT", "'SUBMIT' is an event and a tool, so that nobody knows which is meant.", id="event and tool"),
    ],
)
def test_a_name_of_two_things_is_a_finding_that_names_both(name: str, told: str) -> None:
    tools = {name: BoundTool((), "APPROVE")}

    assert problem(INVOICE, OnlyAfter(name, "APPROVE"), tools) == told
    assert problem(INVOICE, OnlyAfter("approved", name), tools) == told


def test_a_mend_names_what_was_meant() -> None:
    found = broken(graph_of(INVOICE), OnlyAfter("discharged", "aprove"), TOOLS)
    other = broken(graph_of(INVOICE), OnlyAfter("review", "SUBMIT"), {"review": TOOLS["look"]})
    capitals = broken(graph_of(INVOICE), OnlyAfter("discharged", "Approve"), TOOLS)

    assert found is not None
    assert found.mend == "did you mean 'approve'?"
    assert capitals is not None
    assert capitals.mend == "did you mean 'APPROVE'?"
    assert other is not None
    assert other.mend == "rename one of them, or write the state as '#m.review'."


def test_a_history_is_never_active() -> None:
    inner = {"initial": "x", "states": {"x": {}, "h": {"type": "history"}}}

    assert problem(machine({"a": inner}), AlwaysReaches("a.h")) == "'a.h' is a history, which is never active."


STATES = [f"s{n}" for n in range(3)]


@given(configs(), HAPPENINGS, st.sampled_from([*EVENTS, *STATES]), st.sampled_from([*EVENTS, *STATES]))
def test_a_promise_that_is_proved_is_never_broken(
    config: dict[str, Any], happenings: list[dict[str, Any]], later: str, earlier: str
) -> None:
    definition = defined(config)
    names = {each: each if each in EVENTS else f"#m.{each}" for each in (later, earlier)}
    is_named = all(each in definition.events or f"m.{each}" in definition.nodes for each in names)
    if not is_named or broken(graph_of(definition), OnlyAfter(names[later], names[earlier]), {}) is not None:
        return
    happened: list[set[str]] = []
    with suppress(DefinitionError):
        step = start(definition, NOON)
        happened.append(_entered(step))
        for happening in happenings:
            event = happening if happening["type"] != "(time)" else {**happening, "type": next(iter(definition.delays), "Z")}
            happened.append({event["type"]} if can(definition, step.snapshot, event) else set())
            step = next_step(definition, step.snapshot, event, NOON)
            happened.append(_entered(step))
    # What is entered in one microstep is there together, so it need not have been before.
    together = later in STATES and earlier in STATES
    first = next((number for number, each in enumerate(happened) if later in each), None)
    if first is not None:
        assert any(earlier in each for each in happened[: first + together])


def _entered(step: Any) -> set[str]:
    """The states that were entered: each says so when it is."""
    return {action.name.removeprefix("+") for action in step.actions if action.name.startswith("+")}
