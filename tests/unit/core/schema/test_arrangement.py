from typing import Any

from handgriff.core.schema.arrangement import arranged, with_defaults
from handgriff.core.schema.shape import compiled
from handgriff.core.schema.vocabulary import SET

INNER: dict[str, Any] = {"type": "object", "properties": {"b": {}, "a": {}}, "required": ["a"]}


def test_properties_follow_the_schema_and_others_come_after_as_sent() -> None:
    shape = compiled(
        {"properties": {"z": {}, "inner": {"$ref": "#/$defs/I"}, "list": {"items": {"$ref": "#/$defs/I"}}}, "$defs": {"I": INNER}}
    )
    value: Any = {"y": 1, "x": 2, "list": [{"a": 1, "b": 2}], "inner": {"c": 0, "a": 1, "b": 2}, "z": 3}

    ordered = arranged(shape, value)

    assert ordered == value
    assert isinstance(ordered, dict)
    assert list(ordered) == ["z", "inner", "list", "y", "x"]
    assert str(ordered["inner"]) == "{'b': 2, 'a': 1, 'c': 0}"
    assert str(ordered["list"]) == "[{'b': 2, 'a': 1}]"


def test_sets_are_sorted_and_lists_are_not() -> None:
    shape = compiled(
        {
            "properties": {
                "set": {"type": "array", SET: True},
                "list": {"type": "array"},
                "two": {"prefixItems": [{"type": "array", SET: True}]},
            }
        }
    )

    assert arranged(shape, {"set": ["b", 1, "a"], "list": ["b", "a"], "two": [["b", "a"]]}) == {
        "set": ["a", "b", 1],
        "list": ["b", "a"],
        "two": [["a", "b"]],
    }


def test_in_a_union_the_branch_that_fits_gives_the_order() -> None:
    other = {"type": "object", "properties": {"k": {}, "a": {}}, "required": ["k"], "additionalProperties": False}
    shape = compiled({"anyOf": [other, INNER, {"type": "null"}]})

    assert str(arranged(shape, {"a": 1, "b": 2})) == "{'b': 2, 'a': 1}"
    assert str(arranged(shape, {"a": 1, "k": 2})) == "{'k': 2, 'a': 1}"
    assert arranged(shape, None) is None
    assert arranged(shape, {"q": 1}) == {"q": 1}


def test_defaults_are_added_at_the_top_but_those_left_out() -> None:
    shape = compiled(
        {"properties": {"a": {"default": None}, "b": {"default": 1}, "c": {"properties": {"d": {"default": 1}}}, "e": {"default": 2}}}
    )

    assert with_defaults(shape, {"c": {}, "e": 3}, leave_out=["b"]) == {"a": None, "c": {}, "e": 3}
