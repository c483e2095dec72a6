"""Shortest ways through a configuration graph."""

from handgriff.core.machine.graph import graph_of
from handgriff.core.machine.routes import arrivals, leading_to
from tests.unit.core.machine.machines import machine

DEFINITION = machine(
    {
        "a": {"on": {"LONG": "b", "SHORT": "through"}},
        "b": {"on": {"ON": "c"}},
        "through": {"always": "c"},
        "c": {"on": {"BACK": "a"}},
        "d": {},
    }
)


def test_the_nearest_come_first_and_what_happens_by_itself_costs_nothing() -> None:
    graph = graph_of(DEFINITION)

    found = [(graph.words(arrival.number), arrival.way) for arrival in arrivals(graph) if graph.is_rest(arrival.number)]

    assert found == [("a", ()), ("b", ("LONG",)), ("c", ("SHORT",))]


def test_a_way_ends_where_it_may_not_go_past_and_takes_only_what_it_may() -> None:
    graph = graph_of(DEFINITION)

    short = arrivals(graph, takes=lambda edge: edge.event != "SHORT")
    stopped = arrivals(graph, goes_past=lambda number: graph.words(number) == "a", takes=lambda edge: edge.event != "SHORT")

    assert [arrival.way for arrival in short] == [(), ("LONG",), ("LONG", "ON")]
    assert [arrival.way for arrival in stopped] == [(), ("LONG",)]


def test_what_leads_to_a_place_is_found_backwards() -> None:
    graph = graph_of(machine({"a": {"on": {"GO": "b", "END": "c"}}, "b": {"on": {"BACK": "a"}}, "c": {}}))
    by_words = {graph.words(number): number for number in graph.rests()}

    assert leading_to(graph, [by_words["b"]]) == {by_words["a"], by_words["b"]}
    assert leading_to(graph, [by_words["c"]]) == {by_words["a"], by_words["b"], by_words["c"]}
