import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handgriff.core.schema.canonical import canonical, canonical_text, closed
from handgriff.core.schema.vocabulary import ORDER, SET
from handgriff.errors import DefinitionError

SRC = Path(__file__).resolve().parents[4] / "src"

PROGRAM = """
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from handgriff.core.marks import Known
from handgriff.core.schema.dialects import anthropic
from handgriff.core.schema.imported import schema_from
from handgriff.core.schema.typed import output_of, schema_of

class Node(BaseModel):
    z: str
    a: set[str] = {"x", "y", "w", "v", "u"}
    m: list["Node"] = []

def tool(z: int, a: Node, m: Literal["b", "a"], tags: frozenset[str] = frozenset("qwertz"), who: Annotated[str, Known("user")] = "me"): ...

schema = schema_of(tool, tool="t")
print(anthropic(schema).text)
print(schema.validate('{"z":1,"a":{"z":"x"},"m":"a","tags":["r","q","z","a"]}').canonical)
print(output_of(set[str], tool="t").serialise({"c", "a", "b", "d"}))
raw = {"type": "object", "properties": {"z": {}, "a": {"enum": ["y", "x"]}}, "x-b": 1, "x-a": 2}
raw["oneOf"] = [{"required": ["z"]}, {"required": ["a"]}]
print(schema_from(raw, tool="t").text, schema_from(raw, tool="t").notes)
"""


def test_the_bytes_are_the_same_in_every_process() -> None:
    def run(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(SRC)}
        return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True).stdout

    first, second = run("1"), run("2")

    assert first == second
    assert first.startswith('{"type":"object","properties":{"z":{"type":"integer"},"a":{"$ref":"#/$defs/Node"},"m":')


def test_keywords_stand_in_the_fixed_order_whatever_order_they_came_in() -> None:
    schema = {keyword: _value(keyword) for keyword in reversed((*ORDER, "x-b", "x-a"))}

    assert list(canonical(schema)) == [*ORDER, "x-a", "x-b"]


def _value(keyword: str) -> Any:
    match keyword:
        case "properties" | "patternProperties" | "dependentSchemas":
            return {"p": {"type": "string"}}
        case "items" | "additionalProperties" | "propertyNames" | "not" | "if" | "then" | "else":
            return {"type": "string"}
        case "anyOf" | "oneOf" | "allOf" | "prefixItems":
            return [{"type": "string"}]
        case "required":
            return ["p"]
        case _:
            return "#/x"


def test_properties_stay_in_the_authors_order_and_required_follows_it() -> None:
    made = canonical({"type": "object", "properties": {"z": {}, "a": {}, "m": {}}, "required": ["m", "z", "m", "elsewhere"]})

    assert list(made["properties"]) == ["z", "a", "m"]
    assert made["required"] == ["z", "m", "elsewhere"]


def test_generated_titles_go_and_a_property_named_title_stays() -> None:
    made = canonical({"title": "T", "properties": {"title": {"title": "Title", "type": "string", "default": {"title": "kept"}}}})

    assert made == {"properties": {"title": {"type": "string", "default": {"title": "kept"}}}}


def test_what_is_private_or_idle_is_not_shown() -> None:
    assert canonical({"type": "object", "x-handgriff-known": "order", "required": [], "propertyNames": {}, "$comment": "?"}) == {
        "type": "object"
    }


def test_only_definitions_that_are_needed_are_kept_in_the_order_they_are_needed() -> None:
    made = canonical(
        {
            "$defs": {
                "Unused": {},
                "Deep": {"title": "Deep"},
                "B": {"items": {"$ref": "#/$defs/Deep"}},
                "A": {"items": {"$ref": "#/$defs/A"}},
            },
            "properties": {"b": {"$ref": "#/$defs/B"}, "a": {"$ref": "#/$defs/A"}},
        }
    )

    assert list(made["$defs"]) == ["B", "Deep", "A"]
    assert made["$defs"]["Deep"] == {}


def test_schemas_that_are_booleans_become_objects_except_where_they_close_an_object() -> None:
    made = canonical({"properties": {"any": True, "none": False}, "additionalProperties": False})

    assert made == {"properties": {"any": {}, "none": {"not": {}}}, "additionalProperties": False}


def test_the_default_of_a_set_is_sorted_and_that_of_a_list_is_not() -> None:
    assert canonical({"default": ["b", "a"], SET: True})["default"] == ["a", "b"]
    assert canonical({"default": ["b", "a"], "uniqueItems": True})["default"] == ["b", "a"]


def test_objects_are_closed_at_every_depth_unless_they_say_otherwise() -> None:
    made = closed({"properties": {"a": {"properties": {}}, "b": {"properties": {}, "additionalProperties": True}, "c": {"type": "object"}}})

    assert made["additionalProperties"] is False
    assert made["properties"]["a"]["additionalProperties"] is False
    assert made["properties"]["b"]["additionalProperties"] is True
    assert "additionalProperties" not in made["properties"]["c"]


@pytest.mark.parametrize("default", [float("nan"), 10**100])
def test_a_default_that_is_not_json_is_an_error_of_the_tool(default: float) -> None:
    with pytest.raises(DefinitionError, match="properties/a/default") as caught:
        canonical_text({"properties": {"a": {"default": default}}}, tool="lookup")

    assert caught.value.subject == "lookup"


def test_the_canonical_form_is_its_own_canonical_form() -> None:
    made = canonical({"required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"title": "A", "enum": [2, 1]}}})

    assert canonical(json.loads(json.dumps(made))) == made
