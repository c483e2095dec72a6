"""Two machines are the same where they step snapshots the same way."""

import re
from typing import Any

import pytest

from handgriff.core.machine.identity import machine_hash
from tests.unit.core.machine.machines import GUARDS, machine, yes

STATES: dict[str, Any] = {
    "a": {"on": {"GO": [{"target": "b", "guard": {"type": "yes", "params": {"n": 1, "m": 2}}, "actions": ["x"]}]}, "after": {"10": "b"}},
    "b": {"initial": "c", "states": {"c": {}, "h": {"type": "history"}}, "always": {"target": "a", "guard": "no"}},
}


def of(**changes: Any) -> str:
    return machine_hash(machine({**STATES, **changes}, context={"n": 1}))


SAME: dict[str, dict[str, Any]] = {
    "descriptions": {"a": {**STATES["a"], "description": "the first"}},
    "meta": {"a": {**STATES["a"], "meta": {"x": 1}}},
    "tags": {"a": {**STATES["a"], "tags": ["payable"]}},
    "the order of params": {
        "a": {**STATES["a"], "on": {"GO": [{"target": "b", "guard": {"type": "yes", "params": {"m": 2, "n": 1}}, "actions": ["x"]}]}}
    },
    "another way to write it": {
        "a": {"after": {10: {"target": ["#m.b"]}}, "on": {"GO": {**STATES["a"]["on"]["GO"][0], "actions": "x", "reenter": False}}}
    },
}

OTHER: dict[str, dict[str, Any]] = {
    "a target": {"a": {**STATES["a"], "on": {"GO": "a"}}},
    "a guard": {"a": {**STATES["a"], "on": {"GO": [{**STATES["a"]["on"]["GO"][0], "guard": "no"}]}}},
    "a guard's params": {"a": {**STATES["a"], "on": {"GO": [{**STATES["a"]["on"]["GO"][0], "guard": "yes"}]}}},
    "an action": {"a": {**STATES["a"], "entry": "x"}},
    "reenter": {"a": {**STATES["a"], "on": {"GO": [{**STATES["a"]["on"]["GO"][0], "reenter": True}]}}},
    "a delay": {"a": {**STATES["a"], "after": {"11": "b"}}},
    "an event": {"a": {**STATES["a"], "on": {**STATES["a"]["on"], "X": {}}}},
    "the kind of history": {"b": {**STATES["b"], "states": {"c": {}, "h": {"type": "history", "history": "deep"}}}},
    "a kind": {"c": {"type": "final"}},
    "an output": {"c": {"type": "final", "output": None}},
    "an id": {"c": {"id": "c"}},
}


@pytest.mark.parametrize("change", SAME)
def test_what_only_people_read_makes_no_other_machine(change: str) -> None:
    assert of(**SAME[change]) == of()


def test_whatever_is_done_otherwise_makes_another_machine() -> None:
    hashes = {change: of(**changes) for change, changes in OTHER.items()}

    assert len({of(), *hashes.values()}) == len(hashes) + 1


def test_the_order_of_states_makes_another_machine() -> None:
    """It is the order of regions, and so of what is performed."""
    assert machine_hash(machine({"a": {}, "b": {}}, initial="a")) != machine_hash(machine({"b": {}, "a": {}}, initial="a"))


def test_the_context_it_starts_with_makes_another_machine() -> None:
    assert of() != machine_hash(machine(STATES, context={"n": 2}))


def test_a_hash_is_the_same_in_every_process_and_whatever_functions_it_has() -> None:
    definition = machine({"a": {"on": {"GO": "b"}}, "b": {"type": "final"}}, guards={**GUARDS, "other": yes})

    assert machine_hash(definition) == machine_hash(machine({"a": {"on": {"GO": "b"}}, "b": {"type": "final"}}))
    assert re.fullmatch("[0-9a-f]{64}", machine_hash(definition))
    assert machine_hash(definition)[:16] == "45b54aef2afdeaf2"
