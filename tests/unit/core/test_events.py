"""What is stored of a conversation."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.events import (
    KINDS,
    AssistantMessage,
    Body,
    CallOutcome,
    Event,
    Frame,
    Item,
    RequestedCall,
    Shown,
    ShownChange,
    TextDelta,
    TextPart,
    TurnEnded,
    UserMessage,
    decode,
    encode,
    position,
)
from handgriff.testing.samples import START
from tests.unit.core.anything import anything


@given(st.one_of(*map(anything, KINDS.values())))
def test_every_body_is_read_back_as_it_was(body: Body) -> None:
    kind, text = encode(body)

    assert KINDS[kind] is type(body)
    assert decode(kind, text) == body
    assert encode(decode(kind, text)) == (kind, text)


def test_every_body_has_a_kind_of_its_own() -> None:
    assert set(KINDS.values()) == set(get_args(Body))


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        (UserMessage((TextPart("hi"),), ('{"type":"text"}',)), '{"parts":[{"text":"hi"}],"wire":["{\\"type\\":\\"text\\"}"]}'),
        (
            AssistantMessage("r1", "Let me look.", "tools", ("b1",), (RequestedCall("c1", "toolu_1", "find", '{"a": 1}'),)),
            (
                '{"request":"r1","text":"Let me look.","stop":"tools","wire":["b1"],'
                '"calls":[{"id":"c1","wire_id":"toolu_1","tool":"find","arguments":"{\\"a\\": 1}"}]}'
            ),
        ),
        (
            CallOutcome("c1", "find", "effect", Shown("None.", diff=(ShownChange("Status", None, "new"),)), "d1", wire="w"),
            (
                '{"call":"c1","tool":"find","step":"effect","shown":{"summary":"None.","diff":[{"label":"Status","after":"new"}]},'
                '"digest":"d1","wire":"w"}'
            ),
        ),
        (TurnEnded("done", model_requests=2), '{"status":"done","model_requests":2}'),
    ],
    ids=["user", "assistant", "outcome", "end"],
)
def test_the_stored_form_is_pinned_and_leaves_defaults_out(body: Body, stored: str) -> None:
    assert encode(body)[1] == stored


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("turn_began", "{}"),
        ("turn_ended", "{}"),
        ("turn_ended", "[]"),
        ("turn_ended", '{"status":"finished"}'),
        ("turn_ended", '{"status":"done","mood":"good"}'),
        ("turn_ended", '{"status":"done"'),
        ("user_message", '{"parts":"hi","wire":[]}'),
    ],
)
def test_what_a_newer_version_or_a_stranger_wrote_is_refused(kind: str, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whichever is wrong
        decode(kind, text)


def test_half_a_character_does_not_reach_the_store() -> None:
    """B056: what is kept can be encoded, and every later turn with it."""
    _, text = encode(UserMessage((TextPart("a\ud83db🌍"),), ("w",)))

    assert jsontext.loads(text) == {"parts": [{"text": "a\ufffdb🌍"}], "wire": ["w"]}


def test_the_text_of_a_message_is_all_its_parts() -> None:
    assert UserMessage((TextPart("one"), TextPart("two")), ()).text == "one\ntwo"


def test_frames_stand_behind_the_event_they_follow() -> None:
    items: list[Item] = [Event(7, "e7", "t1", START, TurnEnded("done"))]
    items += [Frame(7, offset, "t1", TextDelta("r1", "x")) for offset in (1, 2)]

    assert [position(item) for item in items] == [(7, 0), (7, 1), (7, 2)]
