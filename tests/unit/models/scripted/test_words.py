"""`handgriff.models.scripted.words`."""

import pytest

from handgriff.core.envelope import enclose
from handgriff.models.scripted import words
from handgriff.models.scripted.wire import OfferedTool

TOOLS = (OfferedTool("cancel_order", ("order", "note")), OfferedTool("list_orders", ()))


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("Hello, what can you do?", "en"),
        ("Hallo, was kannst du?", "de"),
        ("Guten Tag", "de"),
        ("Bonjour, que peux-tu faire ?", "fr"),
        ("merci", "fr"),
        ("42", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_guessed_from_common_words(typed: str, language: str) -> None:
    assert words.language([typed]) == language


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_language_explains_how_to_call_the_tools_there_are(language: words.Language) -> None:
    assert "`/cancel_order order=… note=…`, `/list_orders`" in words.greeting(language, TOOLS)
    assert "/" not in words.greeting(language, ())
    assert words.stopped(language)


def test_only_a_few_tools_are_given_as_examples() -> None:
    assert words.greeting("en", [OfferedTool(f"tool_{number}", ()) for number in range(50)]).count("`/tool_") == 4


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (enclose('{"summary":"2 orders, <all> of them.","data":[1,2]}', "n0nce"), "2 orders, <all> of them."),
        (enclose('{"refused":"not_found","message":"No such order.","next":"List them."}', "x"), "No such order. List them."),
        ('{"summary":"Without an envelope."}', "Without an envelope."),
        ('Note.\n<untrusted-x>\n{"summary":"Inside."}\n</untrusted-x>\nMore.', "Inside."),
        ("no JSON", "no JSON"),
        ("[1]", "[1]"),
        ('{"data":1}', '{"data":1}'),
        ("", ""),
    ],
)
def test_a_result_comes_to_its_summary(result: str, line: str) -> None:
    assert words.summary([result]) == line


def test_each_result_has_a_line_and_none_is_endless() -> None:
    assert words.summary(['{"summary":"a"}', '{"summary":"b"}']) == "a\nb"
    assert len(words.summary(["x" * 10_000])) == 2000
