"""What targets lead to, as XState finds it."""

from typing import Any

import pytest

from handgriff.core.machine.targets import segments
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import machine, sent

DEEP = {"initial": "x", "states": {"x": {}, "y": {"initial": "z", "states": {"z": {}, "w": {}}}}}


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("b", {"b": "x"}),
        ("b.y", {"b": {"y": "z"}}),
        ("b.y.w", {"b": {"y": "w"}}),
        (".y.w", {"a": {"y": "w"}}),
        ("a", {"a": "x"}),
        ("a.", {"a": "x"}),
        ("#m.b.y", {"b": {"y": "z"}}),
        ("#m", {"a": "x"}),
        ("#here", {"c": "x"}),
        ("#here.y.w", {"c": {"y": "w"}}),
        ("#with\\.dot", "d.e"),
        ("d\\.e", "d.e"),
        (["b.y", "a"], {"b": {"y": "z"}}),
        ({"target": ["b.y"]}, {"b": {"y": "z"}}),
    ],
    ids=str,
)
def test_a_target_is_found(target: Any, value: object) -> None:
    states = {"a": {**DEEP, "on": {"GO": target}}, "b": DEEP, "c": {**DEEP, "id": "here"}, "d.e": {"id": "with.dot"}}

    assert sent(machine(states), "GO").snapshot.value == value


def test_several_targets_are_entered_in_their_regions() -> None:
    p = {"type": "parallel", "states": {"l": DEEP, "r": DEEP, "q": DEEP}}
    definition = machine({"a": {"on": {"GO": {"target": ["p.r.y.w", "p.l.y"]}}}, "p": p})

    assert sent(definition, "GO").snapshot.value == {"p": {"l": {"y": "z"}, "r": {"y": "w"}, "q": "x"}}


def test_the_machine_leads_to_its_own_states() -> None:
    assert sent(machine({"a": {}, "b": DEEP}, on={"GO": ".b.y.w"}), "GO").snapshot.value == {"b": {"y": "w"}}


@pytest.mark.parametrize("target", ["#with.dot", "d.e", "#here.q", "y"])
def test_a_target_that_leads_nowhere_is_refused(target: str) -> None:
    with pytest.raises(DefinitionError, match="there is no state"):
        machine({"a": {**DEEP, "on": {"GO": target}}, "c": {**DEEP, "id": "here"}, "d.e": {"id": "with.dot"}})


@pytest.mark.parametrize(
    ("path", "keys"),
    [("a", ["a"]), ("a.b", ["a", "b"]), ("a\\.b", ["a.b"]), ("a\\\\.b", ["a\\", "b"]), (".a", ["", "a"]), ("", [""]), ("a\\", ["a"])],
)
def test_a_path_is_cut_at_its_dots(path: str, keys: list[str]) -> None:
    assert segments(path) == keys
