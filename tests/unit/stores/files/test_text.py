"""The text of a record's file."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from handgriff.core import jsontext
from handgriff.core.delta import Value
from handgriff.core.jsontext import JsonError
from handgriff.core.scratch import Kept
from handgriff.stores.files.text import Damaged, Name, decode_record, encode_record

NAME = Name("acme", "s1", "pad")
UNTIL = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)


def _deep(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("text", ["1.0", "1e+22", "9" * 100, '"\\u0000"', _deep(jsontext.LIMITS.depth), '{"data":{"versions":1}}'])
def test_what_is_written_is_read_again(text: str) -> None:
    kept = Kept(UNTIL, 5, {"a": Value(text, 7), "": Value("null", 6)})

    assert decode_record(encode_record(NAME, kept).encode()) == (NAME, kept)


def test_a_deadline_is_written_with_its_offset_and_read_from_any() -> None:
    local = UNTIL.astimezone(timezone(timedelta(hours=-5)))
    text = encode_record(NAME, Kept(local, 0, {}))

    assert '"2026-03-04T05:06:07.123456+00:00"' in text
    _, kept = decode_record(text.replace("05:06:07.123456+00:00", "00:06:07.123456-05:00").encode())
    assert kept.expires_at == UNTIL


def test_a_value_that_is_no_json_is_refused() -> None:
    for text in ("", "half", '"\\ud83d"', "[1,"):
        with pytest.raises(JsonError):
            encode_record(NAME, Kept(UNTIL, 0, {"a": Value(text, 1)}))


def test_what_is_damaged_says_where() -> None:
    with pytest.raises(Damaged, match="'first_version' is missing, or no whole number"):
        decode_record(encode_record(NAME, Kept(UNTIL, 0, {})).replace("first", "last").encode())
