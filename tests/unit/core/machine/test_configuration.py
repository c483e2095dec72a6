"""Active states, as places and as values."""

import pytest

from handgriff.core.machine.configuration import completed, inside_of, places_of, seen_inside, value_of
from handgriff.core.machine.node import StateValue
from tests.unit.core.machine.machines import machine

PLACES = machine(
    {
        "a": {},
        "p": {
            "type": "parallel",
            "states": {"l": {"initial": "x", "states": {"x": {}, "y": {}}}, "r": {}, "h": {"type": "history"}},
        },
        "g": {"initial": "h", "states": {"x": {}, "h": {"type": "history", "target": "x"}}},
    }
).places
ROOT, A, P, L, X, Y, R, H, G, GX = range(10)


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ("a", [ROOT, A]),
        ({"p": {"l": "x", "r": {}}}, [ROOT, P, L, R, X]),
        ({"p": {"r": {}, "l": "y"}}, [ROOT, P, R, L, Y]),
        ({"g": "x"}, [ROOT, G, GX]),
    ],
    ids=str,
)
def test_a_value_is_its_active_states_in_xstates_order_and_back(value: StateValue, places: list[int]) -> None:
    assert places_of(PLACES, value) == places

    inside = inside_of(PLACES, places)
    assert inside is not None
    assert value_of(PLACES, inside) == value


@pytest.mark.parametrize(
    "active",
    [
        [ROOT],
        [A],
        [A, ROOT],
        [ROOT, X],
        [ROOT, P],
        [ROOT, P, L, X],
        [ROOT, P, L, X, Y, R],
        [ROOT, A, P, L, X, R],
        [ROOT, L, X, R],
        [ROOT, P, L, R],
    ],
    ids=str,
)
def test_states_that_cannot_be_active_together_are_no_configuration(active: list[int]) -> None:
    assert inside_of(PLACES, active) is None


@pytest.mark.parametrize(
    ("active", "all_active"),
    [
        ([], []),
        ([ROOT], [ROOT, A]),
        ([ROOT, P], [ROOT, P, L, X, R]),
        ([Y], [ROOT, P, L, Y]),
        ([P, L, Y], [ROOT, P, L, Y, R]),
        ([G], [ROOT, G, GX]),
    ],
    ids=str,
)
def test_what_is_missing_is_entered_by_default(active: list[int], all_active: list[int]) -> None:
    assert sorted(completed(PLACES, active)) == all_active


def test_of_two_states_of_one_the_first_counts_where_it_has_none_in_it() -> None:
    """XState's value has no room for the other."""
    assert value_of(PLACES, seen_inside(PLACES, [ROOT, A, P, L, X, R])) == "a"
    assert value_of(PLACES, seen_inside(PLACES, [ROOT, P, A, L, X, R])) == {"p": {"l": "x", "r": {}}, "a": {}}
