"""A provider's history as values."""

from handgriff.core.message import Answer, AskedCall, HostedFace, Message, ToolFace


def test_messages_are_values() -> None:
    asked = AskedCall("toolu_1", "find", "{}")
    answer = Answer(('{"type":"tool_use"}',), "", (asked,), "tools")

    assert asked.is_closed
    assert answer == Answer(('{"type":"tool_use"}',), "", (AskedCall("toolu_1", "find", "{}", is_closed=True),), "tools")
    assert len({Message("user", ("a",)), Message("user", ("a",)), Message("assistant", ("a",))}) == 2
    assert (HostedFace("web_search").name, ToolFace("find", "Use when: …", "{}").name) == ("web_search", "find")
