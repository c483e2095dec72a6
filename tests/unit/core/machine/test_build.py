"""States written in Python give the config that one would write by hand."""

import json
from typing import Any

import pytest

from handgriff.core.machine.build import State, Transition, config_of
from handgriff.core.machine.reading import read, to_config
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import GUARDS, sent

ANYTHING: Any = {"a": {}}


def test_a_machine_in_python_is_the_one_in_json() -> None:
    built = config_of(
        "invoice",
        State("draft", on={"SUBMIT": "review", "NOTE": None}, tags="editable", entry="told", description="Being written"),
        State(
            "review",
            State("waiting", after={86_400_000: Transition("late", actions=["remind"])}),
            "late",
            State("h", type="history", history="deep", target="late"),
            on={
                "APPROVE": [Transition("approved", guard="yes", params={"least": 2}), "draft"],
                "AGAIN": Transition("review", reenter=True),
                "KEEP": Transition(actions={"type": "log", "params": {"x": 1}}, description="stays"),
            },
            on_done="draft",
            exit=("a", "b"),
        ),
        State(
            "approved", State("l", "one", State("two", type="final", output={"n": 1})), State("r"), type="parallel", id="ok", meta={"k": 1}
        ),
        State("paid", always=[Transition("draft", guard="no"), {"target": "review"}], type="final"),
        context={"n": 0},
        version="3",
    )

    by_hand = {
        "id": "invoice",
        "version": "3",
        "context": {"n": 0},
        "initial": "draft",
        "states": {
            "draft": {"on": {"SUBMIT": "review", "NOTE": {}}, "entry": "told", "tags": "editable", "description": "Being written"},
            "review": {
                "initial": "waiting",
                "states": {
                    "waiting": {"after": {"86400000": {"target": "late", "actions": ["remind"]}}},
                    "late": {},
                    "h": {"type": "history", "history": "deep", "target": "late"},
                },
                "on": {
                    "APPROVE": [{"target": "approved", "guard": {"type": "yes", "params": {"least": 2}}}, "draft"],
                    "AGAIN": {"target": "review", "reenter": True},
                    "KEEP": {"actions": {"type": "log", "params": {"x": 1}}, "description": "stays"},
                },
                "onDone": "draft",
                "exit": ["a", "b"],
            },
            "approved": {
                "id": "ok",
                "type": "parallel",
                "states": {"l": {"initial": "one", "states": {"one": {}, "two": {"type": "final", "output": {"n": 1}}}}, "r": {}},
                "meta": {"k": 1},
            },
            "paid": {"type": "final", "always": [{"target": "draft", "guard": "no"}, {"target": "review"}]},
        },
    }
    assert built == by_hand
    assert to_config(read(built, GUARDS, {})) == by_hand
    assert json.loads(json.dumps(built)) == by_hand


def test_the_first_state_is_the_initial_one_unless_another_is_said() -> None:
    assert config_of("m", "a", "b")["initial"] == "a"
    assert config_of("m", "a", "b", initial="b")["initial"] == "b"
    assert config_of("m", State("h", type="history"), "a")["initial"] == "a"
    assert config_of("m", "a", initial={"target": "a", "actions": "x"})["initial"] == {"target": "a", "actions": "x"}
    assert "initial" not in config_of("m", "a", "b", type="parallel")


def test_the_machine_itself_takes_what_a_state_takes() -> None:
    config = config_of("m", "a", "b", on={"B": ".b"}, entry="told", tags=["x"], output=None)

    assert config == {"id": "m", "initial": "a", "states": {"a": {}, "b": {}}, "on": {"B": ".b"}, "entry": "told", "tags": ["x"]}


def test_a_forbidden_transition_is_one_that_says_nothing() -> None:
    inner = State("a", State("x", on={"GO": Transition()}), on={"GO": "b"})

    assert sent(read(config_of("m", inner, "b"), {}, {}), "GO").snapshot.value == {"a": "x"}


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda: config_of("m", "a", State("a")), "two states 'a'"),
        (lambda: config_of("m", ANYTHING), "is no state"),
        (lambda: State(""), "is no name"),
        (lambda: State(ANYTHING), "is no name"),
        (lambda: State("a", on={"GO": Transition("b", params={"n": 1})}), "a guard's"),
    ],
    ids=["twice", "dict", "nameless", "number", "params alone"],
)
def test_a_fault_is_told_where_it_is_written(build: Any, problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem):
        build()
