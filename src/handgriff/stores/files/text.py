"""A record as people read it: one indented JSON object with whose it is, its deadline and its data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.delta import Value
from handgriff.core.jsontext import JsonError, JsonLimits
from handgriff.core.scratch import Kept

# What was let in is read again, however large its bounds let it grow. A value stands two levels down.
_VALUE: Final = JsonLimits(size=2**31, members=2**31)
_WHOLE: Final = JsonLimits(_VALUE.depth + 2, size=2**31, members=2**31)


@dataclass(frozen=True, slots=True)
class Name:
    """Whose a record is."""

    tenant: str
    session: str
    namespace: str


class Damaged(Exception):  # an answer about a text; the adapter makes the error of it
    """A text that is no record; says why."""


def encode_record(name: Name, kept: Kept) -> str:
    """The text of a record's file.

    Raises:
        JsonError: a value is no JSON.
    """
    shown = {
        "tenant": name.tenant,
        "session": name.session,
        "namespace": name.namespace,
        "expires_at": kept.expires_at.astimezone(UTC).isoformat(),
        "data": {key: jsontext.loads(value.text, limits=_VALUE) for key, value in kept.values.items()},
        "versions": {key: value.version for key, value in kept.values.items()},
        "first_version": kept.first_version,
    }
    return json.dumps(shown, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def decode_record(text: bytes) -> tuple[Name, Kept]:
    """What `encode_record` wrote, or a person has edited.

    Raises:
        Damaged: it is no record.
    """
    try:
        shown = jsontext.loads(text, limits=_WHOLE)
    except JsonError as error:
        raise Damaged(str(error)) from error
    if not isinstance(shown, dict):
        raise Damaged("it holds no JSON object")
    name = Name(*(_member(shown, member, str) for member in ("tenant", "session", "namespace")))
    data, versions = _member(shown, "data", dict), _member(shown, "versions", dict)
    first_version = _member(shown, "first_version", int)
    if any(type(version) is not int for version in versions.values()):
        raise Damaged("'versions' holds what is no whole number")
    # Where people took a key out by hand, its version is passed; where they put one in, it is the first.
    first_version = max([first_version, *(version for key, version in versions.items() if key not in data)])
    values = {key: Value(jsontext.dumps(value), versions.get(key, first_version + 1)) for key, value in data.items()}
    return name, Kept(_moment(_member(shown, "expires_at", str)), first_version, values)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Damaged("'expires_at' is no moment in ISO 8601") from error
    if moment.tzinfo is None:
        raise Damaged("'expires_at' has no offset")
    return moment


def _member(shown: Mapping[str, Any], name: str, kind: type) -> Any:
    value = shown.get(name)
    if type(value) is not kind:
        raise Damaged(f"{name!r} is missing, or no {_WORDS[kind]}")
    return value


_WORDS: Final[Mapping[type, str]] = {str: "text", dict: "object", int: "whole number"}
