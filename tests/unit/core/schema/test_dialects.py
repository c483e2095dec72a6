import json
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from handgriff.core.schema.dialects import anthropic, mcp
from handgriff.core.schema.imported import schema_from
from handgriff.core.schema.typed import schema_of
from handgriff.errors import DefinitionError


def test_what_is_shown_is_the_canonical_schema_and_its_notes() -> None:
    """B045"""
    made = schema_from(
        {"type": "object", "properties": {"id": {}, "email": {}}, "anyOf": [{"required": ["id"]}, {"required": ["email"]}]}, tool="find"
    )

    for dialect in (anthropic, mcp):
        shown = dialect(made)
        Draft202012Validator.check_schema(json.loads(shown.text))
        assert json.loads(shown.text)["type"] == "object"
        assert "anyOf" not in shown.text
        assert shown.notes == ("Give at least one of these: id; email.",)


@pytest.mark.parametrize("name", ["filter[id]", "$top", "größe", "x" * 65, "a b", "", "a/b"])
def test_a_name_anthropic_refuses_is_an_error_of_that_tool_alone(name: str) -> None:
    """B122"""
    made = schema_from({"type": "object", "properties": {name: {"type": "string"}}}, tool="odd")

    with pytest.raises(DefinitionError) as caught:
        anthropic(made)

    assert caught.value.subject == "odd"
    assert repr(name) in caught.value.member
    assert mcp(made).text == made.text


def test_an_alias_makes_a_name_presentable() -> None:
    def tool(größe: Annotated[int, Field(alias="size")], _x: int = 1) -> None: ...  # noqa: PLC2401  # the point of it

    shown: dict[str, Any] = json.loads(anthropic(schema_of(tool, tool="t")).text)

    assert list(shown["properties"]) == ["size", "_x"]
