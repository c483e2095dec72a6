"""State against a dictionary: whatever calls do one after the other, both hold the same, within a call and after it. Promise P2."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handgriff import Call, DefinitionError, Refusal
from handgriff.core.delta import merged
from tests.effort import times
from tests.interaction.desk import ADA
from tests.interaction.slate import Slate

Model: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[str, str, Any]
KEYS = ("k", "l", "user:k")
VALUES = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["a", "b"]), st.lists(st.integers(0, 2), max_size=3))
OBJECTS = st.dictionaries(st.sampled_from("ab"), st.one_of(st.none(), st.integers(0, 2), st.just({"c": 1})), max_size=2)
STEPS = st.one_of(
    st.tuples(st.sampled_from(["set", "append", "add", "remove", "compare"]), st.sampled_from(KEYS), VALUES),
    st.tuples(st.sampled_from(["delete", "pop"]), st.sampled_from(KEYS), st.none()),
    st.tuples(st.just("increment"), st.sampled_from(KEYS), st.integers(-5, 5)),
    st.tuples(st.sampled_from(["merge", "set"]), st.sampled_from(KEYS), OBJECTS),
)
CALLS = st.lists(st.tuples(st.lists(STEPS, min_size=1, max_size=6), st.booleans()), min_size=1, max_size=8)


def listed(model: Model, key: str) -> list[Any]:
    found = model.get(key, [])
    if not isinstance(found, list):
        raise TypeError
    return list(found)


def counted(model: Model, key: str) -> int:
    found = model.get(key, 0)
    if not isinstance(found, int):
        raise TypeError
    return found


def add(model: Model, key: str, value: Any) -> None:
    found = listed(model, key)
    if value not in found:
        model[key] = [*found, value]


def remove(model: Model, key: str, value: Any) -> None:
    if key in model:
        model[key] = [item for item in listed(model, key) if item != value]


def merge(model: Model, key: str, patch: Any) -> None:
    if not isinstance(model.get(key, {}), dict):
        raise TypeError
    model[key] = merged(model.get(key, {}), patch)


def pop(model: Model, key: str, _: Any) -> None:
    if found := listed(model, key):
        model[key] = found[:-1]


def compare(model: Model, key: str, value: Any) -> None:
    if key not in model or model[key] != value:
        raise TypeError
    model[key] = [value]


MODEL: dict[str, Callable[[Model, str, Any], object]] = {
    "set": lambda model, key, value: model.update({key: value}),
    "delete": lambda model, key, _: model.pop(key, None),
    "increment": lambda model, key, by: model.update({key: counted(model, key) + by}),
    "append": lambda model, key, value: model.update({key: [*listed(model, key), value]}),
    "add": add,
    "remove": remove,
    "merge": merge,
    "pop": pop,
    "compare": compare,
}


def expected(model: Model, step: Step) -> bool:
    """Do *step* to *model*, and say whether it could be done."""
    name, key, value = step
    try:
        MODEL[name](model, key, value)
    except TypeError:
        return False
    return True


async def done(call: Call, step: Step) -> bool:
    """Do *step* to state, and say whether it could be done."""
    name, key, value = step
    try:
        match name:
            case "delete" | "pop":
                await getattr(call.state, name)(key)
            case "compare":
                await call.state.compare_and_set(key, value, [value])
            case _:
                await getattr(call.state, name)(key, value)
    except (DefinitionError, Refusal):
        return False
    return True


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@given(calls=CALLS)
@settings(max_examples=times(20), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_calls_leave_what_a_dictionary_would_hold(kind: str, tmp_path_factory: pytest.TempPathFactory, calls: list[Any]) -> None:
    folder: Path = tmp_path_factory.mktemp("model")
    anyio.run(_compare, "memory://" if kind == "memory" else f"sqlite:///{folder}/h.db", calls)


async def _compare(store: str, calls: list[tuple[list[Step], bool]]) -> None:
    slate, kept = Slate(), Model()
    async with slate.chat(store) as chat:
        for steps, fails in calls:
            model = dict(kept)
            could = [expected(model, step) for step in steps]

            async def work(call: Call, steps: list[Step] = steps, fails: bool = fails) -> object:
                told = [await done(call, step) for step in steps], await call.state.all()
                if fails:
                    slate.seen.append(told)
                    raise Refusal("conflict", "No.")
                return told

            outcome = await slate.call(chat, "keep", work)
            assert slate.seen.pop() == (could, model)
            assert outcome.is_ok == (not fails)
            kept = kept if fails else model
            assert await chat.host.sessions.state(ADA, chat.session.id) == kept
