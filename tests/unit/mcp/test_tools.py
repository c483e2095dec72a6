"""A contract as a tool of MCP."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import Field

from handgriff import Result, Toolbox
from handgriff.core.contract import Contract
from handgriff.mcp.tools import RESULT_SCHEMA, Shelf

WORDS = "Use when: asked. Not for: more. Needs: nothing. Effect: none."


def contract(effect: Any = "read", **members: Any) -> Contract:
    box = Toolbox("shop")

    @box.tool(effect=effect, description=WORDS, **members)
    async def find(word: Annotated[str, Field(description="What to find.")]) -> Result[None]:
        return Result("Found.")

    (made,) = box.contracts()
    return made


def mirrored(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    schema["properties"]["word"]["x-mcp-header"] = "Word"
    return schema


def test_a_tool_holds_its_contract_and_nothing_else() -> None:
    made = contract(title={"en": "Find", "de": "Finden"})
    tool = Shelf([made]).tool(made, "As it is told.", "de-AT").model_dump(by_alias=True, exclude_none=True)

    assert tool == {
        "name": "find",
        "title": "Finden",
        "description": "As it is told.",
        "inputSchema": json.loads(made.schema.text),
        "outputSchema": RESULT_SCHEMA,
        "annotations": {"title": "Finden", "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    }


def test_a_tool_is_made_once_for_each_title_and_description() -> None:
    made = contract(title={"en": "Find", "de": "Finden"})
    shelf = Shelf([made])

    assert shelf.tool(made, "Long.", "de") is shelf.tool(made, "Long.", "de-AT")
    assert shelf.tool(made, "Long.", "de") is not shelf.tool(made, "Long.", "en")
    assert shelf.tool(made, "Long.", "de") is not shelf.tool(made, "Short.", "de")


async def key(args: Any, call: Any) -> str:
    return "once"


@pytest.mark.parametrize(
    ("members", "reads", "destroys", "repeats"),
    [
        pytest.param({"effect": "read"}, True, False, True, id="read"),
        pytest.param({"effect": "write"}, False, False, False, id="write"),
        pytest.param({"effect": "write", "idempotency_key": key}, False, False, True, id="write with a key"),
    ],
)
def test_hints_come_from_the_effect(members: dict[str, Any], reads: bool, destroys: bool, repeats: bool) -> None:
    made = contract(**members)
    hints = Shelf([made]).tool(made, "", "en").annotations

    assert hints is not None
    assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (reads, destroys, repeats)


def test_only_a_schema_that_asks_for_headers_is_looked_up_before_a_call() -> None:
    plain = contract()
    text = json.dumps(mirrored(json.loads(plain.schema.text)))

    asks = replace(plain, name="asks", schema=replace(plain.schema, text=text))
    shelf = Shelf([plain, asks])

    assert shelf.mirrored("asks") == json.loads(text)
    assert shelf.mirrored("find") is None
    assert shelf.mirrored("unknown") is None
