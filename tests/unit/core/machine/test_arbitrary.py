"""Whatever is given as a config is read or refused; whatever happens to a machine, its snapshot is read as it was written."""

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.machine.identity import machine_hash
from handgriff.core.machine.interpret import caught_up, next_step, start
from handgriff.core.machine.node import Definition
from handgriff.core.machine.outline import MACHINE
from handgriff.core.machine.reading import read, to_config
from handgriff.core.machine.snapshot import Snapshot, SnapshotFault
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import GUARDS, NOON, after

NAMES = st.sampled_from(["a", "b", "1", "__proto__", "constructor", "x.y"])
EVENTS = ["GO", "x.y", "x", "xstate.done.state.m"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 2000)
    | st.sampled_from([0.5, "", "a", "b", ".a", "#m", "#m.a", "yes", "no", "history", "parallel"])
)
ANY_JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MACHINE) | NAMES, inner, max_size=5)
)

TARGETS = st.sampled_from(["a", "b", "1", ".a", ".b", "#m.a", "#m.b", "#m.a.b", "#m.b.h", "h", "a.b"])
NAMED = st.sampled_from(["yes", "no"])
TRANSITIONS = st.fixed_dictionaries(
    {}, optional={"target": TARGETS, "guard": NAMED, "actions": st.sampled_from(["t", ["t", "set"]]), "reenter": st.booleans()}
)
HISTORIES = st.fixed_dictionaries({"type": st.just("history")}, optional={"history": st.sampled_from(["shallow", "deep"])})


def states_of(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        _state, st.dictionaries(st.sampled_from(["a", "b", "1"]), inner, min_size=1), st.none() | HISTORIES, st.booleans(), MEMBERS
    )


def _state(states: dict[str, Any], history: dict[str, Any] | None, is_parallel: bool, members: dict[str, Any]) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": "parallel"} if is_parallel else {"initial": next(iter(states))}
    return {**members, **kind, "states": states | ({"h": history} if history else {})}


MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "on": st.dictionaries(st.sampled_from(["GO", "x.*", "*"]), TRANSITIONS | TARGETS, max_size=2),
        "always": st.builds(lambda transition: {**transition, "guard": "no"}, TRANSITIONS),
        "after": st.dictionaries(st.sampled_from(["0", "10", "200"]), TRANSITIONS, max_size=2),
        "onDone": TRANSITIONS,
        "entry": st.just("+"),
        "exit": st.just("-"),
    },
)
LEAVES = MEMBERS | st.just({"type": "final"})
MACHINES = states_of(st.recursive(LEAVES, states_of, max_leaves=8)).map(lambda state: {**state, "id": "m", "context": {"n": 0}})


def count(context: Any, _event: object, _params: object) -> Any:
    return {**context, "n": context["n"] + 1}


def readable(config: Any) -> Definition | None:
    try:
        return read(config, GUARDS, {"set": count})
    except DefinitionError:
        return None


@given(ANY_JSON)
def test_any_json_is_read_or_refused(config: Any) -> None:
    definition = readable(config)

    if definition is not None:
        with suppress(DefinitionError):
            start(definition, NOON)


@given(MACHINES)
def test_what_is_read_is_written_as_it_reads(config: Any) -> None:
    definition = readable(config)

    if definition is not None:
        again = readable(to_config(definition))
        assert again is not None
        assert machine_hash(again) == machine_hash(definition)


@given(MACHINES, st.lists(st.sampled_from(EVENTS) | st.integers(0, 300), max_size=12))
def test_a_machine_stays_in_states_that_can_be_stored(config: Any, happenings: list[str | int]) -> None:
    definition = readable(config)
    if definition is None:
        return
    with suppress(DefinitionError):  # it may go round in circles, and then it stays where it was
        snapshot, now = start(definition, NOON).snapshot, 0
        for happening in ["GO", *happenings]:
            assert Snapshot.from_json(snapshot.to_json(), definition) == snapshot
            if isinstance(happening, int):
                now += happening
                snapshot = caught_up(definition, snapshot, after(now)).snapshot
            else:
                snapshot = next_step(definition, snapshot, {"type": happening}, after(now)).snapshot


@given(MACHINES, ANY_JSON, st.sampled_from(["value", "history", "entered", "status", "elapsed", "context"]))
def test_any_json_in_a_snapshot_is_read_as_written_or_refused(config: Any, member: Any, name: str) -> None:
    definition = readable(config)
    if definition is None:
        return
    with suppress(DefinitionError):
        text = start(definition, NOON).snapshot.to_json()
        try:
            snapshot = Snapshot.from_json(json.dumps({**json.loads(text), name: member}), definition)
        except SnapshotFault:
            return
        assert json.loads(snapshot.to_json()).get(name, []) == member
