"""The configuration graph: every way an instance goes is in it."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from handgriff.core.machine.graph import Graph, graph_of, grown
from handgriff.core.machine.interpret import next_step, start
from handgriff.core.machine.node import Definition
from handgriff.core.machine.snapshot import Snapshot
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import NOON, begun, machine, sent
from tests.unit.core.machine.random_definitions import HAPPENINGS, configs, defined

INVOICE = {
    "draft": {"on": {"SUBMIT": "review"}},
    "review": {"on": {"APPROVE": {"target": "approved", "guard": "yes"}, "REJECT": "draft"}},
    "approved": {"after": {"1000": "draft"}, "on": {"DISCHARGE": "discharged"}},
    "discharged": {"type": "final"},
}


def edges(graph: Graph, snapshot: Snapshot) -> dict[str, set[str]]:
    """What may happen where *snapshot* is, and where it leads."""
    number = graph.find(snapshot)
    assert number is not None
    found: dict[str, set[str]] = {}
    for edge in graph.edges[number]:
        found.setdefault(edge.label, set()).update(graph.words(each) for each in graph.settled([edge.target]))
    return found


def test_events_and_delays_lead_from_one_configuration_to_the_next() -> None:
    definition = machine(INVOICE)
    graph = graph_of(definition)

    assert edges(graph, begun(definition)) == {"SUBMIT": {"review"}}
    assert edges(graph, sent(definition, "SUBMIT").snapshot) == {"APPROVE": {"approved"}, "REJECT": {"draft"}}
    assert edges(graph, sent(definition, "SUBMIT", "APPROVE").snapshot) == {"DISCHARGE": {"discharged"}, "after 1000": {"draft"}}
    assert edges(graph, sent(definition, "SUBMIT", "APPROVE", "DISCHARGE").snapshot) == {}
    assert len(graph.configurations) == 4


def test_a_guard_may_say_yes_or_no_wherever_it_is_asked() -> None:
    to = [{"target": "b", "guard": "no"}, {"target": "c", "guard": "yes"}]
    definition = machine({"a": {"on": {"GO": to}}, "b": {}, "c": {}})

    assert edges(graph_of(definition), begun(definition)) == {"GO": {"b", "c"}}


def test_one_guard_says_the_same_in_both_regions_of_one_step() -> None:
    region = {"initial": "a", "states": {"a": {"on": {"GO": {"target": "b", "guard": "yes"}}}, "b": {}}}
    other = {"initial": "a", "states": {"a": {"on": {"GO": {"target": "b", "guard": {"type": "yes", "params": {"n": 1}}}}}, "b": {}}}
    same, different = machine({"l": region, "r": region}, type="parallel"), machine({"l": region, "r": other}, type="parallel")

    assert edges(graph_of(same), begun(same)) == {"GO": {"l.b, r.b"}}
    assert edges(graph_of(different), begun(different)) == {"GO": {"l.b, r.b", "l.b, r.a", "l.a, r.b"}}


def test_what_bubbles_up_when_a_guard_says_no_is_in_it() -> None:
    inner = {"initial": "x", "states": {"x": {"on": {"GO": {"target": "y", "guard": "yes"}}}, "y": {"on": {"GO": {}}}}}
    definition = machine({"a": {**inner, "on": {"GO": "b"}}, "b": {}})

    assert edges(graph_of(definition), begun(definition)) == {"GO": {"a.y", "b"}}
    assert edges(graph_of(definition), sent(definition, "GO").snapshot) == {}, "a forbidden transition is no event there"


def test_always_and_done_are_gone_through_without_rest() -> None:
    inner = {"initial": "x", "states": {"x": {"on": {"GO": "y"}}, "y": {"type": "final"}}}
    definition = machine({"a": {**inner, "onDone": "b"}, "b": {"always": [{"target": "c", "guard": "yes"}, "d"]}, "c": {}, "d": {}})
    graph = graph_of(definition)

    assert edges(graph, begun(definition))["GO"] == {"c", "d"}
    assert {graph.words(number) for number in graph.rests()} == {"a.x", "c", "d"}


def test_what_history_holds_makes_another_configuration() -> None:
    inner = {"initial": "x", "states": {"x": {"on": {"NEXT": "y"}}, "y": {}, "h": {"type": "history"}}}
    definition = machine({"a": {**inner, "on": {"HOLD": "held"}}, "held": {"on": {"BACK": "a.h"}}})
    graph = graph_of(definition)

    assert edges(graph, sent(definition, "HOLD").snapshot) == {"BACK": {"a.x"}}
    assert edges(graph, sent(definition, "NEXT", "HOLD").snapshot) == {"BACK": {"a.y"}}


def test_a_wildcard_stands_on_an_edge_of_its_own_for_what_nobody_names() -> None:
    definition = machine({"a": {"on": {"ask.one": "b", "ask.*": "c", "*": "d"}}, "b": {}, "c": {}, "d": {}})
    graph = graph_of(definition)

    assert edges(graph, begun(definition)) == {"ask.one": {"b"}, "ask.*": {"c"}, "*": {"d"}}
    assert [graph.sent_as(event) for event in ("ask.one", "ask.two", "ask", "else")] == ["ask.one", "ask.*", "ask.*", "*"]
    assert graph.takes(0, "whatever")
    assert not graph_of(machine({"a": {"on": {"ask.*": "a"}}})).takes(0, "whatever")


def test_an_action_may_make_an_always_be_looked_at_again() -> None:
    def counted(context: Mapping[str, int], _event: object, _params: object) -> Mapping[str, int]:
        return {"n": context["n"] + 1}

    def is_little(context: Mapping[str, int], _event: object, _params: object) -> bool:
        return context["n"] < 3

    states = {"a": {"always": {"guard": "is_little", "actions": "count"}, "on": {"GO": "b"}}, "b": {}}
    definition = machine(states, context={"n": 0}, guards={"is_little": is_little}, actions={"count": counted})

    assert edges(graph_of(definition), begun(definition))["GO"] == {"b"}


def test_a_machine_with_too_many_configurations_is_refused_with_what_to_do() -> None:
    region = {"initial": "a", "states": {"a": {"on": {"GO": {"target": "b", "guard": "yes"}}}, "b": {"on": {"GO": "a"}}}}
    definition = machine({"l": region, "r": {**region, "on": {"BACK": ".a"}}}, type="parallel")

    assert len(grown(definition, most=4).configurations) == 4
    with pytest.raises(DefinitionError, match=r"more than 3 configurations.*make several machines"):
        grown(definition, most=3)


def test_machines_of_the_same_config_share_what_was_found_out() -> None:
    one, other, third = machine(INVOICE), machine(INVOICE), machine({**INVOICE, "discharged": {}})

    assert graph_of(one).edges is graph_of(other).edges
    assert graph_of(other).definition is other
    assert graph_of(third).edges is not graph_of(one).edges


def test_an_action_with_a_function_makes_another_graph_of_the_same_config() -> None:
    states = {"a": {"always": {"guard": "yes", "actions": "count"}, "on": {"GO": "b"}}, "b": {}}
    silent, counting = machine(states), machine(states, actions={"count": lambda *_: None})

    assert edges(graph_of(silent), begun(silent))["GO"] == {"b"}
    assert graph_of(silent).edges is not graph_of(counting).edges


def test_a_large_machine_takes_little_work_for_each_edge() -> None:
    """Counted in calls of functions, because every clock differs."""
    region = {f"s{number}": {"on": {f"GO{number}": f"s{(number + 1) % 6}", "BACK": "s0"}} for number in range(6)}
    states = {f"r{each}": {"initial": "s0", "states": _numbered(region, each)} for each in range(4)}
    definition, calls = machine(states, type="parallel"), 0

    def count(_frame: object, happened: str, _of: object) -> None:
        nonlocal calls
        calls += happened == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    graph = grown(definition)
    sys.setprofile(before)

    assert len(graph.configurations) == 6**4
    assert calls / sum(map(len, graph.edges)) < 60


def _numbered(states: Mapping[str, Any], number: int) -> dict[str, Any]:
    """*states* with events of their own."""
    return {key: {"on": {f"{event}_{number}": to for event, to in state["on"].items()}} for key, state in states.items()}


def test_a_configuration_with_a_name_of_thousands_of_characters_is_told_short() -> None:
    graph = graph_of(machine({"x" * 3000: {}}))

    assert graph.words(0) == f"{'x' * 200}…"


def test_a_snapshot_that_the_machine_never_has_is_not_found() -> None:
    definition = machine({"a": {"on": {"GO": "b"}}, "b": {}, "c": {}})
    snapshot = begun(definition)

    assert graph_of(definition).find(Snapshot("c", snapshot.context, {}, "active", {})) is None


@given(configs(), HAPPENINGS)
def test_whatever_happens_to_an_instance_is_a_way_through_the_graph(config: dict[str, Any], happenings: list[dict[str, Any]]) -> None:
    definition = defined(config)
    graph = graph_of(definition)
    with suppress(DefinitionError):  # a guarded circle may go on, and then the instance stays where it was
        snapshot = start(definition, NOON).snapshot
        assert graph.find(snapshot) in graph.settled(graph.beginnings)
        for happening in happenings:
            for event in _events(definition, snapshot, happening):
                after = next_step(definition, snapshot, event, NOON).snapshot
                if after is not snapshot:
                    assert graph.find(after) in _led_to(graph, snapshot, event)
                snapshot = after


def _events(definition: Definition, snapshot: Snapshot, happening: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What is sent: the event itself, or those of the delays that run."""
    if happening["type"] != "(time)":
        return [happening]
    return [
        {**happening, "type": event} for event, (place, _) in definition.delays.items() if definition.places[place].id in snapshot.entered
    ][:1]


def _led_to(graph: Graph, snapshot: Snapshot, event: Mapping[str, Any]) -> tuple[int, ...]:
    number, sent_as = graph.find(snapshot), graph.sent_as(event["type"])
    assert number is not None
    taken = [
        edge
        for edge in graph.edges[number]
        if (edge.label.startswith("after ") if event["type"].startswith("xstate.") else edge.event == sent_as)
    ]
    # What nothing takes, or a delay whose guard says no, makes `always` be looked at again.
    again = [edge for edge in graph.edges[number] if edge.label == "always"]
    return graph.settled(edge.target for edge in (*taken, *again))
