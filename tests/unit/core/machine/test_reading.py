"""Configs in the shape of XState v5: what is read, and what is refused with its path and a mend."""

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from handgriff.core.machine.outline import MAX_LEVELS, MAX_STATES
from handgriff.core.machine.reading import read, to_config
from handgriff.core.machine.snapshot import Snapshot
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import GUARDS, NOON, begun, machine, no, sent, yes

FORMS: dict[str, tuple[Any, str]] = {
    "a target": ("b", "b"),
    "an object": ({"target": "b"}, "b"),
    "a list": ([{"target": "b"}], "b"),
    "a tuple": (({"target": "b"},), "b"),
    "a list of targets": (["b"], "b"),
    "the first whose guard passes": ([{"target": "c", "guard": "no"}, {"target": "b", "guard": "yes"}, "c"], "b"),
    "a guard with params": ({"target": "b", "guard": {"type": "yes", "params": {"of": 1}}}, "b"),
    "a list in the target": ({"target": ["b"]}, "b"),
    "forbidden by {}": ({}, "a"),
    "forbidden by null": (None, "a"),
    "forbidden by an empty target": ("", "a"),
    "an empty list, which goes on to the root": ([], "c"),
    "an action alone": ({"actions": "note"}, "a"),
    "what is said beside it": ({"target": "b", "description": "on", "meta": {"x": 1}, "reenter": False}, "b"),
    "null for what isn't said": ({"target": "b", "guard": None, "actions": None, "reenter": None}, "b"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_transition_is_read_in_every_form(form: str) -> None:
    given, target = FORMS[form]

    definition = machine({"a": {"on": {"GO": given}}, "b": {}, "c": {}}, on={"GO": ".c"})

    assert sent(definition, "GO").snapshot.value == target


HERE = {"type": "history", "target": "#m.a"}

REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "an unknown target": ({"on": {"GO": "bb"}}, "states.a.on.GO.target", "did you mean 'b'?"),
    "an unknown id": ({"on": {"GO": [{"target": "#mm"}]}}, "states.a.on.GO[0].target", "did you mean '#m'?"),
    "an unknown child": ({"on": {"GO": ".x"}}, "states.a.on.GO.target", "there is none"),
    "an empty step": ({"on": {"GO": "b..c"}}, "states.a.on.GO.target", "one dot"),
    "a target that is no text": ({"on": {"GO": {"target": 5}}}, "states.a.on.GO.target", "'#id'"),
    "a transition that is a number": ({"on": {"GO": 5}}, "states.a.on.GO", "give a target"),
    "a nameless event": ({"on": {"": "b"}}, "states.a.on", "always"),
    "events as a list": ({"on": ["GO"]}, "states.a.on", "for each event"),
    "a missing guard": ({"on": {"GO": [{"target": "b", "guard": "yess"}]}}, "states.a.on.GO[0].guard", "did you mean 'yes'?"),
    "a guard that is a number": ({"on": {"GO": {"guard": 1}}}, "states.a.on.GO.guard", "give a name"),
    "a combined guard": ({"on": {"GO": {"guard": {"type": "xstate.and"}}}}, "states.a.on.GO.guard", "one function"),
    "an inline guard": ({"on": {"GO": {"guard": yes}}}, "states.a.on.GO.guard", "guards="),
    "an inline action": ({"entry": [no]}, "states.a.entry[0]", "actions="),
    "an action of XState": ({"entry": {"type": "xstate.spawnChild"}}, "states.a.entry", "an action of your own"),
    "a delayed sendTo": ({"on": {"GO": {"actions": {"type": "xstate.sendTo", "params": {"delay": 9}}}}}, "states.a.on.GO.actions", "own"),
    "an action with loose members": ({"exit": {"type": "note", "text": "x"}}, "states.a.exit.text", "'type', 'params'"),
    "params that are no object": ({"exit": {"type": "note", "params": 1}}, "states.a.exit.params", "an object"),
    "an invoked actor": ({"invoke": {"src": "fetch"}}, "states.a.invoke", "fire an event"),
    "a misspelled member": ({"entri": "note"}, "states.a.entri", "did you mean 'entry'?"),
    "a member of XState 4": ({"onEntry": "note"}, "states.a.onEntry", "did you mean 'entry'?"),
    "a condition of XState 4": ({"on": {"GO": {"target": "b", "cond": "yes"}}}, "states.a.on.GO.cond", "did you mean 'guard'?"),
    "a kind there isn't": ({"type": "paralel"}, "states.a.type", "did you mean 'parallel'?"),
    "a kind that is a number": ({"type": 3}, "states.a.type", "one of"),
    "reenter in words": ({"on": {"GO": {"target": "b", "reenter": "yes"}}}, "states.a.on.GO.reenter", "true or false"),
    "a named delay": ({"after": {"aWhile": "b"}}, "states.a.after.aWhile", "write out the number"),
    "a delay below zero": ({"after": {"-5": "b"}}, "states.a.after.-5", "write out the number"),
    "a delay of centuries": ({"after": {"9999999999999": "b"}}, "states.a.after.9999999999999", "write out the number"),
    "delays as a list": ({"after": [1000]}, "states.a.after", "milliseconds"),
    "a number as tags": ({"tags": 7}, "states.a.tags", "give a text"),
    "a number as description": ({"description": 7}, "states.a.description", "give a text"),
    "a number as id": ({"id": 7}, "states.a.id", "give a text"),
    "an id twice": ({"id": "m.b"}, "states.b.id", "id of its own"),
    "an output that nobody sees": ({"output": 1}, "states.a.output", "final"),
    "a history of an atomic state": ({"type": "atomic", "history": "deep"}, "states.a.history", "type: 'history'"),
    "an unknown history": ({"type": "history", "history": "long"}, "states.a.history", "'shallow' or 'deep'"),
    "a history with transitions": ({"type": "history", "on": {"GO": "b"}}, "states.a.on", "around it"),
    "states in an atomic state": ({"type": "atomic", "states": {"x": {}}}, "states.a.states", "leave out its type"),
    "states in a final state": ({"type": "final", "states": {"x": {}}}, "states.a.states", "leave out its type"),
    "no initial state": ({"states": {"x": {}}}, "states.a.initial", "say 'initial': 'x'"),
    "an unknown initial state": ({"initial": "y", "states": {"x": {}, "yy": {}}}, "states.a.initial", "did you mean 'yy'?"),
    "a deep initial state": (
        {"initial": "x.y", "states": {"x": {"initial": "y", "states": {"y": {}}}}},
        "states.a.initial",
        "it is one of 'x'",
    ),
    "an initial state of nothing": ({"initial": "x"}, "states.a.initial", "leave it out"),
    "a guarded initial state": ({"initial": {"target": "x", "guard": "yes"}, "states": {"x": {}}}, "states.a.initial.guard", "target"),
    "a compound state without states": ({"type": "compound"}, "states.a.initial", "give it states"),
    "a parallel state without states": ({"type": "parallel"}, "states.a.type", "leave out its type"),
    "a state that is a text": ({"initial": "x", "states": {"x": "y"}}, "states.a.states.x", "{} for a state"),
    "a state without a name": ({"initial": "", "states": {"": {}}}, "states.a.states", "give it one"),
    "states as a list": ({"states": ["x"]}, "states.a.states", "for each key"),
    "a route to a state without an id": ({"route": {}}, "states.a.route", "give the state an id"),
    "a route with a target": ({"id": "x", "route": {"target": "b"}}, "states.a.route.target", "'guard'"),
    "a history that leads to itself": (
        {"initial": "h", "states": {"h": {"type": "history"}, "x": {}}},
        "states.a.states.h.target",
        "name the state",
    ),
    "a history that leads to itself on a detour": (
        {"initial": "x", "states": {"h": {"type": "history", "target": "x"}, "x": {"initial": "g", "states": {"g": HERE, "y": {}}}}},
        "states.a.states.x.states.g",
        "give it another target",
    ),
    "a history that leads to a history": (
        {"initial": "x", "states": {"x": {}, "h": {"type": "history", "target": "g"}, "g": {"type": "history"}}},
        "states.a.states.h.target",
        "name the state",
    ),
    "a state and one in it": ({"on": {"GO": {"target": ["b", "b.c"]}}}, "states.a.on.GO.target", "name one of them"),
    "a history that leads to a number": (
        {"initial": "x", "states": {"x": {}, "h": {"type": "history", "target": [7]}}},
        "states.a.states.h.target",
        "a list of them",
    ),
    "a history that leads to a child": (
        {"initial": "x", "states": {"x": {}, "h": {"type": "history", "target": ".x"}}},
        "states.a.states.h.target",
        "name a state beside it: 'x'",
    ),
    "a route that is a text": ({"id": "x", "route": "b"}, "states.a.route", "give {}"),
    "a long name": ({"on": {"x" * 500: {"target": 7}}}, f'states.a.on["{"x" * 40}…"].target', "give a key"),
    "a name that is no word": (
        {"states": {"a b": {"on": {'"': 7}}}, "initial": "a b"},
        'states.a.states["a b"].on["\\""]',
        "give a target",
    ),
    "two states of which one can be active": ({"on": {"GO": {"target": ["b", "a"]}}}, "states.a.on.GO.target", "parallel"),
    "a number that isn't finite": ({"meta": {"x": float("nan")}}, "states.a.meta.x", "give a number"),
    "half a character": ({"description": "\ud800"}, "states.a.description", "whole character"),
    "a line break in an id": ({"id": "x\ny"}, "states.a.id", "leave it out"),
    "an escape in a name": ({"initial": "x", "states": {"x": {}, "\x1b[2J": {}}}, 'states.a.states["\\u001b[2J"]', "leave it out"),
    "half a character in a name": ({"on": {"\ud800": "b"}}, "states.a.on", "whole character"),
    "a number too long": ({"meta": 10**101}, "config", "give text, numbers"),
    "a set": ({"tags": {"x"}}, "states.a.tags", "lists"),
    "a number as key": ({"on": {5: "b"}}, "states.a.on", "as a text"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_is_told_with_its_path_and_a_mend(fault: str) -> None:
    state, member, mend = REFUSED[fault]

    with pytest.raises(DefinitionError) as refused:
        machine({"a": state, "b": {"initial": "c", "states": {"c": {}}}})

    assert (refused.value.subject, refused.value.member) == ("m", member)
    assert mend in refused.value.mend


@pytest.mark.parametrize(
    ("root", "member"),
    [
        ({"context": []}, "context"),
        ({"context": {"f": yes}}, "context.f"),
        ({"context": dict}, "context"),
        ({"initial": None}, "initial"),
        ({"version": 2}, "version"),
        ({"type": "history"}, "type"),
        ({"on": {"GO": "a"}}, "on.GO.target"),
        ({"stats": {}}, "stats"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_machine_itself_is_checked(root: Mapping[str, Any], member: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        read({"id": "m", "initial": "a", "states": {"a": {}}, **root}, {}, {})

    assert refused.value.member == member


@pytest.mark.parametrize("config", [None, [], "m", 5, yes], ids=["none", "list", "text", "number", "function"])
def test_a_config_is_an_object(config: Any) -> None:
    with pytest.raises(DefinitionError, match="give a dict in the shape of XState v5"):
        read(config, {}, {})


def test_a_target_of_the_machine_itself_is_mended() -> None:
    with pytest.raises(DefinitionError, match=r"did you mean '\.a'\?"):
        machine({"a": {}}, on={"GO": "a"})


def test_what_xstate_takes_and_we_need_not_is_taken() -> None:
    definition = read({"id": "m", "types": {}, "schemas": {}, "options": {}, "order": 1, "invoke": [], "version": "2"}, {}, {})

    assert definition.version == "2"
    assert definition.root.kind == "atomic"


def test_a_machine_without_an_id_has_the_one_xstate_gives() -> None:
    assert read({}, {}, {}).id == "(machine)"


def test_an_action_needs_no_function() -> None:
    definition = machine({"a": {"entry": "note"}})

    assert definition.root.children
    assert definition.actions == {}


def test_names_of_javascripts_prototype_are_names_like_others() -> None:
    """The gates's own lookup would find a method here, and shut every tool."""
    states = {name: {"on": {"GO": "toString"}} for name in ("constructor", "__proto__", "toString", "hasOwnProperty")}

    assert sent(machine(states), "GO").snapshot.value == "toString"
    with pytest.raises(DefinitionError, match="there is no state 'constructor'"):
        machine({"a": {"on": {"GO": "constructor"}}})


def test_states_may_be_nested_so_deep_and_no_deeper() -> None:
    state: dict[str, Any] = {}
    for _ in range(MAX_LEVELS - 1):
        state = {"initial": "s", "states": {"s": state}}

    assert len(machine({"s": state}).places) == MAX_LEVELS + 1
    with pytest.raises(DefinitionError, match=f"more than {MAX_LEVELS} levels"):
        machine({"s": {"initial": "s", "states": {"s": state}}})


def test_there_may_be_so_many_states_and_no_more() -> None:
    states: dict[str, Any] = {f"s{number}": {} for number in range(MAX_STATES - 1)}

    assert len(machine(states).places) == MAX_STATES
    with pytest.raises(DefinitionError, match=f"more than {MAX_STATES} states"):
        machine({**states, "one more": {}})


def test_a_config_that_holds_itself_ends() -> None:
    meta: dict[str, Any] = {}
    meta["self"] = meta

    with pytest.raises(DefinitionError, match="levels deep"):
        machine({"a": {"meta": meta}})


def test_a_config_that_grows_by_sharing_ends() -> None:
    meta: list[Any] = []
    for _ in range(40):
        meta = [meta, meta]

    with pytest.raises(DefinitionError, match="properties and items"):
        machine({"a": {"meta": meta}})


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "state",
    [
        {"on": {"GO": {"target": [LONG, LONG, LONG, LONG, 7]}}},
        {"on": {"GO": LONG}},
        {"on": {"GO": f"#{LONG}"}},
        {"on": {"GO": {"guard": LONG}}},
        {"type": LONG},
        {"after": {LONG: "a"}},
        {LONG: 1},
        {"initial": LONG, "states": {"b": {}}},
        {"on": {LONG: 5}},
        {"entry": {"type": "t", LONG: 5}},
    ],
    ids=map(str, range(10)),
)
def test_a_strangers_long_value_is_shortened(state: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError) as refused:
        machine({"a": state})

    assert len(str(refused.value)) < 500


def test_of_many_names_some_are_told() -> None:
    states: dict[str, Any] = {f"s{number}": {} for number in range(500)}

    with pytest.raises(DefinitionError, match="'s11' and 488 more") as refused:
        machine({**states, "s0": {"on": {"GO": "elsewhere"}}})

    assert len(str(refused.value)) < 500


def test_a_key_is_given_once() -> None:
    with pytest.raises(DefinitionError, match="there twice"):
        machine({"a": {"after": {10: "a", "10": "a"}}})


def test_a_context_is_no_deeper_than_a_snapshot_can_hold() -> None:
    context: dict[str, Any] = {}
    for _ in range(59):
        context = {"in": context}

    assert Snapshot.from_json(begun(machine({"a": {}}, context=context)).to_json(), machine({"a": {}})).context == context
    with pytest.raises(DefinitionError, match="too deep"):
        machine({"a": {}}, context={"in": context})


def test_numbers_may_be_numbers_where_python_has_them() -> None:
    definition = machine({"a": {"after": {1000: "b"}}, "b": {}})

    assert definition.nodes["m.a"].after[0].milliseconds == 1000


def test_keys_are_in_the_order_that_javascript_has_them() -> None:
    definition = machine({"b": {}, "10": {}, "9": {"after": {"200": "b", "30": "b", "030": "b"}}, "01": {}, "a": {}})

    assert [node.key for node in definition.places[1:]] == ["9", "10", "b", "01", "a"]
    assert [delay.milliseconds for delay in definition.nodes["m.9"].after] == [30, 200, 30]


def test_what_was_read_is_written_as_xstate_reads_it() -> None:
    given = {
        "id": "m",
        "initial": "a",
        "on": {"X": None},
        "states": {"a": {"after": {1000: ("b",)}, "entry": None, "always": [None, {"target": "b", "guard": "no"}]}, "b": None},
    }
    before = copy.deepcopy(given)

    written = to_config(read(given, GUARDS, {}))

    assert written == {
        "id": "m",
        "initial": "a",
        "on": {"X": {}},
        "states": {"a": {"after": {"1000": ["b"]}, "always": [{}, {"target": "b", "guard": "no"}]}, "b": {}},
    }
    assert to_config(read(written, GUARDS, {})) == written
    assert given == before


def test_a_written_config_is_the_readers_own() -> None:
    definition = machine({"a": {}})

    to_config(definition)["states"]["a"]["on"] = {"GO": "a"}

    assert to_config(definition)["states"]["a"] == {}


def test_a_definition_says_what_people_ask_of_it() -> None:
    definition = machine(
        {
            "draft": {"on": {"SUBMIT": "open", "note.*": {}}, "description": "Being written", "tags": "editable"},
            "open": {"initial": "unpaid", "states": {"unpaid": {"on": {"PAY": "paid"}}, "paid": {"tags": ["payable", "x"]}}, "id": "o"},
        },
        context={"n": [1]},
    )

    assert definition.events == ("SUBMIT", "PAY")
    assert list(definition.nodes) == ["m", "m.draft", "o", "m.open.unpaid", "m.open.paid"]
    assert definition.nodes["m.open.paid"].tags == ("payable", "x")
    assert definition.nodes["m.draft"].description == "Being written"
    assert begun(definition).context == {"n": [1]}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("open", "o"),
        ("open.paid", "m.open.paid"),
        ("#o", "o"),
        ("paid", "m.open.paid"),
        ("twice", None),
        ("pen", None),
        ("#x", None),
        ("", None),
    ],
)
def test_a_state_is_found_by_its_path_its_id_or_the_end_of_its_path_where_that_is_one(path: str, found: str | None) -> None:
    inside = {"initial": "paid", "states": {"paid": {}, "twice": {}}}
    definition = machine({"open": {**inside, "id": "o"}, "shut": {"initial": "twice", "states": {"twice": {}}}})

    node = definition.find(path)

    assert (node.id if node else None) == found


@pytest.mark.parametrize(
    ("functions", "problem"),
    [
        ({"x": 5}, "can't be called"),
        ({"x": lambda: True}, "three values"),
        ({"xstate.x": yes}, "no name"),
        ({5: yes}, "no name"),
        ([yes], "no mapping"),
    ],
    ids=["number", "arity", "reserved", "number as name", "list"],
)
@pytest.mark.parametrize("member", ["guards", "actions"])
def test_functions_are_checked_when_the_machine_is_read(member: str, functions: Any, problem: str) -> None:
    given: dict[str, Any] = {"guards": {}, "actions": {}, member: functions}

    with pytest.raises(DefinitionError, match=problem):
        read({"id": "m"}, given["guards"], given["actions"])


def test_a_function_whose_form_cannot_be_seen_is_taken() -> None:
    unseen: Any = dict

    assert read({"id": "m"}, {"x": unseen}, {"x": unseen}).guards["x"] is unseen


def test_a_guard_that_waits_is_refused() -> None:
    async def waits(_context: object, _event: object, _params: object) -> bool:
        return True

    with pytest.raises(DefinitionError, match="async"):
        read({"id": "m"}, {"waits": waits}, {})  # type: ignore[dict-item]  # the mistake that is tested


def test_the_time_of_a_step_has_its_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        sent(machine({"a": {}}), "GO", at=NOON.replace(tzinfo=None))


@pytest.mark.parametrize("name", ["m\x00", "m\n", "m\x1b[2J", "m\u2028"], ids=["NUL", "line", "escape", "separator"])
def test_a_machine_whose_id_no_store_could_keep_is_refused(name: str) -> None:
    with pytest.raises(DefinitionError, match="holds a control character") as refused:
        read({"id": name, "states": {}}, {}, {})

    assert refused.value.member == "id"
    assert name not in str(refused.value)


def test_a_long_path_is_told_by_its_outermost_and_its_innermost_states() -> None:
    inner: dict[str, Any] = {"on": {"GO": 5}}
    for level in range(20):
        inner = {"initial": f"level{level}", "states": {f"level{level}": inner}}

    with pytest.raises(DefinitionError) as refused:
        read({"id": "m", **inner}, {}, {})

    assert len(refused.value.member) <= 160
    assert refused.value.member.startswith("states.level19.states.level18.states.")
    assert refused.value.member.endswith(".states.level1.states.level0.on.GO")
    assert refused.value.member.count("…") == 1
