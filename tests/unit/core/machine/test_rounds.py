"""Circles of delayed transitions: whole rounds are left out, and what comes of it is what every single step would have come to."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.machine.interpret import MAX_DELAYS, caught_up, due, next_step
from handgriff.core.machine.node import Definition
from handgriff.core.machine.snapshot import Snapshot
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import NOON, after, begun, machine

CIRCLE = {"a": {"after": {"30": "b"}}, "b": {"after": {"50": "a"}}}


def turned(context: Mapping[str, Any], _event: object, _params: object) -> dict[str, Any]:
    return {**context, "n": (context["n"] + 1) % 3}


def counted(context: Mapping[str, Any], _event: object, _params: object) -> dict[str, Any]:
    return {**context, "n": context["n"] + 1}


def region(states: Mapping[str, Any]) -> dict[str, Any]:
    return {"initial": next(iter(states)), "states": dict(states)}


DEFINITIONS = {
    "two states": machine(CIRCLE),
    "itself": machine({"a": {"after": {"7": {"target": "a", "reenter": True}}}}),
    "a beginning that is left": machine({"start": {"after": {"11": "a"}}, **CIRCLE}),
    "around a circle": machine({"o": {**region(CIRCLE), "after": {"190": "p"}}, "p": {"after": {"5": "o"}}}),
    "two regions": machine({"l": region(CIRCLE), "r": region({"x": {"after": {"70": "y"}}, "y": {"after": {"1": "x"}}})}, type="parallel"),
    "a region that stays": machine({"l": region(CIRCLE), "r": region({"x": {"after": {"999": "y"}}, "y": {}})}, type="parallel"),
    "a region that is never over": machine(
        {"l": region(CIRCLE), "r": region({"x": {"after": {"999999999999": "y"}}, "y": {}})}, type="parallel"
    ),
    "a context that comes back": machine(
        {"a": {"after": {"30": {"target": "b", "actions": "turn"}}}, "b": {"after": {"50": "a"}}},
        actions={"turn": turned},
        context={"n": 0},
    ),
    "a guard on such a context": machine(
        {
            "a": {"entry": "turn", "after": {"30": {"target": "b", "guard": "first"}, "45": {"target": "a", "reenter": True}}},
            "b": {"after": {"9": "a"}},
        },
        actions={"turn": turned},
        guards={"first": lambda context, _e, _p: context["n"] == 0},
        context={"n": 0},
    ),
    "a history": machine(
        {
            "o": {
                "initial": "x",
                "states": {"x": {"after": {"9": "y"}}, "y": {"after": {"9": "x"}}, "h": {"type": "history"}},
                "after": {"15": "p"},
            },
            "p": {"after": {"20": "o.h"}},
        }
    ),
    "no circle": machine({"a": {"after": {"30": "b"}}, "b": {"after": {"50": "c"}}, "c": {}}),
}


def stepped(definition: Definition, snapshot: Snapshot, now: datetime) -> Snapshot:
    """Each transition taken by itself."""
    while pending := due(definition, snapshot, now):
        when, event = pending[0]
        snapshot = next_step(definition, replace(snapshot, elapsed=(*snapshot.elapsed, event)), {"type": event}, when).snapshot
    return snapshot


@pytest.mark.parametrize("name", DEFINITIONS)
@given(milliseconds=st.integers(0, 2_000), before=st.integers(0, 2_000))
def test_what_is_left_out_changes_nothing(name: str, milliseconds: int, before: int) -> None:
    definition = DEFINITIONS[name]
    snapshot = caught_up(definition, begun(definition), after(before)).snapshot

    assert snapshot.to_json() == stepped(definition, begun(definition), after(before)).to_json()
    later = before + milliseconds
    assert caught_up(definition, snapshot, after(later)).snapshot.to_json() == stepped(definition, snapshot, after(later)).to_json()


@pytest.mark.parametrize("name", [name for name in DEFINITIONS if name != "a region that is never over"])
def test_a_circle_is_read_after_a_hundred_years(name: str) -> None:
    """Rounds that it would take an hour to follow one by one."""
    definition, now = DEFINITIONS[name], NOON + timedelta(days=36_525, milliseconds=1)

    snapshot = caught_up(definition, begun(definition), now).snapshot

    assert not due(definition, snapshot, now)
    assert all(at <= now for at in snapshot.entered.values())
    assert caught_up(definition, snapshot, now).snapshot is snapshot


def test_a_circle_that_changes_its_context_for_ever_has_a_bound_that_says_how_to_go_on() -> None:
    states = {"a": {"after": {"30": {"target": "b", "actions": "count"}}}, "b": {"after": {"50": "a"}}}
    definition = machine(states, actions={"count": counted}, context={"n": 0})

    assert caught_up(definition, begun(definition), after(40 * MAX_DELAYS)).snapshot.context == {"n": MAX_DELAYS // 2}
    with pytest.raises(DefinitionError, match="endless") as refused:
        caught_up(definition, begun(definition), after(41 * MAX_DELAYS))
    assert "by a migration" in refused.value.mend


@pytest.mark.parametrize(("one", "other"), [(True, 1), (1, 1.0)], ids=["true and 1", "1 and 1.0"])
@pytest.mark.parametrize("steps", [1000, 1001])
def test_contexts_that_python_calls_equal_are_two_places(steps: int, one: object, other: object) -> None:
    def switched(context: Mapping[str, Any], _event: object, _params: object) -> dict[str, Any]:
        return {"is": other if type(context["is"]) is type(one) else one}

    states = {"a": {"after": {"10": {"target": "a", "reenter": True, "actions": "switch"}}}}
    definition = machine(states, actions={"switch": switched}, context={"is": one})

    read = caught_up(definition, begun(definition), after(10 * steps)).snapshot
    assert read.to_json() == stepped(definition, begun(definition), after(10 * steps)).to_json()
    assert type(read.context["is"]) is type(other if steps % 2 else one)
