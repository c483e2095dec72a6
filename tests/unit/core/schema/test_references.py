from typing import Any

import pytest

from handgriff.core.schema.references import check_circles, localised, target, unwrapped
from handgriff.errors import DefinitionError

NODE = {"type": "object", "properties": {"v": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}


def test_a_reference_at_the_root_is_replaced_by_what_it_means() -> None:
    """B043"""
    root = unwrapped(localised({"$defs": {"Node": NODE}, "$ref": "#/$defs/Node", "description": "tree"}, tool="t"), tool="t")

    assert root["type"] == "object"
    assert root["description"] == "tree"
    assert root["$defs"] == {"Node": NODE}
    check_circles(root, tool="t")


def test_references_to_anywhere_inside_are_gathered_in_defs() -> None:
    root = localised(
        {
            "properties": {
                "a": {"type": "string", "$defs": {"In/ner": {"type": "integer"}}},
                "b": {"$ref": "#/properties/a"},
                "c": {"$ref": "#/properties/a/$defs/In~1ner"},
                "d": {"prefixItems": [{"const": 1}], "items": {"$ref": "#/properties/d/prefixItems/0"}},
            }
        },
        tool="t",
    )

    assert root["properties"]["b"] == {"$ref": "#/$defs/a"}
    assert target(root, "#/$defs/a") == {"type": "string"}
    assert target(root, root["properties"]["c"]["$ref"]) == {"type": "integer"}
    assert target(root, root["properties"]["d"]["items"]["$ref"]) == {"const": 1}


def test_two_places_of_one_name_get_two_definitions() -> None:
    root = localised(
        {"$defs": {"x": {"const": 1}}, "properties": {"x": {"const": 2}, "a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/properties/x"}}},
        tool="t",
    )

    assert root["$defs"] == {"x": {"const": 1}, "x_2": {"const": 2}}


def test_the_root_may_refer_to_itself() -> None:
    """B043"""
    plain: dict[str, Any] = {"type": "object", "properties": {"child": {"$ref": "#"}}}

    assert localised(plain, tool="t") == plain
    with_choice = localised({**plain, "anyOf": [{"required": ["child"]}, {}]}, tool="t")
    assert with_choice["properties"]["child"] == {"$ref": "#/$defs/Root"}
    assert "anyOf" in with_choice["$defs"]["Root"]


@pytest.mark.parametrize(
    "reference",
    [
        "https://example.com/x.json",
        "x.json",
        "file:///etc/passwd#/a",
        "#anchor",
        "#/$defs/Missing",
        "#/properties/a/type",
        "//example.com/x",
        "urn:x",
    ],
)
def test_a_reference_that_leaves_the_schema_or_points_nowhere_is_an_error_of_the_tool(reference: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        localised({"properties": {"a": {"type": "string"}, "b": {"$ref": reference}}}, tool="far")

    assert caught.value.subject == "far"


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_dynamic_references_are_errors(keyword: str) -> None:
    with pytest.raises(DefinitionError, match="dynamic"):
        localised({"properties": {"a": {keyword: "#"}}}, tool="t")


def test_an_inner_id_is_an_error_and_that_of_the_root_is_forgotten() -> None:
    assert localised({"$id": "https://example.com/me", "type": "object"}, tool="t") == {"type": "object"}
    with pytest.raises(DefinitionError, match=r"\$id"):
        localised({"properties": {"a": {"$id": "https://example.com/a"}}}, tool="t")


@pytest.mark.parametrize(
    "root",
    [
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}},
        {"$ref": "#"},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"anyOf": [{"type": "string"}, {"not": {"$ref": "#/$defs/A"}}]}}},
    ],
    ids=["refs", "root", "allOf", "not"],
)
def test_a_circle_without_a_step_into_the_data_is_an_error(root: dict[str, Any]) -> None:
    """B043"""
    with pytest.raises(DefinitionError, match="comes back to itself"):
        check_circles(unwrapped(localised(root, tool="t"), tool="t"), tool="t")


def test_circles_through_the_data_are_fine() -> None:
    """B043"""
    root: dict[str, Any] = {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"anyOf": [{"type": "null"}, {"properties": {"a": {"$ref": "#/$defs/A"}}}]},
        },
    }

    check_circles(localised(root, tool="t"), tool="t")
