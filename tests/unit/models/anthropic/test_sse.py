"""`handgriff.models.anthropic.sse`."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.models.anthropic.sse import EventReader

STREAM = b'event: ping\ndata: {"type":"ping"}\n\n: a comment\nid: 7\nretry: 5\n\ndata:{"a":1}\ndata: \r\ndata: {"b":2}\r\n\r\ndata: cut'


@given(st.lists(st.integers(min_value=0, max_value=len(STREAM))))
def test_however_a_stream_is_chunked_its_events_are_the_same(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    reader = EventReader()
    events = [data for start, end in pairwise(places) for data in reader.feed(STREAM[start:end])]

    assert events == [b'{"type":"ping"}', b'{"a":1}\n\n{"b":2}']


@pytest.mark.parametrize("stream", [b"data: {}", b"data: {}\n", b"event: message_stop\n\n", b"\n\n\n"])
def test_an_event_without_data_or_without_its_blank_line_is_none(stream: bytes) -> None:
    assert EventReader().feed(stream) == []
