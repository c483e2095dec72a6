"""Files of recorded machines: what is read of a line, and what is said of a bad one."""

import json
from typing import Any

import pytest

from handgriff.testing.xstate.vectors import BadLineError, read_vectors
from tests.unit.testing.xstate.recorded import AT_A, CONFIG, EVENTS, STEPS, line


def test_a_line_is_a_machine_with_its_events_and_answers() -> None:
    (vector,) = read_vectors([line()])

    assert (vector.number, vector.config, vector.is_endless) == (1, CONFIG, False)
    assert list(vector.events) == EVENTS
    assert list(vector.steps) == STEPS


def test_answers_may_be_in_a_file_of_their_own() -> None:
    (vector,) = read_vectors([line(expected=None)], [json.dumps({"steps": STEPS})])

    assert list(vector.steps) == STEPS


@pytest.mark.parametrize(
    ("expected", "steps"),
    [
        ({"steps": [AT_A], "error": "Infinite loop detected"}, 1),
        ({"steps": [], "error": "Infinite loop detected"}, 0),
        ({"steps": [{**AT_A, "status": "error"}]}, 0),
    ],
    ids=["after a step", "at once", "as a status"],
)
def test_an_error_stands_for_no_end(expected: Any, steps: int) -> None:
    (vector,) = read_vectors([line(expected=expected)])

    assert vector.is_endless
    assert len(vector.steps) == steps


BAD: dict[str, tuple[str, str]] = {
    "no JSON": ("{", "it isn't JSON"),
    "empty": ("", "it isn't JSON"),
    "no object": ("[]", "the line is no object"),
    "no config": (line(config=None), "'config' is no object"),
    "no events": (line(events=None), "'events' is no list"),
    "a bad event": (line(events=["GO"]), "an event is no object"),
    "an event without a type": (line(events=[{"flags": {}}]), "an event has no type"),
    "no answers": (line(expected=None), "'expected' is no object"),
    "no steps": (line(expected={}), "'expected.steps' is no list"),
    "not even the start": (line(expected={"steps": []}), "not even the start"),
    "more steps than events": (line(events=EVENTS[:1]), "more steps than events"),
    "no end after the last event": (line(events=[], expected={"steps": [AT_A], "error": "Infinite loop"}), "more steps than events"),
    "a bad step": (line(expected={"steps": ["a"]}), "a step is no object"),
    "half a step": (line(expected={"steps": [{"value": "a", "status": "active"}]}), "a step has no history, actions"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_line_is_named(fault: str) -> None:
    text, problem = BAD[fault]

    with pytest.raises(BadLineError, match=f"^line 2: .*{problem}"):
        list(read_vectors([line(), text]))


def test_a_missing_answer_is_named() -> None:
    with pytest.raises(BadLineError, match="line 2: it isn't JSON"):
        list(read_vectors([line(), line()], [json.dumps({"steps": STEPS})]))
