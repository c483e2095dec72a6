"""`handgriff.testing.loopback.script`."""

import pytest

from handgriff.testing.loopback.script import Answer, Entry, HttpError, Insert, Raw, Reply, Text, ToolUse, as_reply, ping

CALL = ToolUse("look", {"a": 1})


@pytest.mark.parametrize(
    ("entry", "reply"),
    [
        pytest.param("hi", Answer((Text("hi"),)), id="string"),
        pytest.param(CALL, Answer((CALL,)), id="block"),
        pytest.param(("hi", CALL), Answer((Text("hi"), CALL)), id="blocks"),
        pytest.param(Answer((Raw({"type": "x"}),)), Answer((Raw({"type": "x"}),)), id="answer"),
        pytest.param(HttpError(500), HttpError(500), id="error"),
    ],
)
def test_an_entry_may_be_as_short_as_a_string(entry: Entry, reply: Reply) -> None:
    assert as_reply(entry) == reply


def test_a_ping_is_an_inserted_event() -> None:
    assert ping(3) == Insert(3, "ping", {"type": "ping"})
