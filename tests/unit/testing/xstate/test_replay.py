"""The replay: it agrees with what XState answered, and sees every difference."""

from typing import Any

import pytest

from handgriff.testing.xstate.replay import Difference, Replayed, replayed
from handgriff.testing.xstate.vectors import read_vectors
from tests.unit.testing.xstate.recorded import AT_A, CONFIG, ENDLESS, STEPS, UNSURE, line, with_step


def replay(text: str) -> Replayed:
    (vector,) = read_vectors([text])
    return replayed(vector)


def difference(text: str) -> Difference:
    found = replay(text).difference
    assert found is not None
    return found


def test_the_recorded_answers_are_ours() -> None:
    assert replay(line()) == Replayed(None, is_torn=False)


def test_no_end_on_both_sides_is_agreement() -> None:
    assert replay(line(config=ENDLESS, expected={"steps": [AT_A], "error": "Infinite loop"})).difference is None


@pytest.mark.parametrize(
    ("step", "change", "event"),
    [
        (0, {"value": "b"}, "start"),
        (1, {"status": "done"}, "GO"),
        (2, {"history": {"m.h": ["m.a"]}}, "GO"),
        (2, {"actions": ["t", "-a"]}, "GO"),
        (0, {"actions": ["+a"]}, "start"),
    ],
    ids=["value", "status", "history", "order", "actions"],
)
def test_a_difference_says_where_it_is(step: int, change: dict[str, Any], event: str) -> None:
    found = difference(with_step(step, **change))

    assert (found.machine, found.step, found.event) == (1, step, event)
    assert {found.what: found.expected} == change
    assert f"machine 1, step {step} ({event}), {found.what}:" in str(found)


@pytest.mark.parametrize(
    ("text", "expected", "got"),
    [
        (line(config={**CONFIG, "invoke": {"src": "x"}}), "a machine", "refused"),
        (line(expected={"steps": STEPS[:2], "error": "Infinite loop"}), "no end", "b"),
        (line(expected={"steps": STEPS[:2]}), "the end", "still active"),
        (line(config=ENDLESS, expected={"steps": [AT_A, {**AT_A, "value": "c"}]}), "a step", "endless"),
        (line(config=UNSURE, expected={"steps": [AT_A], "error": "Infinite loop"}), "no end", "guard 'gp' raised KeyError"),
    ],
    ids=["refused", "an end", "goes on", "no end", "another error"],
)
def test_another_outcome_is_a_difference(text: str, expected: str, got: str) -> None:
    found = difference(text)

    assert found.expected == expected
    assert got in str(found.got)


def test_a_machine_that_xstate_left_in_two_states_at_once_is_counted() -> None:
    p = {"type": "parallel", "states": {"l": {"on": {"GO": "h"}}, "h": {"type": "history"}}}
    config = {"id": "m", "initial": "a", "states": {"a": {"initial": "x", "states": {"x": {}}, "on": {"P": "p"}}, "p": p}}
    steps = [{**AT_A, "value": value, "history": history} for value, history in TORN]

    found = replay(line(config=config, events=[{"type": "P"}, {"type": "GO"}], expected={"steps": steps}))

    assert found == Replayed(None, is_torn=True)


TORN: tuple[tuple[Any, Any], ...] = (
    ({"a": "x"}, {}),
    ({"p": {"l": {}}}, {}),
    ({"a": "x", "p": {"l": {}}}, {"m.p.h": ["m.p.l"]}),
)
"""As XState 5.33.3 answered."""
