"""`handgriff.models.anthropic.arguments`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.jsontext import JsonError, loads
from handgriff.models.anthropic.arguments import as_came, as_history


@pytest.mark.parametrize("text", ["", "   ", "null", "[]", '"x"', "5", "NaN", '{"a":', '{"text": "abc', '{"a":1,"a":2}', '{"x": 1e999}'])
def test_what_is_no_object_is_an_empty_one_in_the_history(text: str) -> None:
    """B048, B055, B062: no arguments, other JSON, and arguments that were cut off or are malformed."""
    assert as_history(text) == "{}"


@pytest.mark.parametrize(
    "text",
    [
        '{"z":1,"a":{"y":1.0,"b":"\\u00e9"}}',
        '{"z": 1, "a": {"y": 1.0, "b": "é"}}  ',
        '{"a":"x\\r\\n"}\r\n',
        '{"order_id":2512292042121000001}',
        '{"order_id":"1234567890123456789"}',
        '{"n":-0,"m":1e3}',
        '{"fields":"{\\"description\\":\\"x\\"}"}',
        '{"content":"007"}',
        '{"q":"\\ud83d\\ude00 and \\\\ud83d"}',
    ],
)
def test_an_object_stays_as_it_came(text: str) -> None:
    """B046, B047, B049, B072: key order, spacing, escapes, digits and strings that look like JSON."""
    assert as_came([text]) == as_history(text) == text


@pytest.mark.parametrize(
    ("text", "history"),
    [
        (r'{"q":"\ud99c \ubcf4\uc720"}', r'{"q":"\ufffd \ubcf4\uc720"}'),
        (r'{"q":"\udc00\ud800"}', r'{"q":"\ufffd\ufffd"}'),
        (r'{"q":"\\\ud99c","n":1.0}', r'{"q":"\\\ufffd","n":1.0}'),
        (r'{"\ud800":1,"\ud801":2}', "{}"),
    ],
)
def test_half_a_character_is_replaced_in_the_history_and_nothing_else_is(text: str, history: str) -> None:
    """B056."""
    assert as_came([text]) == text
    assert as_history(text) == history


def test_half_a_character_sent_as_itself_is_still_refused_by_whoever_reads_the_arguments() -> None:
    """B056: the text can be stored, and is not made valid by guessing."""
    text = as_came(['{"q":"a\ud83d', 'b"}'])

    assert text.encode() == b'{"q":"a\\ud83db"}'
    with pytest.raises(JsonError):
        loads(text)
    assert as_history(text) == r'{"q":"a\ufffdb"}'


def test_halves_that_came_in_two_pieces_are_one_character() -> None:
    """B056."""
    assert as_came(['{"q":"\ud83d', '\ude00"}']) == '{"q":"😀"}'


@given(st.text(st.characters(), max_size=30))
def test_the_history_always_holds_an_object_that_can_be_sent(text: str) -> None:
    """B056, B062: for any text a provider may send."""
    history = as_history(as_came([text, json.dumps({text: text})]))

    assert isinstance(loads(history.encode()), dict)


@given(st.dictionaries(st.text(), st.text()))
def test_an_object_with_whole_characters_is_never_changed(arguments: dict[str, str]) -> None:
    for text in (json.dumps(arguments), json.dumps(arguments, ensure_ascii=False)):
        assert as_history(text) == text
