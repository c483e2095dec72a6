"""The provider's usage fields as our token classes.

Below is `Usage`; above, `assemble` keeps the latest totals. It knows no price and adds nothing up.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from handgriff.core.usage import Usage, latest

_MOST: Final = 10**9
"""More tokens than any request can have; a provider that says so has reported nothing."""
_REQUESTS: Final = "_requests"
"""What the provider appends to the name of a tool of its own to say how often that ran."""


def opening(fields: Mapping[str, Any] | None) -> Usage:
    """What `message_start` says: the input, exactly. Its output is a placeholder, so it is a floor and no report."""
    fields = fields or {}
    placeholder = _count(fields.get("output_tokens"))
    usage = replace(_usage(fields, written=_split(fields)), output=placeholder or 0)
    return replace(usage, reported=usage.reported - {"output"})


def closing(before: Usage, fields: Mapping[str, Any] | None) -> Usage:
    """*before* brought up to date by what `message_delta` says: totals of the whole request, some of them left out."""
    fields = fields or {}
    total = _count(fields.get("cache_creation_input_tokens"))
    if "cache_creation" in fields or total is None:
        return latest(before, _usage(fields, written=_split(fields)))
    # No split is given here. What is written for an hour stands at the front and was known from the start; the rest came later.
    lasting = min(before.cache_write_1h, total)
    return latest(before, _usage(fields, written=(total - lasting, lasting)))


def _usage(fields: Mapping[str, Any], *, written: tuple[int | None, int | None]) -> Usage:
    short, lasting = written
    return Usage.of(
        input=_count(fields.get("input_tokens")),
        cache_read=_count(fields.get("cache_read_input_tokens")),
        cache_write_5m=short,
        cache_write_1h=lasting,
        output=_count(fields.get("output_tokens")),
        reasoning=_count((fields.get("output_tokens_details") or {}).get("thinking_tokens")),
        server_tool_uses={
            name.removesuffix(_REQUESTS): count
            for name, value in (fields.get("server_tool_use") or {}).items()
            if name.endswith(_REQUESTS) and (count := _count(value))
        },
    )


def _split(fields: Mapping[str, Any]) -> tuple[int | None, int | None]:
    split = fields.get("cache_creation")
    if isinstance(split, Mapping):
        return _count(split.get("ephemeral_5m_input_tokens")), _count(split.get("ephemeral_1h_input_tokens"))
    total = _count(fields.get("cache_creation_input_tokens"))
    return total, None if total is None else 0


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST else None
