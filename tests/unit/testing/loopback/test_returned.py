"""`handgriff.testing.loopback.returned`."""

import pytest

from handgriff.testing.loopback.returned import Issued, alterations, is_owed
from tests.unit.testing.loopback.requests import MARK, Json, assistant, call, request, result, text, thinking, user

NEW = {"type": "new_2027", "z": 1, "a": {"x": 1.0}}
SAID = (thinking("t"), text("x"), NEW, call("c1"))
ISSUED: Issued = (SAID,)

OMITTED = (
    "messages.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
    " These blocks must remain as they were in the original response."
)
INVENTED = "messages.1.content.0: `new_2027` blocks cannot be modified. This block must remain as it was in the original response."


def back(*content: Json) -> Json:
    return request(user("q"), assistant(*content), user(result("c1")))


def test_what_comes_back_as_it_was_said_is_fine() -> None:
    assert alterations(back(*SAID), ISSUED) == ()


def test_text_and_arguments_are_the_clients_to_change() -> None:
    """B062: unterminated arguments come back as an empty object."""
    assert alterations(back(thinking("t"), NEW, call("c1", input={"changed": True})), ISSUED) == ()


def test_a_mark_on_an_unknown_block_does_not_alter_it() -> None:
    assert alterations(back(thinking("t"), {**NEW, "cache_control": MARK}, call("c1")), ISSUED) == ()


@pytest.mark.parametrize(
    "content",
    [(text("x"), NEW, call("c1")), (thinking("t"), call("c1")), (NEW, thinking("t"), call("c1"))],
    ids=["thinking-dropped", "unknown-dropped", "order"],
)
def test_nothing_owed_may_be_dropped_from_the_latest_message(content: tuple[Json, ...]) -> None:
    """B073."""
    assert alterations(back(*content), ISSUED) == (OMITTED,)


@pytest.mark.parametrize(
    "block",
    [{**NEW, "z": 2}, {"type": "new_2027", "a": {"x": 1.0}, "z": 1}, {**NEW, "a": {"x": 1}}, {"type": "new_2027"}],
    ids=["value", "order", "number", "invented"],
)
def test_an_unknown_block_must_come_back_member_for_member(block: Json) -> None:
    """B072."""
    assert alterations(back(block, thinking("t"), NEW, call("c1")), ISSUED) == (INVENTED,)


def test_an_earlier_turn_may_have_dropped_what_it_owed() -> None:
    body = request(user("q"), assistant(call("c1")), user(result("c1")), assistant("done"), user("thanks"))

    assert alterations(body, ISSUED) == ()


def test_messages_that_were_joined_owe_what_each_owed() -> None:
    body = request(user("q"), assistant(thinking("other"), text("stopped")), assistant(*SAID), user(result("c1")))

    assert alterations(body, ISSUED) == ()


def test_a_conversation_without_an_answer_owes_nothing() -> None:
    assert alterations(request(user("q")), ISSUED) == ()


def test_only_blocks_of_the_providers_own_are_owed() -> None:
    assert [is_owed(content) for content in ((), (text("x"), call("c1")), (thinking("t"),), (NEW,))] == [False, False, True, True]
