import pytest

from handgriff.core.schema.opening import alternatives, opened
from handgriff.core.schema.vocabulary import COMBINATORS, Raw


def test_a_property_that_differs_between_branches_may_be_either() -> None:
    """B045"""
    body, _ = opened({"anyOf": [{"properties": {"x": {"type": "string"}}}, {"properties": {"x": {"type": "integer"}, "y": {}}}]}, tool="t")

    assert body["properties"] == {"x": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "y": {}}


def test_what_the_root_says_of_a_property_stands_unless_it_says_nothing() -> None:
    """B045"""
    branch: Raw = {"properties": {"a": {"maxLength": 3}, "b": {"maxLength": 3}}}
    body, notes = opened({"properties": {"a": {"type": "string"}, "b": {}}, "allOf": [branch], "anyOf": [branch, {}]}, tool="t")

    assert body["properties"] == {"a": {"type": "string"}, "b": {"maxLength": 3}}
    assert '"maxLength":3' in notes[0]


def test_a_name_that_is_only_required_is_an_argument_too() -> None:
    """B045"""
    body, _ = opened({"required": ["a"], "oneOf": [{"required": ["b"]}, {"not": {"required": ["c"]}}]}, tool="t")

    assert body["properties"] == {"a": {}, "b": {}, "c": {}}
    assert body["required"] == ["a"]


def test_what_every_branch_requires_is_required() -> None:
    """B045"""
    root: Raw = {
        "allOf": [{"required": ["a"]}],
        "anyOf": [{"required": ["b", "c"]}, {"$ref": "#/$defs/D"}],
        "$defs": {"D": {"required": ["d", "b"]}},
    }

    assert opened(root, tool="t")[0]["required"] == ["a", "b"]


def test_branches_that_refer_to_each_other_end() -> None:
    """B043"""
    root: Raw = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}], "$defs": {"A": {"properties": {"x": {"$ref": "#/$defs/A"}}}}}

    assert list(opened(root, tool="t")[0]["properties"]) == ["x"]


@pytest.mark.parametrize(
    "openness", [{"additionalProperties": True}, {"patternProperties": {"^x": {}}}, {"unevaluatedProperties": False}], ids=str
)
def test_an_object_that_says_what_else_it_takes_is_not_closed(openness: Raw) -> None:
    assert "additionalProperties" not in opened({"allOf": [{"properties": {"a": {}}, **openness}]}, tool="t")[0]
    assert opened({"properties": {"a": {}}}, tool="t")[0]["additionalProperties"] is False


def test_no_combinator_is_left_at_the_root() -> None:
    """B045"""
    root: Raw = {keyword: [{}] if keyword.endswith("Of") else {} for keyword in COMBINATORS}

    assert not opened(root, tool="t")[0].keys() & set(COMBINATORS)


def test_alternatives_are_named_by_what_they_require() -> None:
    """B045"""
    fixed: Raw = {"properties": {"kind": {"const": "x"}}, "required": ["kind", "size"]}

    assert alternatives({"oneOf": [fixed, {"required": ["b"]}]}) == 'Give exactly one of these: kind = "x" and size; b.'
    assert (
        alternatives({"anyOf": [{"required": ["b"]}, {"minProperties": 2}]})
        == 'Give at least one of these: b; what {"minProperties":2} allows.'
    )
    assert alternatives({}) == ""
