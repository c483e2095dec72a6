"""A record as the text of its key: deadline and values together, so that they are written together."""

import json
from datetime import UTC, datetime
from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.delta import Value
from handgriff.core.jsontext import JsonError, JsonLimits
from handgriff.core.scratch import Kept

_WHOLE: Final = JsonLimits(size=2**31, members=2**31)


class Damaged(Exception):  # an answer about a text; the adapter makes the error of it
    """A text that is no record."""


def encode_record(kept: Kept, mark: str) -> bytes:
    """The text of a record. *mark* is of this write alone, so that equal texts are one and the same write.

    Raises:
        UnicodeEncodeError: a value is no text.
    """
    shown = {
        "expires_at": kept.expires_at.astimezone(UTC).isoformat(),
        "first_version": kept.first_version,
        "values": {key: [value.text, value.version] for key, value in kept.values.items()},
        "mark": mark,
    }
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


def decode_record(text: bytes) -> Kept:
    """What `encode_record` wrote.

    Raises:
        Damaged: it was not written by it.
    """
    try:
        shown: Any = jsontext.loads(text, limits=_WHOLE)
        values = {str(key): Value(str(value), int(version)) for key, (value, version) in shown["values"].items()}
        expires_at = datetime.fromisoformat(shown["expires_at"])
        first_version = int(shown["first_version"])
    except (JsonError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged("it is no scratch record") from error
    if expires_at.tzinfo is None:
        raise Damaged("its deadline has no offset")
    return Kept(expires_at, first_version, values)
