"""`handgriff.models.scripted.wire`."""

import json

import pytest

from handgriff.core.lane import Lane
from handgriff.core.message import HostedFace, Message, ToolFace
from handgriff.core.schema.dialects import mcp
from handgriff.core.schema.imported import schema_from
from handgriff.errors import DefinitionError
from handgriff.models.scripted.wire import Heard, OfferedTool, ScriptedWire, hear

WIRE = ScriptedWire()
TOOLS = (
    ToolFace("list_orders", "Use when: …", '{"type":"object","properties":{}}'),
    ToolFace("cancel_order", "Use when: …", '{"type":"object","properties":{"order":{}},"required":["order"]}'),
)
PREFIX = WIRE.prefix(tools=TOOLS, hosted=(), instructions="You help.")


def request(*messages: Message, final: bool = False) -> bytes:
    lane = Lane("scripted:demo")
    return WIRE.request(lane=lane, prefix=PREFIX, context="Ada", messages=messages, parallel=True, final=final)


def user(*texts: str) -> Message:
    return Message("user", tuple(map(WIRE.text, texts)))


ASKED = Message("assistant", (WIRE.text("Let me look."), WIRE.call("call_1_1", "list_orders", '{"n": 1.0}')))
FOUND = Message("user", (WIRE.result("call_1_1", "2 orders.", is_error=False), WIRE.result("call_1_2", "No.", is_error=True)))


def test_a_request_is_plain_json_made_of_what_was_kept() -> None:
    body = json.loads(request(user("é"), ASKED, FOUND))

    assert PREFIX.encode() in request()
    assert [tool["name"] for tool in body["tools"]] == ["cancel_order", "list_orders"]
    assert (body["model"], body["instructions"], body["context"], body["final"]) == ("demo", "You help.", "Ada", False)
    assert [[item["type"] for item in message["blocks"]] for message in body["messages"]] == [
        ["text"],
        ["text", "call"],
        ["result", "result"],
    ]
    assert b'"arguments":{"n": 1.0}' in request(ASKED)


def test_each_request_begins_with_the_one_before_it() -> None:
    assert request(user("a"), ASKED).startswith(request(user("a")).removesuffix(b"]}"))


@pytest.mark.parametrize(
    ("messages", "answered", "texts", "results"),
    [
        ((), 0, (), ()),
        ((user("hello", "note"),), 0, ("hello", "note"), ()),
        ((user("a"), ASKED, FOUND), 1, (), ("2 orders.", "No.")),
        ((user("a"), ASKED, FOUND, user("b")), 1, ("b",), ()),
        ((user("a"), ASKED, FOUND, ASKED), 2, (), ()),
    ],
)
def test_what_was_heard_is_the_newest_message(
    messages: tuple[Message, ...], answered: int, texts: tuple[str, ...], results: tuple[str, ...]
) -> None:
    tools = (OfferedTool("cancel_order", ("order",)), OfferedTool("list_orders", ()))

    assert hear(request(*messages)) == Heard(tools, answered, texts, results, final=False)
    assert hear(request(*messages, final=True)).final


def test_half_a_character_never_reaches_the_wire() -> None:
    """B056."""
    assert request(user("\ud83d"), Message("user", (WIRE.result("x", "\udc00", is_error=False),))).decode().count("\ufffd") == 2


def test_nobody_hosts_a_tool_here() -> None:
    with pytest.raises(DefinitionError, match="web_search"):
        WIRE.prefix(tools=(), hosted=(HostedFace("web_search"),), instructions="x")


def test_a_schema_is_shown_as_it_is() -> None:
    schema = schema_from({"type": "object", "properties": {}}, tool="list_orders")

    assert WIRE.dialect(schema) == mcp(schema)
