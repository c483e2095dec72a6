"""`handgriff.models.scripted.answer`."""

import pytest

from handgriff.models.scripted.answer import Reply, answer
from handgriff.models.scripted.script import Say, Step, Use
from handgriff.models.scripted.wire import Heard, OfferedTool

SUMMARY = '{"summary":"2 orders."}'
TOOLS = (OfferedTool("list_orders", ()),)


def heard(*texts: str, answered: int = 0, results: tuple[str, ...] = (), final: bool = False) -> Heard:
    return Heard(TOOLS, answered, texts, results, final)


def test_a_typed_command_becomes_a_call_and_its_result_a_text() -> None:
    assert answer(heard("/list_orders n=1"), ()) == Reply(calls=(Use("list_orders", {"n": 1}),))
    assert answer(heard(results=(SUMMARY, '{"summary":"No more."}')), ()) == Reply("2 orders.\nNo more.")


def test_a_tool_that_is_not_offered_is_called_all_the_same() -> None:
    """B028: the boundary judges, not the model."""
    assert answer(heard("/refund_order id=O-1"), ()).calls == (Use("refund_order", {"id": "O-1"}),)


@pytest.mark.parametrize(("typed", "word"), [("hello", "scripted"), ("Guten Tag", "Werkzeug"), ("bonjour", "outil")])
def test_anything_else_is_answered_by_how_to_type_a_command(typed: str, word: str) -> None:
    reply = answer(heard(typed), ())

    assert word in reply.text
    assert "`/list_orders`" in reply.text
    assert reply.calls == ()


SCRIPT: tuple[Step, ...] = (
    (Say("Let me look."), Use("list_orders"), Use("list_customers", {"n": 1})),
    Say("I found this: {summary}"),
    Use("cancel_order", {"order": "o_17"}),
)


def test_a_script_is_played_by_the_number_of_answers_so_far() -> None:
    assert answer(heard("hello"), SCRIPT) == Reply("Let me look.", (Use("list_orders"), Use("list_customers", {"n": 1})))
    assert answer(heard(answered=1, results=(SUMMARY,)), SCRIPT) == Reply("I found this: 2 orders.")
    assert answer(heard("cancel it", answered=2), SCRIPT) == Reply(calls=(Use("cancel_order", {"order": "o_17"}),))


def test_the_same_place_gives_the_same_answer_again() -> None:
    assert answer(heard("hello"), SCRIPT) == answer(heard("something else"), SCRIPT)


def test_behind_its_script_it_does_what_is_typed() -> None:
    assert answer(heard("/list_orders", answered=3), SCRIPT).calls == (Use("list_orders"),)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (heard("/list_orders", final=True), "I stop here; nothing more was done."),
        (heard(results=(SUMMARY,), answered=9, final=True), "2 orders."),
        (heard("hello", final=True), "Let me look."),
        (heard("bitte", answered=2, final=True), "Ich höre hier auf; mehr wurde nicht getan."),
        (heard(results=(SUMMARY,), answered=2, final=True), "2 orders."),
    ],
)
def test_at_the_bound_it_answers_in_words_only(question: Heard, text: str) -> None:
    """B066."""
    script = () if "/list_orders" in question.texts else SCRIPT

    assert answer(question, script) == Reply(text)
