"""`handgriff.testing.loopback.binding`."""

import json

import pytest

from handgriff.testing.loopback.binding import bound, unbound
from handgriff.testing.loopback.prompt import Prompt, read_prompt
from tests.unit.testing.loopback.requests import MARK, Json, assistant, call, request, result, text, thinking, tool, user

FIRST = request(user("q"), tools=[tool("t")], system=[text("s")])
SAID = (text("let me see"), thinking("t"), call("c1"))
BINDINGS = bound({}, read_prompt(json.dumps(FIRST).encode()), SAID)


def prompt(body: Json) -> Prompt:
    return read_prompt(json.dumps(body).encode())


def following(**changes: object) -> Prompt:
    return prompt({**FIRST, "messages": [user("q"), assistant(*SAID), user(result("c1"))], **changes})


def test_a_thought_may_come_back_behind_its_own_prompt() -> None:
    assert unbound(BINDINGS, following()) == ()


def test_marks_and_later_messages_do_not_matter() -> None:
    moved = following(messages=[user(text("q", cache_control=MARK)), assistant(*SAID), user(result("c1")), assistant("a"), user("r")])

    assert unbound(BINDINGS, moved) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"tools": [tool("u")]},
        {"system": [text("S")]},
        {"messages": [user("Q"), assistant(*SAID), user(result("c1"))]},
        {"messages": [user("q"), user("r"), assistant(*SAID), user(result("c1"))]},
    ],
    ids=["tools", "system", "message", "added"],
)
def test_a_thought_behind_another_prompt_is_refused(changes: Json) -> None:
    """B073: what a builder edits in older messages breaks the thoughts after them."""
    (complaint,) = unbound(BINDINGS, following(**changes))

    assert complaint.startswith("messages: Invalid `signature` in `thinking` block. The block is bound to a different conversation.")


def test_thoughts_left_out_do_not_break_later_ones() -> None:
    later = bound(BINDINGS, following(), (thinking("u"), call("c2")))
    without_the_first = (user("q"), assistant(text("let me see"), call("c1")), user(result("c1")))

    asked = prompt({**FIRST, "messages": [*without_the_first, assistant(thinking("u"), call("c2")), user(result("c2"))]})

    assert unbound(later, asked) == ()


def test_a_thought_said_twice_may_stand_in_both_places() -> None:
    again = bound(BINDINGS, following(), (thinking("t"),))

    asked = prompt({**FIRST, "messages": [user("q"), assistant(*SAID), user(result("c1")), assistant(thinking("t"), "a"), user("r")]})

    assert unbound(again, asked) == ()


def test_a_thought_of_another_provider_is_not_judged() -> None:
    assert unbound({}, following(system=[text("S")])) == ()
