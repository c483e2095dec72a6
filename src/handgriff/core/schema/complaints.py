"""pydantic's validation errors as problems by path, in words that repeat no value.

One of the few modules that know pydantic. The application's own validators speak here too, and they like to quote what
they refuse; what they quote is blotted out.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

from handgriff.core.jsontext import Json, spell
from handgriff.core.schema.words import WHOLE

_OWN_WORDS = frozenset(get_args(ErrorType)) - {"value_error", "assertion_error"}
"""Errors whose sentence is pydantic's."""
_SUBJECT = re.compile(r"^(?:Value error, |Assertion failed, |[A-Z][a-z]+ (?=should ))")
"""What stands before the point of a sentence: the path says it already."""
_SHORTEST_QUOTE = 3
_LONG_QUOTE = 6
_SMALLEST_QUOTE = 1000


def complaints(error: ValidationError, value: Json) -> dict[str, str]:
    """Say what *error* found in *value*, by path."""
    quotes = _quotes(value)
    found: dict[str, list[str]] = {}
    for detail in error.errors(include_url=False):
        said = found.setdefault(spell(_path(detail, value)) or WHOLE, [])
        sentence = _sentence(detail, quotes)
        said += [sentence] if sentence not in said else []
    return {path: "; or ".join(said) for path, said in found.items()}


def _path(detail: ErrorDetails, value: Json) -> list[str | int]:
    # pydantic names branches of unions and wrappers between the keys; only what leads into the data is a path.
    path: list[str | int] = []
    here: Any = value
    for step in detail["loc"]:
        if step in (here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()):
            path.append(step)
            here = here[step]
    if detail["type"] == "missing":
        path.append(detail["loc"][-1])
    return path


def _sentence(detail: ErrorDetails, quotes: re.Pattern[str] | None) -> str:
    kind, message, context = detail["type"], detail["msg"], detail.get("ctx", {})
    match kind:
        case "missing":
            return "missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "unknown"
        case "uuid_parsing":
            return "should be a valid UUID"
        case "union_tag_invalid":
            return f"{context['discriminator']} should be one of {context['expected_tags']}"
        case _:
            sentence = _SUBJECT.sub("", message).rstrip(".")
            return sentence if kind in _OWN_WORDS or quotes is None else quotes.sub("…", sentence)


def _quotes(value: Json) -> re.Pattern[str] | None:
    said = sorted({quote for quote in _leaves(value) if len(quote) >= _SHORTEST_QUOTE}, key=lambda quote: (-len(quote), quote))
    return re.compile("|".join(map(_quote, said))) if said else None


def _quote(text: str) -> str:
    # A short text is blotted out only as a word of its own, or every sentence would be full of holes.
    return re.escape(text) if len(text) >= _LONG_QUOTE else rf"(?<!\w){re.escape(text)}(?!\w)"


def _leaves(value: Json) -> Iterator[str]:
    match value:
        case dict():
            for member in value.values():
                yield from _leaves(member)
        case list():
            for item in value:
                yield from _leaves(item)
        case str():
            yield value.strip()
        case int() | float() if not isinstance(value, bool) and abs(value) >= _SMALLEST_QUOTE:
            yield str(value)
        case _:
            pass
