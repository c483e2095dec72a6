"""Schemas of imported tools: shown without what providers refuse, enforced whole, and never fetched."""

from collections.abc import Mapping
from typing import Any

import pytest

from handgriff.core.schema.dialects import anthropic
from handgriff.core.schema.imported import schema_from
from handgriff.errors import DefinitionError, Refusal

NODE = {"type": "object", "properties": {"v": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}
FIND = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "email": {"type": "string"}},
    "anyOf": [{"required": ["id"]}, {"required": ["email"]}],
}


def of(properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), **more}


def values(raw: Mapping[str, Any], given: str | dict[str, Any]) -> Mapping[str, object]:
    return schema_from(raw, tool="t").validate(given).values


def fields(raw: Mapping[str, Any], given: str | dict[str, Any]) -> Mapping[str, str]:
    with pytest.raises(Refusal) as caught:
        schema_from(raw, tool="t").validate(given)
    assert caught.value.code == "invalid"
    found = caught.value.facts["fields"]
    assert isinstance(found, Mapping)
    return found


# --- references that come back -------------------------------------------------------------------------------------------


def test_a_tree_at_the_root_is_taken_and_judged_to_the_leaf() -> None:
    """B043"""
    raw = {"$defs": {"Node": NODE}, "$ref": "#/$defs/Node"}

    assert values(raw, '{"v":"a","kids":[{"v":"b","kids":[{"v":"c"}]}]}') == {"v": "a", "kids": [{"v": "b", "kids": [{"v": "c"}]}]}
    assert fields(raw, '{"v":"a","kids":[{"v":"b","kids":[{"v":5}]}]}') == {"kids/0/kids/0/v": "expected a string, got an integer"}
    assert "too deep" in fields(raw, '{"kids":[' * 5000 + "{}" + "]}" * 5000)["arguments"]


def test_two_that_refer_to_each_other_are_taken() -> None:
    """B043"""
    raw = of({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": of({"b": {"$ref": "#/$defs/B"}}), "B": of({"a": {"$ref": "#/$defs/A"}})}})

    assert values(raw, '{"a":{"b":{"a":{}}}}') == {"a": {"b": {"a": {}}}}
    assert "a/b/a/b" in fields(raw, '{"a":{"b":{"a":{"b":3}}}}')


def test_any_json_can_be_described_and_keeps_its_types() -> None:
    """B043"""
    anything = {
        "anyOf": [
            *({"type": kind} for kind in ("string", "number", "boolean", "null")),
            {"type": "array", "items": {"$ref": "#/$defs/JSONValue"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/JSONValue"}},
        ]
    }
    given = {"x": [1, 1.5, {"a": [None, True, "{}", "true", "3"]}]}

    assert values(of({"x": {"$ref": "#/$defs/JSONValue"}}, **{"$defs": {"JSONValue": anything}}), given) == given


@pytest.mark.parametrize(
    "raw",
    [
        of({"a": {"$ref": "https://example.com/a.json"}}),
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"type": "array"},
        {"type": "objekt"},
        of({"a": {"pattern": "(["}}),
        of({"a": {"default": float("nan")}}),
        {"properties": []},
        of({}, dependencies=[]),
        {"anyOf": [{"type": "string"}, {"type": "object"}]},
        of({"a": {"items": "text"}}),
        of({"a": {"$ref": 5}}),
    ],
    ids=["remote", "circle", "array", "type", "pattern", "nan", "properties", "dependencies", "branch", "items", "ref"],
)
def test_what_cannot_be_taken_is_an_error_of_that_tool_alone(raw: dict[str, Any]) -> None:
    """B043 B045"""
    with pytest.raises(DefinitionError) as caught:
        schema_from(raw, tool="odd")

    assert (caught.value.subject, caught.value.member) == ("odd", "input_schema")


# --- combinators at the root ---------------------------------------------------------------------------------------------


def test_a_choice_at_the_root_is_said_and_enforced_and_not_shown() -> None:
    """B045"""
    made = schema_from(FIND, tool="find")
    shown = anthropic(made)

    assert shown.text == '{"type":"object","properties":{"id":{"type":"string"},"email":{"type":"string"}},"additionalProperties":false}'
    assert shown.notes == ("Give at least one of these: id; email.",)
    for given in ({"id": "1"}, {"email": "a@b.c"}, {"id": "1", "email": "a@b.c"}):
        assert made.validate(given).values == given
    with pytest.raises(Refusal) as caught:
        made.validate("{}")
    assert caught.value.message == "arguments: Give at least one of these: id; email."


def test_one_of_several_forms_is_enforced_whole() -> None:
    """B045"""
    raw = {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}},
                "required": ["kind", "x"],
                "additionalProperties": False,
            },
            {"$ref": "#/$defs/B"},
        ],
        "$defs": {
            "B": {
                "type": "object",
                "properties": {"kind": {"const": "b"}, "y": {"type": "string"}},
                "required": ["kind"],
                "additionalProperties": False,
            }
        },
    }
    made = schema_from(raw, tool="t")

    assert made.text == (
        '{"type":"object","properties":{"kind":{"enum":["a","b"]},"x":{"type":"integer"},"y":{"type":"string"}},'
        '"required":["kind"],"additionalProperties":false}'
    )
    assert made.notes[0].startswith("The arguments must also satisfy this JSON Schema: {")
    assert '"const":"b"' in made.notes[0]
    assert made.validate({"kind": "a", "x": "3"}).values == {"kind": "a", "x": 3}
    assert fields(raw, {"kind": "b", "x": 3}) == {"arguments": 'Give exactly one of these: kind = "a" and x; kind = "b"'}


def test_what_must_all_hold_becomes_one_object() -> None:
    """B045"""
    raw = {
        "allOf": [of({"a": {"type": "integer"}}, required=["a"]), {"$ref": "#/$defs/Rest"}],
        "$defs": {"Rest": of({"b": {"type": "string"}}, minProperties=2)},
    }
    made = schema_from(raw, tool="t")

    assert (
        made.text
        == '{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}'
    )
    assert made.notes == ('The arguments must also satisfy this JSON Schema: {"minProperties":2}',)
    assert fields(raw, {"a": 1}) == {"arguments": "breaks the rule minProperties 2"}
    assert values(raw, {"b": "x", "a": "1"}) == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (
            {
                "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
                "then": {"required": ["b"], "properties": {"b": {"type": "string"}}},
            },
            {"a": 1, "b": "x"},
            {"a": 1},
        ),
        ({"not": {"required": ["a", "b"]}}, {"a": 1}, {"a": 1, "b": 2}),
        ({"anyOf": [{"required": ["a"]}, {"minProperties": 2}]}, {"a": 1}, {}),
        ({"allOf": [{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]}, {"b": 1}, {}),
    ],
    ids=["if", "not", "anyOf", "nested"],
)
def test_every_rule_of_the_root_is_said_and_enforced(rule: dict[str, Any], good: dict[str, Any], bad: dict[str, Any]) -> None:
    """B045"""
    raw = of({"a": {}}, **rule)
    made = schema_from(raw, tool="t")

    assert not any(f'"{keyword}"' in made.text for keyword in ("anyOf", "allOf", "oneOf", "not", "if"))
    assert made.notes
    assert made.validate(good).values == good
    assert fields(raw, bad)


# --- unknown arguments ---------------------------------------------------------------------------------------------------


def test_where_the_author_is_silent_other_arguments_are_refused() -> None:
    assert fields(of({"size": {"type": "integer"}}), {"sise": 1}) == {"sise": "unknown; did you mean 'size'?"}
    assert fields({}, {"a": 1}) == {"a": "unknown; it takes none"}


def test_where_the_author_allows_them_they_pass_in_the_order_sent() -> None:
    raw = of({"a": {"type": "integer"}}, additionalProperties={"type": "integer"})

    made = schema_from(raw, tool="t")

    assert made.validate('{"z":"1","y":2,"a":3}').canonical == '{"a":3,"z":1,"y":2}'
    assert fields(raw, {"z": "x"}) == {"z": "expected an integer, got a string"}
    assert values(of({}, patternProperties={"^x-": {"type": "integer"}}), {"x-a": 1, "b": "c"}) == {"x-a": 1, "b": "c"}


# --- lists of values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer", "enum": [1, 2, 3]}, {"3": 3, '"3"': 3, "3.0": 3}, ["true", "4", "null", '"4"']),
        ({"enum": [2, 5, 42]}, {"42": 42, '"2"': 2, "5.0": 5}, ["true", "4", "null"]),
        ({"enum": [1, "1", True, None]}, {"1": 1, '"1"': "1", "true": True, "null": None, "1.0": 1}, ["false", "0", '"true"', "[]"]),
        ({"const": {"a": [1.0, True]}}, {'{"a":[1,true]}': {"a": [1, True]}}, ['{"a":[1,1]}', '{"a":[true,true]}', "1"]),
    ],
    ids=["typed", "untyped", "mixed", "object"],
)
def test_a_list_of_values_takes_those_alone(schema: dict[str, Any], good: dict[str, Any], bad: list[str]) -> None:
    """B051"""
    raw = of({"x": schema})

    for text, value in good.items():
        read = values(raw, f'{{"x":{text}}}')["x"]
        assert (read, type(read)) == (value, type(value))
    for text in bad:
        assert fields(raw, f'{{"x":{text}}}')["x"].startswith("expected ")
    assert fields(of({"x": {"type": "integer", "enum": [1, 2, 3]}}), '{"x":4}') == {"x": "expected one of 1, 2, 3"}


def test_null_is_taken_where_it_is_listed_and_a_list_without_it_is_warned_of() -> None:
    """B052"""
    without, listed = (of({"x": {"type": ["integer", "null"], "enum": choices}}) for choices in ([1, 2], [1, 2, None]))

    assert fields(without, '{"x":null}') == {"x": "expected one of 1, 2"}
    assert "null is refused" in schema_from(without, tool="t").warnings[0]
    assert values(listed, '{"x":null}') == {"x": None}
    assert schema_from(listed, tool="t").warnings == ()


# --- defaults, formats, finer rules --------------------------------------------------------------------------------------


def test_defaults_are_filled_in_where_they_fit() -> None:
    raw = of({"limit": {"type": "integer", "default": 10}, "name": {"type": "string", "default": None}, "q": {"type": "string"}})
    made = schema_from(raw, tool="t")

    assert made.validate({"q": "x"}).canonical == '{"limit":10,"q":"x"}'
    assert "default of 'name'" in made.warnings[0]


def test_a_default_that_would_break_a_rule_is_not_filled_in() -> None:
    raw = of({"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}}, oneOf=[{"required": ["a"]}, {"required": ["b"]}])

    assert values(raw, {"a": 1}) == {"a": 1}


@pytest.mark.parametrize(
    ("schema", "good", "bad", "problem"),
    [
        ({"type": "string", "format": "date-time"}, "2020-03-29T02:00:00Z", "2020-03-29T02:00:00", "no offset"),
        ({"type": "string", "format": "date"}, "2024-02-29", "2023-02-29", "a date that exists"),
        ({"type": "string", "format": "uuid"}, "00000000-0000-0000-0000-000000000001", "x", "a valid uuid"),
        ({"type": "string", "pattern": "^a"}, "ab", "ba", 'pattern "^a"'),
        ({"type": "string", "maxLength": 2}, "ab", "abc", "maxLength 2"),
        ({"type": "number", "exclusiveMinimum": 0}, 0.5, 0, "exclusiveMinimum 0"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1}, [1], [], "minItems 1"),
        ({"type": "array", "uniqueItems": True}, [1, 2], [1, 1], "uniqueItems true"),
        ({"type": "array", "contains": {"const": 1}}, [2, 1], [2], "'contains'"),
        ({"anyOf": [{"type": "string", "minLength": 3}, {"type": "string", "const": "x"}]}, "abc", "ab", "none of the alternatives"),
        ({"not": {"const": 1}}, 2, 1, "'not'"),
        (
            {"allOf": [{"if": {"type": "object"}, "then": {"properties": {"a": {"type": "string", "enum": ["b"]}}}}]},
            {"a": "b"},
            {"a": "c"},
            '"b"',
        ),
        ({"if": {"type": "object"}, "then": {"properties": {"a": {"type": ["string", "null"]}}}}, {"a": "b"}, {"a": 1}, "a string or null"),
        ({"type": "object", "propertyNames": {"pattern": "^a"}}, {"a": 1}, {"b": 1}, "pattern"),
        ({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False}, {"a": 1}, {"b": 1}, "aren't taken"),
        ({"allOf": [{"type": "object", "required": ["a"]}]}, {"a": 1}, {}, "missing"),
    ],
    ids=str,
)
def test_the_finer_rules_are_enforced_without_repeating_the_value(schema: dict[str, Any], good: Any, bad: Any, problem: str) -> None:
    """B057 B139"""
    raw = of({"x": schema})

    assert values(raw, {"x": good}) == {"x": good}
    said = fields(raw, {"x": bad})
    assert problem in next(iter(said.values()))


def test_integers_keep_every_digit() -> None:
    """B049"""
    made = schema_from(of({"id": {"type": "integer"}}), tool="t")

    assert made.validate('{"id":2512292042121000001}').canonical == '{"id":2512292042121000001}'
    assert made.validate('{"id":"1234567890123456789"}').values == {"id": 1234567890123456789}
    assert made.validate('{"id":9007199254740993.0}').values == {"id": 9007199254740993}


def test_objects_and_arrays_sent_as_text_are_parsed_once() -> None:
    """B046"""
    raw = of({"fields": {"type": "object"}, "tags": {"type": "array", "items": {"type": "string"}}})

    assert values(raw, r'{"fields":"{\"a\":1}","tags":"[\"a\"]"}') == {"fields": {"a": 1}, "tags": ["a"]}
    assert fields(raw, r'{"fields":"5","tags":"[1]"}') == {
        "fields": "expected an object, got a string",
        "tags/0": "expected a string, got an integer",
    }


# --- older drafts, strangers' keywords -----------------------------------------------------------------------------------


def test_older_drafts_are_enforced_in_todays_words() -> None:
    raw = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"Pair": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": False}},
        **of(
            {
                "pair": {"$ref": "#/definitions/Pair"},
                "definitions": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": True},
            }
        ),
        "maxProperties": 3,
        "dependencies": {"pair": ["definitions"], "definitions": {"minProperties": 1}},
    }

    assert values(raw, {"pair": ["1", "x"], "definitions": 1}) == {"pair": [1, "x"], "definitions": 1}
    assert fields(raw, {"pair": [1, "x", 2], "definitions": 1})
    assert fields(raw, {"pair": [1, "x"]})
    assert fields(raw, {"definitions": 9}) == {"definitions": "breaks the rule exclusiveMaximum 9"}
    assert fields(raw, {"definitions": 0}) == {"definitions": "breaks the rule exclusiveMinimum 0"}


def test_a_stranger_cannot_use_our_private_keywords() -> None:
    made = schema_from(of({"order": {"type": "string", "x-handgriff-known": "order", "x-other": 1}}), tool="t")

    assert made.demanded(made.validate({"order": "o_1"})) == ()
    assert made.text == '{"type":"object","properties":{"order":{"type":"string","x-other":1}},"additionalProperties":false}'


def test_arguments_are_described() -> None:
    password, mode = schema_from(
        of(
            {"password": {"type": "string", "format": "password", "writeOnly": True}, "mode": {"enum": ["a"], "description": "How."}},
            required=["mode"],
        ),
        tool="t",
    ).arguments

    assert password.is_secret
    assert (mode.description, mode.is_required, mode.has_choices, mode.kinds) == ("How.", True, True, ("string",))


def test_titles_are_not_shown_and_a_property_of_that_name_is() -> None:
    assert schema_from(of({"title": {"title": "Title", "type": "string"}}, title="T"), tool="t").text == (
        '{"type":"object","properties":{"title":{"type":"string"}},"additionalProperties":false}'
    )
