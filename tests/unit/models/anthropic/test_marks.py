"""`handgriff.models.anthropic.marks`."""

import json

import pytest

from handgriff.core.jsontext import dumps
from handgriff.core.message import Message
from handgriff.models.anthropic.marks import LONG, SHORT, is_blank, marked, short_marks

TEXT = '{"type":"text","text":"hi"}'
RESULT = '{"type":"tool_result","tool_use_id":"t","content":"x"}'
CALL = '{"type":"tool_use","id":"t","name":"find","input":{}}'
IMAGE = '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}'
THINKING = '{"type":"thinking","thinking":"…","signature":"s"}'
SEALED = '{"type":"redacted_thinking","data":"…"}'
UNKNOWN = '{"type":"new_block_2027","text":"hi"}'
EMPTY, BLANK = '{"type":"text","text":""}', '{"type":"text","text":"   "}'


def user(*blocks: str) -> Message:
    return Message("user", blocks)


def assistant(*blocks: str) -> Message:
    return Message("assistant", blocks)


@pytest.mark.parametrize("mark", [LONG, SHORT])
@pytest.mark.parametrize("block", [TEXT, RESULT, CALL, '{"type":"text","text":"}"}'])
def test_a_mark_is_the_last_member_and_every_other_byte_stays(block: str, mark: str) -> None:
    text = marked(block, mark)

    assert text.startswith(block[:-1])
    assert json.loads(text) == {**json.loads(block), **json.loads(f"{{{mark}}}")}


@pytest.mark.parametrize("words", ["", " ", "\n\t\r ", "\u00a0", "\u2003\n"])
def test_text_without_a_word_is_blank(words: str) -> None:
    """B075."""
    assert is_blank(dumps({"type": "text", "text": words}))


@pytest.mark.parametrize("block", [TEXT, RESULT, '{"type":"text","text":" x "}', '{"type":"text","text":"\\""}', '{"type":"tool_result"}'])
def test_other_blocks_are_not_blank(block: str) -> None:
    assert not is_blank(block)


@pytest.mark.parametrize(
    ("last", "place"),
    [
        (user(RESULT, EMPTY), (2, 0)),
        (user(IMAGE, EMPTY), (2, 0)),
        (user(TEXT, BLANK), (2, 0)),
        (user(RESULT, RESULT, RESULT), (2, 2)),
        (assistant(CALL, THINKING), (2, 0)),
        (assistant(THINKING), (1, 0)),
        (assistant(SEALED, UNKNOWN), (1, 0)),
        (user(BLANK), (1, 0)),
        (user(), (1, 0)),
    ],
)
def test_the_mark_goes_to_the_nearest_earlier_block_that_may_carry_one(last: Message, place: tuple[int, int]) -> None:
    """B075."""
    assert short_marks((user(TEXT), assistant(TEXT), last))[-1] == place


@pytest.mark.parametrize("messages", [(), (user(BLANK),), (assistant(THINKING),)])
def test_without_an_eligible_block_there_is_no_mark(messages: tuple[Message, ...]) -> None:
    """B075."""
    assert short_marks(messages) == ()


def test_the_second_mark_stands_where_the_first_one_stood_in_the_request_before() -> None:
    """B077: however many blocks were added since."""
    before = (user(TEXT), assistant(TEXT), user(TEXT, TEXT))
    after = (*before, assistant(*[CALL] * 30), user(*[RESULT] * 30))

    assert short_marks(before) == ((0, 0), (2, 1))
    assert short_marks(after) == ((2, 1), (4, 29))
