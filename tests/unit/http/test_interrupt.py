"""A parked call as an interrupt, with no keyword that a client would stumble over."""

from dataclasses import replace

import pytest

from handgriff.core.events import ConfirmKind
from handgriff.core.jsontext import Json
from handgriff.http.interrupt import interrupt
from tests.unit.http.items import parked

TOLERATED = {"type", "required", "properties", "title", "description"}


def keywords(schema: Json) -> set[str]:
    """Every keyword of a schema, at any depth."""
    if not isinstance(schema, dict):
        return set()
    properties = schema.get("properties", {})
    inner = [keywords(each) for each in properties.values()] if isinstance(properties, dict) else []
    return set(schema).union(*inner)


@pytest.mark.parametrize("confirm", ["person", "code", "second_person"])
def test_a_schema_demands_the_decision_alone(confirm: ConfirmKind) -> None:
    schema = interrupt(replace(parked("p", "c"), confirm=confirm), "de")["responseSchema"]

    assert isinstance(schema, dict)
    assert schema["required"] == ["approved"]
    assert keywords(schema) <= TOLERATED
    assert isinstance(schema["properties"], dict)
    assert list(schema["properties"]) == (["approved", "code"] if confirm == "code" else ["approved"])


def test_a_selection_says_how_many_and_which_for_example() -> None:
    told = interrupt(replace(parked("p", "c"), count=3, sample=("one", "two")), "en")["metadata"]

    assert isinstance(told, dict)
    assert told["handgriff"] == {
        "tool": "cancel_order",
        "diff": [{"label": "Status", "before": "a", "after": "b"}],
        "confirm": "person",
        "count": 3,
        "sample": ["one", "two"],
    }


@pytest.mark.parametrize(("why", "message"), [(None, "Do c?"), ("The code is wrong.", "Do c? The code is wrong.")])
def test_what_is_still_open_says_why(why: str | None, message: str) -> None:
    assert interrupt(parked("p", "c"), "en", why)["message"] == message
