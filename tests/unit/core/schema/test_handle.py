"""A workflow's handle among the arguments: added first, or the author's own, and demanded either way."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from handgriff import DefinitionError, Refusal
from handgriff.core.schema.form import Schema
from handgriff.core.schema.handle import with_handle
from handgriff.core.schema.imported import schema_from
from handgriff.core.schema.typed import schema_of


class Paper(BaseModel):
    note: str = ""
    paper: str = "w_0"


def by_default(note: str = "", paper: str = "w_0") -> None: ...


def by_model(params: Paper) -> None: ...


IMPORTED = {"type": "object", "properties": {"note": {"type": "string"}, "paper": {"type": "string", "default": "w_0"}}}
OWN = {
    "parameter": schema_of(by_default, tool="tool"),
    "field": schema_of(by_model, tool="tool"),
    "imported": schema_from(IMPORTED, tool="tool"),
}


def imported(**rules: Any) -> Schema:
    return schema_from({"type": "object", "properties": {"a": {"type": "string"}}, **rules}, tool="tool")


@pytest.mark.parametrize("own", OWN)
def test_the_authors_own_handle_is_demanded_whatever_its_default(own: str) -> None:
    schema = with_handle(OWN[own], "paper", "The paper.")

    shown = json.loads(schema.text)
    assert (list(shown["properties"]), shown["required"]) == (["note", "paper"], ["paper"])
    assert "default" not in shown["properties"]["paper"]
    assert [argument.is_required for argument in schema.arguments] == [False, True]
    with pytest.raises(Refusal) as refused:
        schema.validate("{}")
    assert refused.value.facts["fields"] == {"paper": "missing; expected a string"}
    assert json.loads(schema.validate('{"paper":"w_1"}').canonical)["paper"] == "w_1"


@pytest.mark.parametrize("own", OWN)
def test_a_handle_that_is_already_there_is_not_added_again(own: str) -> None:
    once = with_handle(OWN[own], "paper", "The paper.")

    assert with_handle(once, "paper", "The paper.") == once


@pytest.mark.parametrize(
    "rules",
    [
        {"maxProperties": 1},
        {"propertyNames": {"maxLength": 1}},
        {"patternProperties": {"^p": {"type": "integer"}}, "additionalProperties": False},
    ],
    ids=lambda rules: next(iter(rules)),
)
def test_rules_that_count_every_name_leave_no_room_for_a_handle(rules: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match=f"'tool', input_schema.*{next(iter(rules))}.*'paper'"):
        with_handle(imported(**rules), "paper", "The paper.")


@pytest.mark.parametrize(
    "rules",
    [{}, {"minProperties": 1}, {"additionalProperties": True}, {"patternProperties": {"^x": {"type": "integer"}, "": {"type": "string"}}}],
    ids=["closed", "least", "open", "patterns"],
)
def test_what_is_shown_with_a_handle_added_takes_what_is_taken(rules: dict[str, Any]) -> None:
    schema = with_handle(imported(**rules), "paper", "The paper.")
    given = {"paper": "w_1", "a": "x"}

    assert schema.validate(given).values == {"a": "x"}
    assert Draft202012Validator(json.loads(schema.text)).is_valid(given)


def test_a_handle_of_the_authors_own_stands_under_any_rule_on_names() -> None:
    rules = {"type": "object", "properties": {"paper": {"type": "string"}}, "maxProperties": 1}

    assert with_handle(schema_from(rules, tool="tool"), "paper", "The paper.").validate({"paper": "w_1"}).values == {"paper": "w_1"}
