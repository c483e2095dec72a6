"""Guards and actions: how they are called, what they may not do, and that none of them fails in silence."""

from asyncio import CancelledError
from collections.abc import Mapping
from typing import Any

import pytest

from handgriff.core.machine.interpret import can, next_step
from handgriff.errors import DefinitionError
from tests.unit.core.machine.machines import NOON, Functions, begun, machine, names, sent

Json = Mapping[str, Any]


def guarded(guard: Any, **more: Any) -> Any:
    given = {"type": "ask", "params": more} if more else "ask"
    return machine({"a": {"on": {"GO": [{"target": "b", "guard": given}]}}, "b": {}}, guards={"ask": guard}, context={"n": 1, "of": [1]})


def acting(**functions: Any) -> Any:
    states = {"a": {"on": {"GO": {"target": "b", "actions": [*functions]}}}, "b": {"entry": "told"}}
    return machine(states, actions=functions, context={"n": 1, "of": [1]})


def test_a_guard_sees_context_event_and_params() -> None:
    seen: list[tuple[Json, Json, Json]] = []

    def ask(context: Json, event: Json, params: Json) -> bool:
        seen.append((context, event, params))
        return True

    sent(guarded(ask, least=2), {"type": "GO", "args": {"x": 1}})
    sent(guarded(ask), "GO")

    assert seen == [({"n": 1, "of": [1]}, {"type": "GO", "args": {"x": 1}}, {"least": 2}), ({"n": 1, "of": [1]}, {"type": "GO"}, {})]


def test_a_guard_that_raises_is_an_error_that_says_where_and_changes_nothing() -> None:
    """B033: a failing guard is never a silent no, and the snapshot is the one before it."""

    def ask(_context: Json, _event: Json, _params: Json) -> bool:
        raise KeyError("carrier")

    definition = guarded(ask)
    before = begun(definition)

    for asks in (lambda: next_step(definition, before, {"type": "GO"}, NOON), lambda: can(definition, before, {"type": "GO"})):
        with pytest.raises(DefinitionError, match="guard 'ask' raised KeyError: 'carrier'") as refused:
            asks()
        assert refused.value.member == "states.a.on.GO[0].guard"
        assert isinstance(refused.value.__cause__, KeyError)
    assert before == begun(definition)


@pytest.mark.parametrize("answer", [None, 1, "yes", []], ids=repr)
def test_a_guard_answers_yes_or_no(answer: object) -> None:
    definition = guarded(lambda _context, _event, _params: answer)

    with pytest.raises(DefinitionError, match=f"answered a value of type {type(answer).__name__}. Mend: let it return True or False"):
        sent(definition, "GO")


def test_a_guard_that_answers_something_to_wait_for_is_refused_and_leaves_nothing_waiting() -> None:
    async def later() -> bool:
        return True

    with pytest.raises(DefinitionError, match="type coroutine"):
        sent(guarded(lambda _context, _event, _params: later()), "GO")


CHANGES: Functions = {
    "an item": lambda context, _event, _params: context.update(n=2),
    "an item by key": lambda context, _event, _params: context.__setitem__("n", 2),
    "a nested list": lambda context, _event, _params: context["of"].append(2),
    "the event": lambda _context, event, _params: event["args"].pop("x"),
    "the params": lambda _context, _event, params: params.clear(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_that_a_function_is_given_can_be_changed_in_place(change: str) -> None:
    event = {"type": "GO", "args": {"x": 1}}

    with pytest.raises(DefinitionError, match="raised TypeError: what a machine holds can't be changed in place"):
        sent(guarded(CHANGES[change], p=1), event)
    with pytest.raises(DefinitionError, match="raised TypeError: what a machine holds can't be changed in place"):
        sent(acting(change=CHANGES[change]), event)
    assert event == {"type": "GO", "args": {"x": 1}}


def test_actions_change_the_context_one_after_the_other() -> None:
    def add(context: Json, event: Json, _params: Json) -> Json:
        return {**context, "n": context["n"] + event["by"]}

    def double(context: Json, _event: Json, _params: Json) -> Json:
        return {**context, "n": context["n"] * 2}

    step = sent(acting(add=add, double=double), {"type": "GO", "by": 4})

    assert step.snapshot.context == {"n": 10, "of": [1]}
    assert names(step) == ["add", "double", "told"]


def test_an_action_that_answers_nothing_leaves_the_context() -> None:
    definition = acting(look=lambda _context, _event, _params: None)

    assert sent(definition, "GO").snapshot.context is definition.context


def test_a_later_guard_sees_what_an_earlier_action_has_made() -> None:
    states = {"a": {"on": {"GO": {"target": "b", "actions": "set"}}}, "b": {"always": {"target": "c", "guard": "is_set"}}, "c": {}}
    definition = machine(
        states, actions={"set": lambda _c, _e, _p: {"set": True}}, guards={"is_set": lambda context, _e, _p: context.get("set", False)}
    )

    assert sent(definition, "GO").snapshot.value == "c"


def test_an_always_without_target_runs_until_its_guard_says_no() -> None:
    def more(context: Json, _event: Json, _params: Json) -> Json:
        return {"n": context["n"] + 1}

    def is_low(context: Json, _event: Json, _params: Json) -> bool:
        return bool(context["n"] < 5)

    states = {"a": {"always": {"guard": "low", "actions": "more"}}}
    definition = machine(states, guards={"low": is_low}, actions={"more": more}, context={"n": 0})

    assert begun(definition).context == {"n": 5}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (5, "answered a value of type int"),
        ([], "answered a value of type list"),
        ({"x": {1}}, "a value of type set isn't JSON at x"),
        ({"x": float("nan")}, "NaN"),
        ({5: 1}, "a key of type int"),
        ({"x": "\ud800"}, "lone surrogate"),
    ],
    ids=["number", "list", "set", "nan", "key", "surrogate"],
)
def test_an_action_answers_a_json_object(answer: object, problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem) as refused:
        sent(acting(set=lambda _context, _event, _params: answer), "GO")

    assert refused.value.member == "states.a.on.GO.actions[0]"


@pytest.mark.parametrize("error", [SystemExit(3), Exception("odd"), StopIteration()], ids=["exit", "anything", "stop"])
def test_whatever_a_guard_or_an_action_raises_is_its_mistake(error: BaseException) -> None:
    def fail(*_: object) -> Any:
        raise error

    with pytest.raises(DefinitionError, match=f"guard 'ask' raised {type(error).__name__}"):
        sent(guarded(fail), "GO")
    with pytest.raises(DefinitionError, match=f"action 'fail' raised {type(error).__name__}"):
        sent(acting(fail=fail), "GO")


@pytest.mark.parametrize("error", [KeyboardInterrupt, CancelledError])
def test_what_ends_a_call_from_outside_passes_through_guards_and_actions(error: type[BaseException]) -> None:
    def fail(*_: object) -> Any:
        raise error

    with pytest.raises(error):
        sent(guarded(fail), "GO")
    with pytest.raises(error):
        sent(acting(fail=fail), "GO")


def test_an_action_that_raises_is_an_error_and_changes_nothing() -> None:
    """B033: there is no state between before and after."""

    def fail(_context: Json, _event: Json, _params: Json) -> Json:
        raise RuntimeError("carrier down")

    with pytest.raises(DefinitionError, match="action 'fail' raised RuntimeError: carrier down"):
        sent(acting(fail=fail), "GO")


def test_a_context_is_the_machines_own() -> None:
    made = {"of": [1]}
    definition = acting(set=lambda _context, _event, _params: made)
    snapshot = sent(definition, "GO").snapshot

    made["of"].append(2)

    assert snapshot.context == {"of": [1]}


def test_a_guard_may_be_any_callable() -> None:
    class Least:
        def __init__(self, least: int) -> None:
            self.least = least

        def __call__(self, context: Json, _event: Json, _params: Json) -> bool:
            return bool(context["n"] >= self.least)

    assert sent(guarded(Least(1)), "GO").snapshot.value == "b"
    assert sent(guarded(Least(2)), "GO").snapshot.value == "a"
